"""`super()`: the next class along the order of bases, found statically."""

from __future__ import annotations

import ast

from everypath.frontends.python.context import FunctionContext
from everypath.frontends.python.names import BuiltinName, ClassName, FunctionName
from everypath.ir.instructions import CallStatic, Keywords, Reg

INIT_METHODS = ("__init__", "__post_init__")


def is_super(ctx: FunctionContext, call: ast.Call) -> bool:
    """Whether a call is `super()` in one of its two forms."""
    return isinstance(call.func, ast.Name) and call.func.id == "super" and isinstance(ctx.lookup("super"), BuiltinName)


def read_super(ctx: FunctionContext, node: ast.Attribute) -> Reg:
    """`super().name` as a value: only a property can be read statically."""
    assert isinstance(node.value, ast.Call)
    target = super_target(ctx, node.value, node.attr)
    receiver = super_receiver(ctx)
    if target is not None and receiver is not None and ctx.linker.kind_of(target) == "property":
        result = ctx.fresh()
        ctx.emit(CallStatic(result, target.cls, target.name, (receiver,), span=ctx.span(node)))
        return result
    return ctx.unsupported(node, f"`super().{node.attr}` used as a value is not supported")


def call_super(ctx: FunctionContext, call: ast.Call, args: tuple[Reg, ...], keywords: Keywords) -> Reg:
    """`super().method(...)`."""
    assert isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
    name = ctx.mangle(call.func.attr)
    receiver = super_receiver(ctx)
    if receiver is None or ctx.owner is None:
        return ctx.unsupported(call, "`super()` outside a method is not supported")
    start = _start_class(ctx, call.func.value)
    if start is None:
        return ctx.unsupported(call, "`super(...)` with a class that is not known statically is not supported")
    target = super_target(ctx, call.func.value, name)
    if target is not None:
        result = ctx.fresh()
        passed = args if ctx.linker.kind_of(target) == "static" else (receiver, *args)
        ctx.emit(CallStatic(result, target.cls, target.name, passed, keywords, span=ctx.span(call)))
        ctx.linker.super_calls.append((ctx.module, ctx.span(call), start, name, target.cls))
        return result
    mro = ctx.linker.program.mro(start)
    if "BaseException" in mro and name == "__init__":
        return ctx.native("init_exception", (receiver, *args), call, keywords)
    if name in INIT_METHODS and not args and not keywords and all(m in ctx.linker.classes for m in mro):
        ctx.linker.super_calls.append((ctx.module, ctx.span(call), start, name, ""))
        return ctx.constant(None, call)
    return ctx.native(f"object.{name}", (receiver, *args), call, keywords)


def super_target(ctx: FunctionContext, call: ast.Call, name: str) -> FunctionName | None:
    """The method that `super().name` reaches, if the program defines it."""
    start = _start_class(ctx, call)
    if start is None:
        return None
    return next_method(ctx, start, name)


def next_method(ctx: FunctionContext, start: str, name: str) -> FunctionName | None:
    """The method after `start` along its order of bases."""
    for base in ctx.linker.program.mro(start)[1:]:
        info = ctx.linker.classes.get(base)
        if info is not None and ctx.linker.has_method(info, name):
            return FunctionName(base, name)
    return None


def super_receiver(ctx: FunctionContext) -> Reg | None:
    """The object or class that `super()` is about."""
    variable = ctx.locals.get(ctx.first) if ctx.first else None
    return None if variable is None else variable.register


def _start_class(ctx: FunctionContext, call: ast.Call) -> str | None:
    if not call.args:
        return ctx.owner.name if ctx.owner else None
    denoted = ctx.denotation(call.args[0])
    second = call.args[1] if len(call.args) > 1 else None
    same = isinstance(second, ast.Name) and second.id == ctx.first
    return denoted.name if isinstance(denoted, ClassName) and same and denoted.name in ctx.linker.classes else None
