"""The calls that one source makes one after the other: a `with` block enters and, later, leaves.

Between two of them another thread may run, in an order without interleaving, too. So each but the first begins with an
announcement, at which a schedule can switch.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from everypath.race.observe.accesses import NAME


class _NextCall(ast.Pass):
    """Another call begins here."""


@lru_cache(maxsize=4096)
def call_count(source: str) -> int:
    """How many calls a source makes, if none of them raises."""
    marked = apart(ast.parse(source).body)
    return 1 + sum(isinstance(node, _NextCall) for each in marked for node in ast.walk(each))


def apart(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements with a mark where each call but the first begins."""
    made: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, ast.With):
            inside = apart([each for each in statement.body if not isinstance(each, ast.Pass)])
            statement.body = [_NextCall(), *inside, *([_NextCall()] if inside else [])]
        made += [_NextCall(), statement] if made else [statement]
    return made


class Announcing(ast.NodeTransformer):
    """Turns the marks in rewritten code into announcements."""

    def visit__NextCall(self, node: _NextCall) -> ast.stmt:
        hook = ast.Attribute(ast.Name(NAME, ast.Load()), "next_call", ast.Load())
        return ast.copy_location(ast.Expr(ast.Call(hook, [], [])), node)
