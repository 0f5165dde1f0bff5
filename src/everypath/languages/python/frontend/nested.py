"""Nested functions and lambdas as values, with the variables that they take from around them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from everypath.ir.instructions import (
    ConstValue,
    FunctionRef,
    GetField,
    NativeRef,
    NewObject,
    NoDefault,
    Param,
    Reg,
    SetField,
    StaticDefault,
)
from everypath.ir.names import argument_default, nested_function
from everypath.ir.program import Class, Field
from everypath.ir.types import ANY, ClassType
from everypath.languages.python.frontend.bodies import Bodies
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.names import LocalName
from everypath.languages.python.frontend.resumable import body_builder, makes, with_maker
from everypath.languages.python.frontend.scopes import free_names, scope_of
from everypath.languages.python.frontend.userclass import user_function

_LATER = NativeRef("default")
"""Stands for a default that was computed when the nested function was made."""


class NestedFunctions:
    """Translates functions inside functions."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self.linker = bodies.linker
        bodies.constant_function = self.constant_function

    def value(self, ctx: FunctionContext, node: ast.Lambda | ast.FunctionDef) -> Reg:
        """A lambda or nested function as a value.

        One that uses variables of the function around it is an object that holds them, or the cells
        they live in, and is called through its `__call__`.
        """
        free = free_names(node, ctx.module.package)
        held = {n: v for n in sorted(free) if (v := ctx.variable(n)) is not None}
        own_name = "" if isinstance(node, ast.Lambda) else node.name
        # A function that calls itself finds itself in its own receiver; a variable would not have its value yet.
        recursive = own_name in held and own_name in ctx.once
        if recursive:
            del held[own_name]
        pending: dict[str, ast.expr] = {}

        def default_of(param: str, value: ast.expr) -> ConstValue | StaticDefault:
            if isinstance(value, ast.Constant):
                constant = self.bodies.signatures.constant(ctx.module, ctx.owner, value)
                if not isinstance(constant, NoDefault):
                    return constant
            # Evaluated once, when the function is made, and kept in a field of it.
            pending[param] = value
            return _LATER

        name = nested_function(ctx.builder.name, own_name or "<lambda>", node.lineno, node.col_offset + 1)
        params = self.bodies.signatures.read(ctx.module, ctx.owner, name, node, "static", default_of)
        home = self.bodies.home(ctx.module, ctx.owner)
        span = ctx.span(node)
        if not held and not pending and not recursive:
            self._translate(ctx, node, home, name, params, {})
            return ctx.constant(FunctionRef(home.name, name), node)
        cls = Class(f"{home.name}.{name}", module=ctx.module.name, model=True, span=span)
        cls.fields = {f: Field(f, ANY, span) for f in [*held, *map(argument_default, pending)]}
        self.linker.program.classes[cls.name] = cls
        receiver = Param("<function>", ClassType(cls.name), "positional")
        self._translate(ctx, node, cls, "__call__", (receiver, *params), held, own_name if recursive else "")
        closure = ctx.fresh()
        ctx.emit(NewObject(closure, cls.name, span=span))
        for field, variable in held.items():
            ctx.emit(SetField(closure, field, variable.register, span=span))
        for param, value in pending.items():
            ctx.emit(SetField(closure, argument_default(param), ctx.value(value), span=span))
        return closure

    def constant_function(self, ctx: FunctionContext, node: ast.FunctionDef) -> None:
        """A nested function that uses no variables is a static method."""
        made = ctx.functions[node.name]
        params = self.bodies.signatures.read(ctx.module, ctx.owner, made.name, node, "static")
        self._translate(ctx, node, self.linker.program.classes[made.cls], made.name, params, {})

    def _translate(
        self,
        outer: FunctionContext,
        node: ast.Lambda | ast.FunctionDef,
        cls: Class,
        name: str,
        params: tuple[Param, ...],
        held: Mapping[str, LocalName],
        itself: str = "",
    ) -> None:
        module = outer.module
        body: list[ast.stmt]
        if isinstance(node, ast.Lambda):
            body = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        scope = scope_of(body, module.package)
        refusal = None if isinstance(node, ast.Lambda) else self.bodies.refusal(user_function(node), scope)
        made = None if refusal else makes(node, scope)
        builder = body_builder(cls, name, params, module.span(node), made)
        captured = frozenset({*held, itself} - {""})
        ctx = self.bodies.context(module, outer.owner, builder, scope, params, body, node, captured)
        ctx.activation = None if made is None else len(params)
        # What the function around imports or defines is visible, unless a variable here has the same name.
        hidden = set(ctx.locals)
        ctx.functions = {n: f for n, f in outer.functions.items() if n not in hidden} | ctx.functions
        ctx.imports = {n: i for n, i in outer.imports.items() if n not in hidden} | ctx.imports
        for field, variable in held.items():
            register = builder.register(field)
            ctx.emit(GetField(register, 0, field, span=module.span(node)))
            ctx.locals[field] = LocalName(register, variable.cell)
        if itself:
            ctx.locals[itself] = LocalName(0)
        for param in params:
            if param.default == _LATER:
                self._late_default(ctx, param.name, node)
        self.bodies.run(ctx, body, node, refusal)
        builder = with_maker(cls, name, params, made, builder, module.model)
        kind = "instance" if name == "__call__" else "static"
        cls.methods[name] = builder.finish(kind=kind, model=module.model)

    def _late_default(self, ctx: FunctionContext, param: str, node: ast.AST) -> None:
        variable = ctx.locals[param]
        missing, given = ctx.builder.label("missing"), ctx.builder.label("given")
        marker = ctx.constant(_LATER, node)
        ctx.branch(ctx.compare("is", ctx.read(variable, node), marker, node), missing, given, node)
        ctx.builder.start(missing)
        value = ctx.fresh()
        ctx.emit(GetField(value, 0, argument_default(param), span=ctx.span(node)))
        ctx.write(variable, value, node)
        ctx.jump(given, node)
        ctx.builder.start(given)
