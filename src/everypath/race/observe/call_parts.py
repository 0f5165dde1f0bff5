"""The calls that one source makes one after the other.

A `with` block enters and, later, leaves; what goes through a generator asks it for one element after the other. Between
two of them another thread may run, in an order without interleaving, too. So each but the first begins with an
announcement, at which a schedule can switch.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from everypath.race.observe.accesses import NAME
from everypath.race.running import GENERATORS


class _NextCall(ast.Pass):
    """Another call begins here."""


class _Elements(ast.Await):
    """What is asked for its elements, each time by a call of its own."""


_ASKED = 3
"""At most this many calls of a generator are told apart: for the first elements, and for all that follow."""


def call_count(source: str) -> int:
    """How many calls a source makes, if none of them raises."""
    return _ASKED if source in GENERATORS else _marked(source)


@lru_cache(maxsize=4096)
def _marked(source: str) -> int:
    marked = apart(ast.parse(source).body)
    return 1 + sum(isinstance(node, _NextCall) for each in marked for node in ast.walk(each))


def apart(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements with a mark at the beginning of each call but the first."""
    made: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, ast.With):
            inside = apart([each for each in statement.body if not isinstance(each, ast.Pass)])
            statement.body = [_NextCall(), *inside, *([_NextCall()] if inside else [])]
        made += [_NextCall(), statement] if made else [statement]
    return made


def by_elements(value: ast.expr) -> ast.expr:
    """An expression such as `list(sut.items())`, with a mark around what it goes through."""
    match value:
        case ast.Call(func=ast.Name(id="list"), args=[ast.Call() as inner], keywords=[]):
            value.args = [ast.copy_location(_Elements(inner), inner)]
    return value


class Announcing(ast.NodeTransformer):
    """Turns the marks in rewritten code into announcements."""

    def __init__(self, source: str) -> None:
        self._source = source

    def visit__Elements(self, node: _Elements) -> ast.expr:
        hook = ast.Attribute(ast.Name(NAME, ast.Load()), "one_by_one", ast.Load())
        return ast.copy_location(ast.Call(hook, [node.value, ast.Constant(self._source)], []), node)

    def visit__NextCall(self, node: _NextCall) -> ast.stmt:
        hook = ast.Attribute(ast.Name(NAME, ast.Load()), "next_call", ast.Load())
        return ast.copy_location(ast.Expr(ast.Call(hook, [], [])), node)
