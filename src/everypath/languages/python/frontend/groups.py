"""`except*`: the exceptions of a group are dealt out to the clauses, and what is left is raised again."""

from __future__ import annotations

import ast

from everypath.ir.instructions import Branch, Move, Reg, Throw
from everypath.languages.python.frontend.context import FunctionContext, TryFrame
from everypath.languages.python.frontend.names import LocalName
from everypath.languages.python.frontend.tries import lower_try, watched_body


def lower_try_star(ctx: FunctionContext, node: ast.TryStar) -> None:
    """`try` with `except*`, `else` and `finally`."""
    if node.finalbody:
        inner = ast.copy_location(ast.TryStar(node.body, node.handlers, node.orelse, []), node)
        lower_try(ctx, ast.copy_location(ast.Try([inner], [], [], node.finalbody), node))
        return
    exception, dispatch = watched_body(ctx, node.body)
    after = ctx.builder.label("after")
    if ctx.builder.open:
        if node.orelse:
            ctx.builder.start(ctx.builder.label("else"))
            ctx.body(node.orelse)
        ctx.jump(after, node)
    ctx.builder.start(dispatch)
    rest = ctx.fresh()
    ctx.emit(Move(rest, exception, span=ctx.span(node)))
    raised = ctx.collection("list", (), node)
    for handler in node.handlers:
        _clause(ctx, handler, rest, raised)
    left = ctx.native("regrouped", (exception, raised, rest), node)
    throwing = ctx.builder.label("left")
    nothing = ctx.compare("is", left, ctx.constant(None, node), node)
    ctx.builder.end(Branch(nothing, after, throwing, span=ctx.span(node)))
    ctx.builder.start(throwing)
    ctx.builder.end(Throw(left, span=ctx.span(node)))
    ctx.builder.start(after)


def _clause(ctx: FunctionContext, handler: ast.ExceptHandler, rest: Reg, raised: Reg) -> None:
    """One clause: it gets a group of what it names, and `rest` keeps the others."""
    assert handler.type is not None
    if any(isinstance(n, ast.Raise) and n.exc is None for s in handler.body for n in ast.walk(s)):
        ctx.unsupported(handler, "a bare `raise` inside `except*` is not supported")
        return
    dealt = ctx.native("dealt_out", (rest, ctx.value(handler.type)), handler)
    ctx.emit(Move(rest, ctx.item(dealt, 1, handler), span=ctx.span(handler)))
    matching = ctx.item(dealt, 0, handler)
    mine, further = ctx.builder.label("caught"), ctx.builder.label("next")
    nothing = ctx.compare("is", matching, ctx.constant(None, handler), handler)
    ctx.builder.end(Branch(nothing, further, mine, span=ctx.span(handler)))
    ctx.builder.start(mine)
    mark = ctx.builder.mark()
    names: dict[str, LocalName] = {}
    if handler.name is not None:
        names[handler.name] = LocalName(ctx.builder.register(handler.name))
        ctx.write(names[handler.name], matching, handler)
    frame = TryFrame([])
    ctx.frames.append(frame)
    with ctx.scope(names):
        ctx.body(handler.body)
    ctx.frames.pop()
    ctx.jump(further, handler)
    caught, failed = ctx.builder.register(), ctx.builder.label("failed")
    ctx.builder.handle(frozenset({mine, *ctx.builder.labels_since(mark)} - frame.excluded), failed, caught)
    ctx.builder.start(failed)
    ctx.virtual(raised, "append", (caught,), handler)
    ctx.jump(further, handler)
    ctx.builder.start(further)
