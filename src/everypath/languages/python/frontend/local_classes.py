"""Class statements inside functions: a class like any other that keeps the variables it uses as attributes."""

from __future__ import annotations

import ast

from everypath.ir import names
from everypath.ir.instructions import ClassRef, SetStatic
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.names import ClassName, Denotation, StaticName
from everypath.languages.python.frontend.scopes import used_names


def lower_class(ctx: FunctionContext, node: ast.ClassDef) -> None:
    """A class statement: the variables of the function that the class uses must have their final value."""
    linker, span = ctx.linker, ctx.span(node)
    qualname = f"{ctx.builder.name}.<locals {node.lineno}>.{node.name}"
    name = f"{ctx.module.name}.{qualname}"
    enclosing: dict[str, Denotation] = {**ctx.functions, **ctx.local_classes}
    enclosing.update({n: linker.imported(binding) for n, binding in ctx.imports.items()})
    captured: list[str] = []
    for used in sorted(used_names(node, ctx.module.package) - {node.name}):
        variable = ctx.variable(used)
        if variable is None or used in ctx.local_classes:
            continue
        if variable.cell or used not in ctx.stable:
            ctx.unsupported(node, f"class {node.name} uses the variable {used!r} of a function, which may change")
            return
        captured.append(used)
        enclosing[used] = StaticName(name, names.captured(used))
    enclosing[node.name] = ClassName(name)
    linker.user_class(ctx.module, qualname, node, enclosing)
    made = ctx.constant(ClassRef(name), node)
    for statement in node.body:
        # Attributes are computed when something asks for them, but this is where their lines run.
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            ctx.constant(None, statement)
    if captured:
        ctx.native("define_class", (made,), node)
    for used in captured:
        variable = ctx.variable(used)
        assert variable is not None
        ctx.emit(SetStatic(name, names.captured(used), ctx.read(variable, node), span=span))
    if node.name in ctx.once:
        ctx.local_classes[node.name] = ClassName(name)
    ctx.assign(ast.copy_location(ast.Name(node.name, ast.Store()), node), made)
