"""What importing a module does besides defining names: subclasses are announced, definitions registered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeGuard

from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallStatic, CallValue, ClassRef, GetStatic, Return
from everypath.ir.names import EFFECTS, decorated
from everypath.ir.program import Method
from everypath.languages.python.frontend.bodies import Bodies
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionBinding, ModuleSource
from everypath.languages.python.frontend.noted import Effect
from everypath.languages.python.frontend.scopes import scope_of
from everypath.languages.python.frontend.userclass import UserClass


def announce_subclass(linker: Linker, info: UserClass) -> bool:
    """Note the call of `__init_subclass__` that a class statement makes, if a base defines it."""
    for base in linker.program.mro(info.name)[1:]:
        owner = linker.classes.get(base)
        if owner is None or "__init_subclass__" not in owner.functions:
            continue

        def run(ctx: FunctionContext, base: str = base) -> None:
            given = [k for k in info.node.keywords if k.arg not in (None, "metaclass")]
            keywords = tuple((str(k.arg), ctx.value(k.value)) for k in given)
            args = (ctx.constant(ClassRef(info.name), info.node),)
            call = CallStatic(ctx.fresh(), base, "__init_subclass__", args, keywords, span=ctx.span(info.node))
            ctx.emit(call)

        linker.effects.append(Effect(info.module, info.node, run))
        return True
    return False


def decorate_class(linker: Linker, info: UserClass, decorator: ast.expr) -> None:
    """Note the call of a decorator of the program that gives back the class itself."""

    def run(ctx: FunctionContext) -> None:
        result, cls = ctx.fresh(), ctx.constant(ClassRef(info.name), decorator)
        ctx.emit(CallValue(result, ctx.value(decorator), (cls,), span=ctx.span(decorator)))
        ctx.native("need_same_class", (result, cls), decorator)

    linker.effects.append(Effect(info.module, info.node, run))


def decorate_function(linker: Linker, module: ModuleSource, name: str, node: ast.AST) -> None:
    """Note that decorating a function does something that other code sees."""
    linker.need_function(module, None, name)

    def run(ctx: FunctionContext) -> None:
        ctx.emit(GetStatic(ctx.fresh(), module.name, decorated(name), span=ctx.span(node)))

    linker.effects.append(Effect(module, node, run))


def call_on_import(linker: Linker, module: ModuleSource, statement: ast.Expr) -> None:
    """Note a call that a module makes as a statement of its own."""
    if all(effect.node is not statement for effect in linker.effects):
        linker.effects.append(Effect(module, statement, lambda ctx: ctx.value(statement.value)))


def calls_of(module: ModuleSource) -> Iterator[tuple[ast.Expr, ast.expr]]:
    """The calls that a module makes as statements of their own, each with what is called."""
    for statement in module.tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement, statement.value.func


def sets_attributes(info: UserClass, function: str) -> bool:
    """Whether a function of the module may give the class an attribute that its methods read and nobody else makes."""
    bound = info.module.bindings.get(function)
    if not isinstance(bound, FunctionBinding):
        return False
    given = {part.attr for part in ast.walk(bound.node) if _is_attribute(part, ast.Store)} - info.statics.keys()
    if not given:
        return False
    own = [part for part in ast.walk(info.node) if isinstance(part, ast.Attribute) and part.attr in given]
    return bool(own) and not any(isinstance(part.ctx, ast.Store) for part in own)


def _is_attribute(part: ast.AST, ctx: type[ast.expr_context]) -> TypeGuard[ast.Attribute]:
    return isinstance(part, ast.Attribute) and isinstance(part.ctx, ctx) and isinstance(part.value, ast.Name)


def effects_builder(bodies: Bodies) -> Callable[[ModuleSource], Method | None]:
    """What makes the method that does all of it, those of imported modules first."""
    linker = bodies.linker

    def build(target: ModuleSource) -> Method | None:
        if not linker.effects:
            return None
        home = linker.module_class(target)
        builder = MethodBuilder(home.name, EFFECTS, ())
        ordered = sorted(
            linker.effects, key=lambda e: (e.module is target, e.module.name, getattr(e.node, "lineno", 0))
        )
        for effect in ordered:
            ctx = bodies.context(effect.module, None, builder, scope_of([], effect.module.package), (), [], effect.node)
            effect.run(ctx)
        builder.end(Return(builder.constant(None)))
        linker.run()
        method = home.methods[EFFECTS] = builder.finish(kind="static", model=True)
        return method

    return build
