"""`async for`, written with what it means."""

from __future__ import annotations

import ast

from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.names import LocalName

_LOOP = """
iterator = source.__aiter__()
running = True
while running:
    try:
        target = await iterator.__anext__()
    except StopAsyncIteration:
        running = False
    else:
        pass
"""


def lower_for(ctx: FunctionContext, node: ast.AsyncFor) -> None:
    """`async for`: each element is awaited, until the iterator says that there is none."""
    names = {name: f"<{name} {node.lineno}:{node.col_offset}>" for name in ("source", "iterator", "running")}
    for hidden in names.values():
        ctx.locals[hidden] = LocalName(ctx.builder.register())
    ctx.write(ctx.locals[names["source"]], ctx.value(node.iter), node.iter)
    made = ast.parse(_LOOP).body
    for statement in made:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and part.id in names:
                part.id = names[part.id]
            if isinstance(part, (ast.stmt, ast.expr, ast.excepthandler)):
                ast.copy_location(part, node)
    loop = made[-1]
    assert isinstance(loop, ast.While)
    attempt = loop.body[0]
    assert isinstance(attempt, ast.Try)
    fetch = attempt.body[0]
    assert isinstance(fetch, ast.Assign)
    fetch.targets = [node.target]
    attempt.orelse = node.body
    loop.orelse = node.orelse
    ctx.body(made)
