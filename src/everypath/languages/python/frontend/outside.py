"""Functions that ask the world around the program: where the program finds one is where a test replaces it."""

from __future__ import annotations

import ast

from everypath.languages.python.cards import dates
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.finder import OUTSIDE
from everypath.languages.python.frontend.names import (
    BuiltinName,
    Denotation,
    ExternalName,
    FunctionName,
    LocalName,
    ModuleName,
)

CLOCKS = frozenset(f"{cls}.{method}" for cls, methods in dates.CLOCKS.items() for method in methods)
"""Methods of classes that cannot be changed, so that a test replaces the class."""
_LEFT_ALONE = frozenset(["random.seed", "os.getenv"])
"""What a test does not replace: it sets environment variables, and a seed changes nothing."""


def note_lookup(ctx: FunctionContext, node: ast.expr, denoted: Denotation) -> None:
    """Tell the engine where the program looks up such a function."""
    function = _outside(ctx, denoted)
    if function is None or ctx.module.model:
        return
    if ctx.owner is not None and ctx.builder.name in ctx.owner.generated:
        message = f"{function} as default_factory is looked up when the class is defined; write lambda: {function}()"
        ctx.unsupported(node, f"{message}, which a test can replace")
        return
    if function == "builtins.input":
        ctx.native("looked_up", (ctx.constant(function, node), ctx.constant(function, node)), node)
        return
    named = node.value if function in CLOCKS and isinstance(node, ast.Attribute) else node
    if (place := _place(ctx, named)) is None:
        ctx.unsupported(node, f"{function} found in a way that a test cannot replace is not supported")
        return
    ctx.native("looked_up", (ctx.constant(function, node), ctx.constant(place, node)), node)


def _outside(ctx: FunctionContext, denoted: Denotation) -> str | None:
    match denoted:
        case FunctionName(cls, name) if cls in OUTSIDE and ctx.linker.program.classes[cls].model:
            return None if f"{cls}.{name}" in _LEFT_ALONE else f"{cls}.{name}"
        case ExternalName(name) if name in CLOCKS:
            return name
        case BuiltinName("input"):
            return "builtins.input"
    return None


def _place(ctx: FunctionContext, node: ast.expr) -> str | None:
    """The attribute that the expression reads, as a dotted name."""
    match node:
        case ast.Name(id=name):
            if (local := ctx.imports.get(name)) is not None:
                return f"{local.module}.{local.attribute}"
            return f"{ctx.module.name}.{name}"
        case ast.Attribute(value=value, attr=name):
            base = ctx.denotation(value)
            if isinstance(base, ModuleName):
                return f"{base.name}.{name}"
            if base is not None and not isinstance(base, LocalName):
                around = _place(ctx, value)
                return around and f"{around}.{name}"
    return None
