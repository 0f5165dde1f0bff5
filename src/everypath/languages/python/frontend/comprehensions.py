"""Comprehensions, inlined as loops with registers of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.ir.instructions import Branch, ClassRef, Const, Label, Move, Reg, SetItem, Throw
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.modules import bound_names
from everypath.languages.python.frontend.names import BuiltinName, Denotation, LocalName
from everypath.languages.python.frontend.scopes import free_names

CONSUMERS = frozenset("sum list tuple set frozenset sorted min max dict".split())
CONSUMING_METHODS = frozenset("join update union intersection difference issubset issuperset isdisjoint".split())
AT_ONCE = CONSUMERS | CONSUMING_METHODS | {"any", "all", "next"}
"""The names of what is called when a generator expression is used up where it stands."""


def is_consumed_whole(call: ast.Call, denoted: Denotation | None) -> bool:
    """Whether a call reads all of a generator argument before anything else happens."""
    if isinstance(denoted, BuiltinName):
        return denoted.name in CONSUMERS
    return denoted is None and isinstance(call.func, ast.Attribute) and call.func.attr in CONSUMING_METHODS


def lower_listcomp(ctx: FunctionContext, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Reg:
    """A list or set comprehension, or a generator expression that is consumed at once."""
    kind, add = ("set", "add") if isinstance(node, ast.SetComp) else ("list", "append")
    result = ctx.collection(kind, (), node)
    _loops(ctx, node.generators, lambda _: ctx.virtual(result, add, (ctx.value(node.elt),), node.elt), node)
    return result


def lower_dictcomp(ctx: FunctionContext, node: ast.DictComp) -> Reg:
    """A dict comprehension."""
    result = ctx.collection("dict", (), node)

    def store(_: Label) -> None:
        key = ctx.value(node.key)
        ctx.emit(SetItem(result, key, ctx.value(node.value), span=ctx.span(node.key)))

    _loops(ctx, node.generators, store, node)
    return result


def lower_any_all(ctx: FunctionContext, node: ast.GeneratorExp, is_any: bool) -> Reg:
    """`any(...)` / `all(...)` over a generator expression: stops at the first element that decides."""
    result = ctx.fresh()
    ctx.emit(Const(result, not is_any, span=ctx.span(node)))

    def decide(done: Label) -> None:
        decided, further = ctx.builder.label("decided"), ctx.builder.label("further")
        if is_any:
            ctx.test(node.elt, decided, further)
        else:
            ctx.test(node.elt, further, decided)
        ctx.builder.start(decided)
        ctx.emit(Const(result, is_any, span=ctx.span(node.elt)))
        ctx.jump(done, node.elt)
        ctx.builder.start(further)

    _loops(ctx, node.generators, decide, node)
    ctx.booleans.add(result)
    return result


def lower_first(ctx: FunctionContext, node: ast.GeneratorExp, default: ast.expr | None, call: ast.Call) -> Reg:
    """`next(generator, default)`: the first element; the rest is never computed."""
    otherwise = ctx.value(default) if default is not None else None
    result, found = ctx.fresh(), ctx.constant(False, node)

    def keep(done: Label) -> None:
        ctx.emit(Move(result, ctx.value(node.elt), span=ctx.span(node.elt)))
        ctx.emit(Const(found, True, span=ctx.span(node.elt)))
        ctx.jump(done, node.elt)

    _loops(ctx, node.generators, keep, node)
    yes, no = ctx.builder.label("found"), ctx.builder.label("missing")
    ctx.builder.end(Branch(found, yes, no, span=ctx.span(call)))
    ctx.builder.start(no)
    if otherwise is None:
        stop = ctx.native("new_exception", (ctx.constant(ClassRef("StopIteration"), call),), call)
        ctx.builder.end(Throw(stop, span=ctx.span(call)))
    else:
        ctx.emit(Move(result, otherwise, span=ctx.span(call)))
    ctx.builder.start(yes)
    return result


def _loops(
    ctx: FunctionContext, generators: list[ast.comprehension], inside: Callable[[Label], object], node: ast.AST
) -> None:
    done = ctx.builder.label("comprehended")
    # A lambda in a comprehension sees the last value of its variables, so that these live in cells.
    captured: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Lambda):
            captured |= free_names(part, ctx.module.package)
    names: dict[str, LocalName] = {}
    for generator in generators:
        for name in bound_names(generator.target):
            names[name] = ctx.new_cell(name, node) if name in captured else LocalName(ctx.builder.register(name))
    _loop(ctx, generators, 0, names, inside, done)
    ctx.jump(done, node)
    ctx.builder.start(done)


def _loop(
    ctx: FunctionContext,
    generators: list[ast.comprehension],
    position: int,
    names: dict[str, LocalName],
    inside: Callable[[Label], object],
    done: Label,
) -> None:
    if position == len(generators):
        inside(done)
        return
    generator = generators[position]
    if generator.is_async:
        ctx.unsupported(generator.target, "an asynchronous comprehension is not supported")
        return
    iterator = ctx.native("iter", (ctx.value(generator.iter),), generator.iter)
    header, after = ctx.loop_over(iterator, generator.target, "each", "element", "end")
    # The iterable was evaluated outside this scope: in `for x in x` the second one is that of the function.
    mine = {name: names[name] for name in bound_names(generator.target)}
    with ctx.scope(mine):
        ctx.assign(generator.target, ctx.native("next", (iterator,), generator.target))
        for condition in generator.ifs:
            kept = ctx.builder.label("kept")
            ctx.test(condition, kept, header)
            ctx.builder.start(kept)
        _loop(ctx, generators, position + 1, names, inside, done)
    ctx.jump(header, generator.target)
    ctx.builder.start(after)
