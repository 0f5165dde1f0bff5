"""`with` statements: enter, run the body, and exit on every way out.

This is the `try` statement of the language reference, section 8.5, with the call of `__exit__` for its `finally` part:
it gets None three times on the way out of the body, and the exception where there is one, which it may swallow.
"""

from __future__ import annotations

import ast

from everypath.ir.instructions import Throw
from everypath.languages.python.frontend.context import FunctionContext, TryFrame
from everypath.languages.python.frontend.names import ExternalName, LocalName
from everypath.languages.python.frontend.resumable import awaited
from everypath.languages.python.frontend.tries import lower_try


def lower_with(ctx: FunctionContext, node: ast.With | ast.AsyncWith) -> None:
    """`with a as x, b: ...`; several managers nest."""
    _managed(ctx, node, 0)


def _managed(ctx: FunctionContext, node: ast.With | ast.AsyncWith, position: int) -> None:
    if position == len(node.items):
        ctx.body(node.body)
        return
    item = node.items[position]
    if _is_suppress(ctx, item.context_expr):
        assert isinstance(item.context_expr, ast.Call)
        _suppressed(ctx, node, position, item.context_expr)
        return
    where = item.context_expr
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
    frame = TryFrame([_exit_call(name, where, waits)])
    ctx.builder.start(ctx.builder.label("with"))
    mark = ctx.builder.mark()
    ctx.frames.append(frame)
    if item.optional_vars is not None:
        ctx.assign(item.optional_vars, value)
    _managed(ctx, node, position + 1)
    ctx.frames.pop()
    covered = ctx.builder.labels_since(mark) - frame.excluded
    exception, raised, after = ctx.builder.register(), ctx.builder.label("raised"), ctx.builder.label("after")
    ctx.builder.handle(frozenset(covered), raised, exception)
    if ctx.builder.open:
        ctx.builder.start(ctx.builder.label("exit"))
        ctx.body(frame.final)
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
    for part in ast.walk(call):
        if isinstance(part, ast.Name):
            part.id = name
        if isinstance(part, (ast.expr, ast.stmt)):
            part.lineno, part.col_offset = where.lineno, where.col_offset
    return call


def _is_suppress(ctx: FunctionContext, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ctx.denotation(node.func) == ExternalName("contextlib.suppress")


def _suppressed(ctx: FunctionContext, node: ast.With | ast.AsyncWith, position: int, call: ast.Call) -> None:
    """`with suppress(E): ...` is `try: ... except E: pass`."""
    types = ast.copy_location(ast.Tuple(call.args, ast.Load()), call)
    handler = ast.copy_location(ast.ExceptHandler(types, None, [ast.copy_location(ast.Pass(), call)]), call)
    body = node.body
    if position + 1 < len(node.items):
        body = [ast.copy_location(type(node)(node.items[position + 1 :], node.body), node)]
    lower_try(ctx, ast.copy_location(ast.Try(body, [handler], [], []), node))
