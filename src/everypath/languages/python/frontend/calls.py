"""Calls: what is called is resolved statically where possible."""

from __future__ import annotations

import ast

from everypath.ir import instructions as ins
from everypath.ir.names import LOOKUP
from everypath.ir.types import ClassType, Type
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.hierarchy import BUILTIN_TYPES
from everypath.languages.python.frontend.modules import type_argument
from everypath.languages.python.frontend.names import (
    BuiltinName,
    ClassName,
    Denotation,
    ExternalName,
    FunctionName,
    LocalName,
)
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.outside import note_lookup
from everypath.languages.python.frontend.own_attributes import (
    CHANGING,
    READING,
    attributes_of,
    change_attributes,
    owner_of,
)
from everypath.languages.python.frontend.resumable import (
    is_consumed_whole,
    lower_any_all,
    lower_first,
    lower_listcomp,
)
from everypath.languages.python.frontend.supers import call_super, exception_made, super_call

_IDENTITIES = frozenset("typing.cast typing_extensions.cast".split())


def lower_call(ctx: FunctionContext, node: ast.Call) -> ins.Reg:
    """A call."""
    denoted = ctx.denotation(node.func)
    if isinstance(denoted, BuiltinName) and (special := _builtin(ctx, node, denoted.name)) is not None:
        return special
    if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
        owner = owner_of(ctx, node.func.value)
        if owner is not None:
            return _change_attributes(ctx, node, node.func.attr, owner)
    if _spreads(node):
        return _call_spread(ctx, node)
    if denoted is not None and not isinstance(denoted, LocalName):
        note_lookup(ctx, node.func, denoted)
        args, keywords = _arguments(ctx, node, denoted)
        result = call_denoted(ctx, denoted, args, keywords, node)
        return _call_value(ctx, node, ctx.value(node.func), args, keywords) if result is None else result
    if isinstance(node.func, ast.Attribute):
        if (parent := super_call(ctx, node.func.value)) is not None:
            return call_super(ctx, node, parent, *_arguments(ctx, node, None))
        if node.func.attr != "__class__":
            return _call_method(ctx, node, node.func)
    return _call_value(ctx, node, ctx.value(node.func), *_arguments(ctx, node, None))


def _call_method(ctx: FunctionContext, node: ast.Call, method: ast.Attribute) -> ins.Reg:
    """`x.f(...)`, looked up by the class that the object has when the call is made."""
    # `x.__dict__.items()`: a dict of the attributes will do where it is only read.
    held = attributes_of(ctx, method.value) if method.attr in READING else None
    receiver = held or ctx.value(method.value)
    name = ctx.mangle(method.attr)
    if not all(_cannot_fail(ctx, given) for given in (*node.args, *(k.value for k in node.keywords))):
        # The method is looked up before the arguments are evaluated, and None has none.
        ctx.native("need_receiver", (receiver, ctx.constant(name, node)), node)
    args, keywords = _arguments(ctx, node, None)
    return ctx.give(ins.CallVirtual(ctx.fresh(), receiver, name, args, keywords, span=ctx.span(node)))


def _cannot_fail(ctx: FunctionContext, given: ast.expr) -> bool:
    """Whether evaluating an argument does nothing that could be noticed: a constant, or a variable that has a value."""
    return isinstance(given, ast.Constant) or (isinstance(given, ast.Name) and given.id not in ctx.copied_names)


def _change_attributes(ctx: FunctionContext, node: ast.Call, name: str, owner: ast.expr) -> ins.Reg:
    """`x.__dict__.update(...)` and its like."""
    obj = ctx.value(owner)
    if _spreads(node):
        spread_args, named = _collected(ctx, node)

        def change(held: ins.Reg) -> ins.Reg:
            method = ctx.give(ins.GetField(ctx.fresh(), held, name, span=ctx.span(node)))
            return spread(ctx, method, spread_args, named, node)
    else:
        args, keywords = _arguments(ctx, node, None)

        def change(held: ins.Reg) -> ins.Reg:
            return ctx.give(ins.CallVirtual(ctx.fresh(), held, name, args, keywords, span=ctx.span(node)))

    result = change_attributes(ctx, obj, change, node, adds=name == "update")
    assert result is not None
    return result


def _spreads(node: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)


def _call_spread(ctx: FunctionContext, node: ast.Call) -> ins.Reg:
    """A call with `*` or `**`: its arguments are collected first."""
    # `super().__init__(*args)` in an exception has no function to call: a native sets the arguments.
    receiver = exception_made(ctx, node.func)
    function = ctx.value(node.func) if receiver is None else ctx.constant(ins.NativeRef("init_exception"), node)
    record = any(each.arg is None and not isinstance(each.value, ast.Dict) for each in node.keywords)
    return spread(ctx, function, *_collected(ctx, node, receiver), node, record)


def _collected(ctx: FunctionContext, node: ast.Call, receiver: ins.Reg | None = None) -> tuple[ins.Reg, ins.Reg]:
    """The arguments of a call as a tuple, after a receiver if there is one, and a dict."""
    args = ctx.value(ast.copy_location(ast.Tuple(node.args, ast.Load()), node))
    if receiver is not None:
        args = ctx.binary("+", ctx.collection("tuple", (receiver,), node), args, node)
    named = ctx.collection("dict", (), node)
    for keyword in node.keywords:
        if keyword.arg is None:
            more = attributes_of(ctx, keyword.value) or ctx.value(keyword.value)
        else:
            more = ctx.collection("dict", (ctx.constant(keyword.arg, node), ctx.value(keyword.value)), node)
        ctx.native("merge_keywords", (named, more), keyword.value)
    return args, named


def spread(
    ctx: FunctionContext, function: ins.Reg, args: ins.Reg, named: ins.Reg, node: ast.AST, record: bool = False
) -> ins.Reg:
    """Call a value with a tuple of arguments and a dict of named ones, which somebody else may have put together."""
    result = ctx.fresh()
    calling = ctx.constant(ins.NativeRef("spread_record" if record else "spread"), node)
    ctx.emit(ins.CallValue(result, calling, (function, args, named), span=ctx.span(node)))
    return result


def _call_value(
    ctx: FunctionContext, node: ast.Call, function: ins.Reg, args: tuple[ins.Reg, ...], keywords: ins.Keywords
) -> ins.Reg:
    return ctx.give(ins.CallValue(ctx.fresh(), function, args, keywords, span=ctx.span(node)))


def _arguments(
    ctx: FunctionContext, node: ast.Call, denoted: Denotation | None
) -> tuple[tuple[ins.Reg, ...], ins.Keywords]:
    whole = is_consumed_whole(node, denoted)
    args = tuple(
        lower_listcomp(ctx, argument) if whole and isinstance(argument, ast.GeneratorExp) else ctx.value(argument)
        for argument in node.args
    )
    return args, tuple((k.arg, ctx.value(k.value)) for k in node.keywords if k.arg is not None)


def call_denoted(
    ctx: FunctionContext, denoted: Denotation, args: tuple[ins.Reg, ...], keywords: ins.Keywords, node: ast.Call
) -> ins.Reg | None:
    """Call something known statically; None when it must be called as a value."""
    result = ctx.fresh()
    span = ctx.span(node)
    match denoted:
        case FunctionName(cls, name):
            if ctx.linker.kind_of(denoted) == "class":
                base = ctx.denotation(node.func.value) if isinstance(node.func, ast.Attribute) else None
                called_on = base.name if isinstance(base, ClassName) else cls
                args = (ctx.constant(ins.ClassRef(called_on), node), *args)
            ctx.emit(ins.CallStatic(result, cls, name, args, keywords, span=span))
        case ClassName(name):
            return construct(ctx, name, args, keywords, node)
        case BuiltinName("len") if len(args) == 1 and not keywords:
            ctx.emit(ins.Length(result, args[0], span=span))
        case BuiltinName(name):
            ctx.emit(ins.CallNative(result, name, args, keywords, span=span))
        case ExternalName(name) if name in _IDENTITIES and len(args) == 2:
            return args[1]
        case ExternalName(name) if name.endswith("View") and (view := _view(ctx, name)):
            return construct(ctx, view, args, keywords, node)
        case ExternalName(name):
            ctx.emit(ins.CallNative(result, name, args, keywords, span=span))
        case _:
            return None
    return result


def _view(ctx: FunctionContext, name: str) -> str | None:
    """The class of a view on a mapping, such as `collections.abc.KeysView`."""
    from everypath.languages.python.frontend.bases import abstract_collection

    return abstract_collection(ctx.linker, name)


def construct(
    ctx: FunctionContext, name: str, args: tuple[ins.Reg, ...], keywords: ins.Keywords, node: ast.AST
) -> ins.Reg:
    """Make an object of a class known statically and run its constructor."""
    linker, span = ctx.linker, ctx.span(node)
    if (info := linker.classes.get(name)) is None:
        cls = ctx.constant(ins.ClassRef(name), node)
        if linker.program.is_subclass(name, "BaseException"):
            return ctx.native("new_exception", (cls, *args), node, keywords)
        return ctx.native(name, args, node, keywords)
    if info.members:
        return ctx.give(
            ins.CallStatic(
                ctx.fresh(), name, LOOKUP, (ctx.constant(ins.ClassRef(name), node), *args), keywords, span=span
            )
        )
    if any(base.typed_dict for base in linker.line(name)):
        return ctx.native("dict", args, node, keywords)
    result = ctx.fresh()
    foreign = next((base for base in linker.program.mro(name) if base in linker.opaque), None)
    if foreign is not None:
        message = f"making an object of class {name}, which extends {', '.join(linker.program.classes[foreign].bases)}"
        return ctx.unsupported(node, f"{message}, is not supported")
    if linker.is_abstract(name):
        ctx.native("abstract_class", (ctx.constant(name.rpartition(".")[2], node),), node)
    if linker.defines(name, "__new__"):
        # Whether `__init__` runs, and on what, depends on what it returns.
        ctx.emit(ins.CallValue(result, ctx.constant(ins.ClassRef(name), node), args, keywords, span=span))
        return result
    ctx.emit(ins.NewObject(result, name, span=span))
    _initialise(ctx, name, (result, *args), keywords, node)
    return result


def _initialise(
    ctx: FunctionContext, name: str, args: tuple[ins.Reg, ...], keywords: ins.Keywords, node: ast.AST
) -> None:
    """Run the constructor that an object of the class has; the object is the first of the arguments."""
    linker = ctx.linker
    for info in linker.line(name):
        if linker.has_method(info, "__init__"):
            ctx.emit(ins.CallStatic(ctx.fresh(), info.name, "__init__", args, keywords, span=ctx.span(node)))
            return
    if linker.program.is_subclass(name, "BaseException"):
        ctx.native("init_exception", args, node, keywords)
    elif len(args) > 1 or keywords or not linker.is_translated(name):
        ctx.native("object.__init__", args, node, keywords)


def _builtin(ctx: FunctionContext, node: ast.Call, name: str) -> ins.Reg | None:
    """Builtins with a translation of their own; None for the others."""
    args = node.args
    if name == "isinstance" and len(args) == 2 and not node.keywords:
        return lower_isinstance(ctx, node)
    if name in ("any", "all") and len(args) == 1 and isinstance(args[0], ast.GeneratorExp):
        return lower_any_all(ctx, args[0], name == "any")
    if name == "next" and args and isinstance(args[0], ast.GeneratorExp) and not node.keywords:
        return lower_first(ctx, args[0], args[1] if len(args) > 1 else None, node)
    computed = len(args) == 2 and not isinstance(args[1], (ast.Constant, ast.Starred))
    if name == "getattr" and computed and not node.keywords:
        return ctx.native("getattr_computed", (ctx.value(args[0]), ctx.value(args[1])), node)
    if name == "super":
        return ctx.unsupported(node, "`super()` used other than for a method call or property is not supported")
    if name in ("locals", "globals", "vars", "eval", "exec", "compile", "__import__"):
        return ctx.unsupported(node, f"`{name}` is not supported")
    return None


def lower_isinstance(ctx: FunctionContext, node: ast.Call) -> ins.Reg:
    """`isinstance(x, T)`: a type test when T is known statically."""
    obj = ctx.value(node.args[0])
    names = {part.id for part in walk(node.args[1]) if isinstance(part, ast.Name)}
    # `set` and `frozenset` are two classes, but one type here: asking for one of them is no test of a type.
    frozen_told = ("set" in names) != ("frozenset" in names)
    types = None if frozen_told else static_types(ctx, node.args[1])
    if types is None:
        # The classes are only known at run time, or there is no type for what is asked.
        return ctx.native("isinstance", (obj, ctx.value(node.args[1])), node)
    return ctx.is_instance(obj, types, node)


def static_types(ctx: FunctionContext, node: ast.expr) -> tuple[Type, ...] | None:
    """The types that the second argument of `isinstance` or an `except` clause names, if known statically."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Tuple):
        parts = node.elts
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = [node.left, node.right]
    if parts:
        found: list[Type] = []
        for part in parts:
            if (types := static_types(ctx, part)) is None:
                return None
            found += types
        return tuple(dict.fromkeys(found))
    if isinstance(node, ast.Constant) and node.value is None:
        return BUILTIN_TYPES["NoneType"]
    if (argument := type_argument(node)) is not None:
        return BUILTIN_TYPES["NoneType"] if isinstance(argument, ast.Constant) and argument.value is None else None
    match ctx.denotation(node):
        # An abstract class takes others for its own, too.
        case ClassName(name) if not name.startswith("_collections_abc."):
            return (ClassType(name),)
        case BuiltinName(name) if name in BUILTIN_TYPES:
            return BUILTIN_TYPES[name]
        case ExternalName("types.NoneType"):
            return BUILTIN_TYPES["NoneType"]
        case _:
            return None
