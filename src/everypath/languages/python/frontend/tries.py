"""`try` statements, and leaving them: handlers, dispatch on the class, `finally` on every way out.

A handler of the IR covers a set of blocks: what one of them raises goes to a register, and on at a label. The body of
a `try` starts a block of its own, and the handler covers all blocks made from there to its end. At the label, the
`except` clauses are tested one after the other, and what none of them takes is thrown again.

A `finally` part is written out on every way that leads out of the statement, as CPython does: after the body,
after an exception, and before each `return`, `break` and `continue` that leaves it (`leave`). These copies lie among
the blocks of the body, but what they raise must not be caught there: they are excluded from what is covered.
"""

from __future__ import annotations

import ast

from everypath.ir.instructions import Branch, Label, Reg, Throw, TypeTest
from everypath.languages.python.frontend.calls import static_types
from everypath.languages.python.frontend.context import Frame, FunctionContext, LoopFrame, TryFrame
from everypath.languages.python.frontend.names import LocalName


def lower_try(ctx: FunctionContext, node: ast.Try) -> None:
    """`try` with any of `except`, `else`, `finally`."""
    if not node.finalbody:
        _guarded(ctx, node)
        return
    frame = TryFrame(node.finalbody)
    ctx.builder.start(ctx.builder.label("try"))
    mark = ctx.builder.mark()
    ctx.frames.append(frame)
    _guarded(ctx, node)
    ctx.frames.pop()
    covered = ctx.builder.labels_since(mark) - frame.excluded
    exception, raised, after = ctx.builder.register(), ctx.builder.label("raised"), ctx.builder.label("after")
    ctx.builder.handle(frozenset(covered), raised, exception)
    # Where every path through the body leaves it in another way, there is no copy for reaching its end.
    completes = ctx.builder.open
    if completes:
        ctx.builder.start(ctx.builder.label("finally"))
        ctx.body(node.finalbody)
        completes = ctx.builder.open
        ctx.jump(after, node)
    ctx.builder.start(raised)
    # A bare `raise` in a `finally` part throws the exception that made it run.
    ctx.handling.append(exception)
    ctx.body(node.finalbody)
    ctx.handling.pop()
    if ctx.builder.open:
        ctx.builder.end(Throw(exception, span=ctx.span(node)))
    if completes:
        ctx.builder.start(after)


def watched_body(ctx: FunctionContext, body: list[ast.stmt]) -> tuple[Reg, Label]:
    """The body of a `try`; what it raises goes to the register, and on at the label."""
    frame = TryFrame([])
    ctx.builder.start(ctx.builder.label("try"))
    mark = ctx.builder.mark()
    ctx.frames.append(frame)
    ctx.body(body)
    ctx.frames.pop()
    covered = ctx.builder.labels_since(mark) - frame.excluded
    exception, dispatch = ctx.builder.register(), ctx.builder.label("except")
    ctx.builder.handle(frozenset(covered), dispatch, exception)
    return exception, dispatch


def _guarded(ctx: FunctionContext, node: ast.Try) -> None:
    if not node.handlers:
        ctx.body(node.body)
        ctx.body(node.orelse)
        return
    exception, dispatch = watched_body(ctx, node.body)
    after = ctx.builder.label("after")
    reached = False
    if ctx.builder.open:
        if node.orelse:
            ctx.builder.start(ctx.builder.label("else"))
            ctx.body(node.orelse)
        reached = ctx.builder.open
        ctx.jump(after, node)
    ctx.builder.start(dispatch)
    for handler in node.handlers:
        reached = _handler(ctx, handler, exception, after) or reached
        if handler.type is None:
            # A bare `except` is the last one.
            break
    if ctx.builder.open:
        ctx.builder.end(Throw(exception, span=ctx.span(node)))
    if reached:
        ctx.builder.start(after)


def _handler(ctx: FunctionContext, handler: ast.ExceptHandler, exception: Reg, after: Label) -> bool:
    """One `except` clause; whether it can be left normally."""
    further: Label | None = None
    if handler.type is not None:
        mine, further = ctx.builder.label("caught"), ctx.builder.label("next")
        ctx.builder.end(Branch(_matches(ctx, handler.type, exception), mine, further, span=ctx.span(handler)))
        ctx.builder.start(mine)
    names: dict[str, LocalName] = {}
    if handler.name is not None:
        # A register of its own: after the clause the name is unbound again.
        names[handler.name] = LocalName(ctx.builder.register(handler.name))
        ctx.write(names[handler.name], exception, handler)
    ctx.handling.append(exception)
    with ctx.scope(names):
        ctx.body(handler.body)
    ctx.handling.pop()
    completes = ctx.builder.open
    ctx.jump(after, handler)
    if further is not None:
        ctx.builder.start(further)
    return completes


def _matches(ctx: FunctionContext, types: ast.expr, exception: Reg) -> Reg:
    known = static_types(ctx, types)
    if known is None:
        return ctx.truth(ctx.native("isinstance", (exception, ctx.value(types)), types), types)
    result = ctx.fresh()
    ctx.emit(TypeTest(result, exception, known, span=ctx.span(types)))
    return result


def leave(ctx: FunctionContext, until: Frame | None) -> None:
    """Run the `finally` parts of the statements left on the way to `until` (None: out of the function).

    What is emitted here lies textually inside those statements, but their handlers no longer apply.
    """
    outer = ctx.frames
    passed: list[TryFrame] = []
    while ctx.frames and ctx.frames[-1] is not until and ctx.builder.open:
        frame = ctx.frames[-1]
        # Without the statement itself: a `return` in its `finally` part only leaves those around it.
        ctx.frames = ctx.frames[:-1]
        if isinstance(frame, TryFrame):
            passed.append(frame)
            if frame.final:
                ctx.builder.start(ctx.builder.label("finally"))
                mark = ctx.builder.mark()
                ctx.body(frame.final)
                labels = ctx.builder.labels_since(mark)
                for left in passed:
                    left.excluded |= labels
        elif isinstance(frame, LoopFrame) and frame.iterator is not None:
            release(ctx, frame, ast.Pass(lineno=0, col_offset=-1))
    ctx.frames = outer


def release(ctx: FunctionContext, frame: LoopFrame, node: ast.AST) -> None:
    """A loop is left before its end: the generator that it ran over is closed."""
    if frame.iterator is not None and ctx.builder.open:
        ctx.native("release_iterator", (frame.iterator,), node)
