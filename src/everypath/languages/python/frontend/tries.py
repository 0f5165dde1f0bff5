"""`try` and `with` statements, and leaving them: handlers, dispatch on the class, `finally` on every way out.

A handler of the IR covers a set of blocks: what one of them raises goes to a register, and on at a label. The body of
a `try` starts a block of its own, and the handler covers all blocks made from there to its end. At the label, the
`except` clauses are tested one after the other, and what none of them takes is thrown again.

A `finally` part is written out on every way that leads out of the statement, as CPython does: after the body,
after an exception, and before each `return`, `break` and `continue` that leaves it (`leave`). These copies lie among
the blocks of the body, but what they raise must not be caught there: they are excluded from what is covered.

A `with` is the `try` statement of the language reference, section 8.5, with the call of `__exit__` for its `finally`
part: it gets None three times on the way out of the body, and the exception where there is one, which it may swallow.
With `except*`, the exceptions of a group are dealt out to the clauses, and what is left is raised again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.ir.instructions import Branch, Label, Move, Reg, Throw, TypeTest
from everypath.ir.types import ClassType
from everypath.languages.python.frontend.calls import static_types
from everypath.languages.python.frontend.context import Frame, FunctionContext, LoopFrame, TryFrame
from everypath.languages.python.frontend.names import ExternalName, LocalName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.resumable import awaited


def lower_try(ctx: FunctionContext, node: ast.Try) -> None:
    """`try` with any of `except`, `else`, `finally`."""
    if not node.finalbody:
        _guarded(ctx, node)
        return
    exception, raised = _watched(ctx, lambda: _guarded(ctx, node), node.finalbody, "try", "raised")
    after = ctx.builder.label("after")
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


def _watched(
    ctx: FunctionContext, body: Callable[[], None], final: list[ast.stmt], hint: str, handling: str
) -> tuple[Reg, Label]:
    """Lower a body in blocks of its own; what it raises goes to the register, and on at the label."""
    frame = TryFrame(final)
    ctx.builder.start(ctx.builder.label(hint))
    mark = ctx.builder.mark()
    ctx.frames.append(frame)
    body()
    ctx.frames.pop()
    covered = ctx.builder.labels_since(mark) - frame.excluded
    exception, handler = ctx.builder.register(), ctx.builder.label(handling)
    ctx.builder.handle(frozenset(covered), handler, exception)
    return exception, handler


def _guarded(ctx: FunctionContext, node: ast.Try) -> None:
    if not node.handlers:
        ctx.body(node.body)
        ctx.body(node.orelse)
        return
    outer = ctx.expects_missing
    ctx.expects_missing = outer or any("AttributeError" in ast.unparse(h.type) for h in node.handlers if h.type)
    exception, dispatch = _watched(ctx, lambda: ctx.body(node.body), [], "try", "except")
    ctx.expects_missing = outer
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
    else:
        # Nobody needs the answer, but whoever looks for what is caught here finds the classes, the usual one first.
        ctx.emit(TypeTest(ctx.fresh(), exception, (ClassType("Exception"), ClassType("BaseException"))))
    if _passes_on(handler):
        ctx.native("passed_on", (exception,), handler)
    ctx.handling.append(exception)
    _handled(ctx, handler, exception)
    ctx.handling.pop()
    completes = ctx.builder.open
    ctx.jump(after, handler)
    if further is not None:
        ctx.builder.start(further)
    return completes


def _passes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a clause names an error and then raises that very error again: so it is what callers are to get."""
    named: list[ast.expr | None] = [*handler.type.elts] if isinstance(handler.type, ast.Tuple) else [handler.type]
    if any(each is None or ast.unparse(each) in ("Exception", "BaseException") for each in named):
        return False
    raised = (part.exc for part in handler.body if isinstance(part, ast.Raise) and part.cause is None)
    return any(each is None or (isinstance(each, ast.Name) and each.id == handler.name) for each in raised)


def _handled(ctx: FunctionContext, handler: ast.ExceptHandler, caught: Reg) -> None:
    """The body of a clause, in which its name is what was caught; after it the name is unbound."""
    name = handler.name
    variable = None if name is None else ctx.variable(name)
    if name is None:
        ctx.body(handler.body)
    elif variable is not None and variable.cell:
        ctx.write(variable, caught, handler)
        unbound = ast.parse(f"{name} = None\ndel {name}").body
        for part in (part for statement in unbound for part in walk(statement)):
            if isinstance(part, (ast.expr, ast.stmt)):
                part.lineno, part.col_offset = 0, -1
        lower_try(ctx, ast.copy_location(ast.Try(handler.body, [], [], unbound), handler))
    else:
        # Nothing outside the clause names it, so a register of its own does.
        names = {name: LocalName(ctx.builder.register(name))}
        ctx.write(names[name], caught, handler)
        with ctx.scope(names):
            ctx.body(handler.body)


def _matches(ctx: FunctionContext, types: ast.expr, exception: Reg) -> Reg:
    if (known := static_types(ctx, types)) is None:
        return ctx.truth(ctx.native("isinstance", (exception, ctx.value(types)), types), types)
    return ctx.give(TypeTest(ctx.fresh(), exception, known, span=ctx.span(types)))


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


def lower_try_star(ctx: FunctionContext, node: ast.TryStar) -> None:
    """`try` with `except*`, `else` and `finally`."""
    if node.finalbody:
        inner = ast.copy_location(ast.TryStar(node.body, node.handlers, node.orelse, []), node)
        lower_try(ctx, ast.copy_location(ast.Try([inner], [], [], node.finalbody), node))
        return
    exception, dispatch = _watched(ctx, lambda: ctx.body(node.body), [], "try", "except")
    after = ctx.builder.label("after")
    if ctx.builder.open:
        if node.orelse:
            ctx.builder.start(ctx.builder.label("else"))
            ctx.body(node.orelse)
        ctx.jump(after, node)
    ctx.builder.start(dispatch)
    rest = ctx.give(Move(ctx.fresh(), exception, span=ctx.span(node)))
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
    if any(isinstance(n, ast.Raise) and n.exc is None for s in handler.body for n in walk(s)):
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
    frame = TryFrame([])
    ctx.frames.append(frame)
    _handled(ctx, handler, matching)
    ctx.frames.pop()
    ctx.jump(further, handler)
    caught, failed = ctx.builder.register(), ctx.builder.label("failed")
    ctx.builder.handle(frozenset({mine, *ctx.builder.labels_since(mark)} - frame.excluded), failed, caught)
    ctx.builder.start(failed)
    ctx.virtual(raised, "append", (caught,), handler)
    ctx.jump(further, handler)
    ctx.builder.start(further)


def lower_with(ctx: FunctionContext, node: ast.With | ast.AsyncWith) -> None:
    """`with a as x, b: ...`; several managers nest."""
    _managed(ctx, node, 0)


def _managed(ctx: FunctionContext, node: ast.With | ast.AsyncWith, position: int) -> None:
    if position == len(node.items):
        ctx.body(node.body)
        return
    item = node.items[position]
    where = item.context_expr
    if isinstance(where, ast.Call) and ctx.denotation(where.func) == ExternalName("contextlib.suppress"):
        _suppressed(ctx, node, position, where)
        return
    manager = LocalName(ctx.builder.register())
    ctx.write(manager, ctx.value(where), where)
    waits = isinstance(node, ast.AsyncWith)
    ctx.native("need_manager", (manager.register, ctx.constant(waits, where)), where)
    value = ctx.virtual(manager.register, "__aenter__" if waits else "__enter__", (), where)
    if waits:
        value = awaited(ctx, value, where)
    # The exit call is a piece of syntax, because it is lowered wherever the body is left; it needs a name to call.
    name = f"<manager {manager.register}>"
    ctx.locals[name] = manager
    final = [_exit_call(name, where, waits)]

    def body() -> None:
        if item.optional_vars is not None:
            ctx.assign(item.optional_vars, value)
        _managed(ctx, node, position + 1)

    exception, raised = _watched(ctx, body, final, "with", "raised")
    after = ctx.builder.label("after")
    if ctx.builder.open:
        ctx.builder.start(ctx.builder.label("exit"))
        ctx.body(final)
        ctx.jump(after, node)
    ctx.builder.start(raised)
    details = (ctx.native("type", (exception,), where), exception, ctx.constant(None, where))
    swallowed = ctx.virtual(manager.register, "__aexit__" if waits else "__exit__", details, where)
    if waits:
        swallowed = awaited(ctx, swallowed, where)
    again = ctx.builder.label("again")
    ctx.branch(swallowed, after, again, where)
    ctx.builder.start(again)
    ctx.builder.end(Throw(exception, span=ctx.span(where)))
    ctx.builder.start(after)


def _exit_call(name: str, where: ast.expr, waits: bool) -> ast.stmt:
    text = "await manager.__aexit__(None, None, None)" if waits else "manager.__exit__(None, None, None)"
    call = ast.parse(text).body[0]
    for part in walk(call):
        if isinstance(part, ast.Name):
            part.id = name
        if isinstance(part, (ast.expr, ast.stmt)):
            part.lineno, part.col_offset = where.lineno, where.col_offset
    return call


def _suppressed(ctx: FunctionContext, node: ast.With | ast.AsyncWith, position: int, call: ast.Call) -> None:
    """`with suppress(E): ...` is `try: ... except E: pass`."""
    types = ast.copy_location(ast.Tuple(call.args, ast.Load()), call)
    handler = ast.copy_location(ast.ExceptHandler(types, None, [ast.copy_location(ast.Pass(), call)]), call)
    body = node.body
    if position + 1 < len(node.items):
        body = [ast.copy_location(type(node)(node.items[position + 1 :], node.body), node)]
    lower_try(ctx, ast.copy_location(ast.Try(body, [handler], [], []), node))
