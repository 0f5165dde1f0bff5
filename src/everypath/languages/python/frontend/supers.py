"""`super()`: the next class along the order of bases, found statically where all classes agree on it.

What `super().m()` in class C means depends on the class of the object, not on C: it is the `m` of the first class after
C in the order of bases of the object's class. While C is translated, the order of C itself is taken, and the call noted
(`SuperUse`). When all classes are known, `settle_supers` looks at those that extend C. If one of them has another class
after C, the call is replaced by a virtual one of a name that no source can write, under which each of these classes
keeps the method that the call means for its objects.
"""

from __future__ import annotations

import ast

from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.names import parent_method
from everypath.ir.program import Method
from everypath.ir.types import ClassType
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.names import BuiltinName, ClassName, FunctionName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.noted import SuperUse
from everypath.records import replace

_NESTED = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.GeneratorExp, ast.ClassDef)
INIT_METHODS = ("__init__", "__post_init__", "__init_subclass__")


def super_call(ctx: FunctionContext, node: ast.expr) -> ast.Call | None:
    """The `super()` call, in one of its two forms, that is written here or kept in this variable."""
    if isinstance(node, ast.Name):
        return ctx.supers.get(node.id) if ctx.supers and ctx.variable(node.id) is not None else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
        return node if isinstance(ctx.lookup("super"), BuiltinName) else None
    return None


def keep_super(ctx: FunctionContext, node: ast.Assign) -> bool:
    """`parent = super()`, if every use of the variable is an attribute of it in the same function."""
    call = super_call(ctx, node.value)
    target = node.targets[0]
    if call is None or len(node.targets) != 1 or not isinstance(target, ast.Name):
        return False
    if target.id not in ctx.locals or not _only_looked_into(ctx, target):
        return False
    ctx.supers[target.id] = call
    # No value is needed, but the line counts as executed.
    ctx.constant(None, node)
    return True


def _only_looked_into(ctx: FunctionContext, variable: ast.Name) -> bool:
    """Whether all that the function does with a variable, besides setting it here, is to ask for attributes of it."""
    parts = [part for statement in ctx.statements for part in walk(statement)]
    held = [part.value for part in parts if isinstance(part, ast.Attribute)]
    # A nested function has another first parameter, so that `super()` there is about another object.
    inner = {id(part) for nested in parts if isinstance(nested, _NESTED) for part in walk(nested)}
    uses = [part for part in parts if isinstance(part, ast.Name) and part.id == variable.id]
    return all(use is variable or use in held for use in uses) and not any(id(use) in inner for use in uses)


def read_super(ctx: FunctionContext, node: ast.Attribute, call: ast.Call) -> ins.Reg:
    """`super().name` as a value."""
    name = ctx.mangle(node.attr)
    receiver = super_receiver(ctx)
    start = _start_class(ctx, call)
    if receiver is None or start is None:
        return ctx.unsupported(node, f"`super().{node.attr}` outside a method is not supported")
    if (target := next_method(ctx, start, name)) is None:
        if (static := _next_static(ctx, start, name)) is not None:
            info = ctx.linker.classes[static]
            ctx.linker.need_static(info.module, info, name)
            return ctx.give(ins.GetStatic(ctx.fresh(), static, name, span=ctx.span(node)))
        if not ctx.linker.is_translated(start):
            return ctx.unsupported(node, f"`super().{node.attr}` of a class outside the program is not supported")
    result = ctx.give(ins.GetField(ctx.fresh(), receiver, parent_method(start, name), span=ctx.span(node)))
    ctx.linker.super_uses.append(SuperUse(start, name, target.cls if target else "", None, receiver))
    return result


def _next_static(ctx: FunctionContext, start: str, name: str) -> str | None:
    order = ctx.linker.program.mro(start)[1:]
    return next((c for c in order if c in ctx.linker.classes and name in ctx.linker.classes[c].statics), None)


def call_super(
    ctx: FunctionContext, call: ast.Call, parent: ast.Call, args: tuple[ins.Reg, ...], keywords: ins.Keywords
) -> ins.Reg:
    """`super().method(...)`."""
    assert isinstance(call.func, ast.Attribute)
    name = ctx.mangle(call.func.attr)
    receiver = super_receiver(ctx)
    if receiver is None or ctx.owner is None:
        return ctx.unsupported(call, "`super()` outside a method is not supported")
    if (start := _start_class(ctx, parent)) is None:
        return ctx.unsupported(call, "`super(...)` with a class that is not known statically is not supported")
    result = ctx.fresh()
    target = next_method(ctx, start, name)
    made: ins.CallStatic | ins.CallNative
    if target is not None:
        passed = args if ctx.linker.kind_of(target) == "static" else (receiver, *args)
        made = ins.CallStatic(result, target.cls, target.name, passed, keywords, span=ctx.span(call))
    elif "BaseException" in ctx.linker.program.mro(start) and name == "__init__":
        return ctx.native("init_exception", (receiver, *args), call, keywords)
    elif (foreign := _foreign_base(ctx, start)) is not None:
        return ctx.unsupported(call, f"`super().{name}()`, which is that of {foreign}, is not modelled")
    else:
        passed = args if name == "__new__" else (receiver, *args)
        native = f"object.{name}"
        if not hasattr(object, name) and ctx.linker.is_translated(start):
            native, passed, keywords = "super_without", (ctx.constant(name, call),), ()
        made = ins.CallNative(result, native, passed, keywords, span=ctx.span(call))
    ctx.emit(made)
    if target is not None or ctx.linker.is_translated(start):
        found = "" if target is None else target.cls
        ctx.linker.super_uses.append(SuperUse(start, name, found, made, receiver, args))
    return result


def exception_made(ctx: FunctionContext, function: ast.expr) -> ins.Reg | None:
    """The exception that `super().__init__` is about where no class of the program has that method."""
    parent = super_call(ctx, function.value) if isinstance(function, ast.Attribute) else None
    start = _start_class(ctx, parent) if parent is not None and ctx.owner is not None else None
    if start is None or not isinstance(function, ast.Attribute) or function.attr != "__init__":
        return None
    made = "BaseException" in ctx.linker.program.mro(start) and next_method(ctx, start, "__init__") is None
    return super_receiver(ctx) if made else None


def _foreign_base(ctx: FunctionContext, start: str) -> str | None:
    """A base of the class that is neither translated nor understood."""
    classes = ctx.linker.program.classes
    order = ctx.linker.program.mro(start)[1:]
    return next((base for base in order if base != "object" and base in classes and classes[base].external), None)


def next_method(ctx: FunctionContext, start: str, name: str) -> FunctionName | None:
    """The method after `start` along its order of bases."""
    found = _next_class(ctx.linker, start, start, name)
    return FunctionName(found, name) if found else None


def super_receiver(ctx: FunctionContext) -> ins.Reg | None:
    """The object or class that `super()` is about."""
    variable = ctx.locals.get(ctx.first) if ctx.first else None
    if variable is None:
        return None
    return ctx.read(variable, ast.Name(ctx.first or "", ast.Load(), lineno=0, col_offset=0))


def _start_class(ctx: FunctionContext, call: ast.Call) -> str | None:
    if not call.args:
        return ctx.owner.name if ctx.owner else None
    denoted = ctx.denotation(call.args[0])
    second = call.args[1] if len(call.args) > 1 else None
    same = isinstance(second, ast.Name) and second.id == ctx.first
    return denoted.name if isinstance(denoted, ClassName) and same and denoted.name in ctx.linker.classes else None


def settle_supers(linker: Linker) -> None:
    """Where classes disagree on what a `super()` means, look it up by the class of the object."""
    # By identity: two calls that look the same may stand in different classes.
    changed: dict[int, ins.CallVirtual] = {}
    for use in linker.super_uses:
        classes = linker.program.subclasses(use.start)
        if use.call is None or any(_next_class(linker, c, use.start, use.name) != use.found for c in classes):
            alias = parent_method(use.start, use.name)
            _add_aliases(linker, use, alias)
            if use.call is not None:
                call = use.call
                changed[id(call)] = ins.CallVirtual(
                    call.dst, use.receiver, alias, use.args, call.keywords, span=call.span
                )
    if changed:
        for method in linker.program.methods():
            _replace_calls(method, changed)


def _next_class(linker: Linker, cls: str, start: str, name: str) -> str:
    """The class after `start` in the order of `cls` that has the method; empty for none."""
    order = linker.program.mro(cls)
    rest = order[order.index(start) + 1 :]
    return next((c for c in rest if c in linker.classes and linker.has_method(linker.classes[c], name)), "")


def _add_aliases(linker: Linker, use: SuperUse, alias: str) -> None:
    for cls in linker.program.subclasses(use.start):
        found = _next_class(linker, cls, use.start, use.name)
        target = linker.program.classes[found].methods.get(use.name) if found else None
        home = linker.program.classes[cls]
        if target is not None:
            home.methods[alias] = replace(target, cls=cls, name=alias)
        elif use.name in INIT_METHODS and not found:
            params = (ins.Param("self", ClassType(cls)),)
            kind = "class" if use.name == "__init_subclass__" else "instance"
            home.methods[alias] = MethodBuilder(cls, alias, params).finish(kind=kind, model=True)


def _replace_calls(method: Method, changed: dict[int, ins.CallVirtual]) -> None:
    for label, block in method.blocks.items():
        if any(id(made) in changed for made in block.instructions):
            instructions = tuple(changed.get(id(made), made) for made in block.instructions)
            method.blocks[label] = ins.Block(label, instructions, block.terminator)
