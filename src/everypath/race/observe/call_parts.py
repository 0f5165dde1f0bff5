"""The calls that one source makes one after the other, and the parts of a call that can be divided while it runs.

A `with` block enters and, later, leaves; what goes through a generator asks it for one element after the other;
`sut.wrap(f)()` calls what a call has returned. And in `sut.run(f)` the class does something before `f` runs and
something afterwards: who hands in a function knows that it runs in the middle. A method that only repeats another one
(`repeating.py`) is as many calls. Between two such parts another thread may run, in an order without interleaving, too.
So each but the first begins with an announcement, at which a schedule can switch.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from everypath.race.observe.accesses import NAME
from everypath.race.running import DIVISIONS, GENERATORS, SHARED


class _NextCall(ast.Pass):
    """Another call begins here."""


class NextRound(ast.Pass):
    """A method of the object repeats one of its operations here."""


class _Elements(ast.Await):
    """What is asked for its elements, each time by a call of its own."""


class _Result(ast.Await):
    """What a call has returned and another call is made on."""


class _Argument(ast.Await):
    """An argument of a call on the shared object; it may be a function."""


class _Inside(ast.Await):
    """The body of a lambda expression that the caller wrote."""


_ASKED = 3
"""At most this many calls of a generator are told apart: for the first elements, and for all that follow."""
MOST_DIVISIONS = 3
"""A call is divided at most this often while it runs; what comes after further divisions belongs to the last part."""


def call_count(source: str) -> int:
    """How many calls and parts of calls a source makes, as far as its runs have shown, if none of them raises."""
    return (_ASKED if source in GENERATORS else _marked(source)) + min(DIVISIONS.get(source, 0), MOST_DIVISIONS)


@lru_cache(maxsize=4096)
def _marked(source: str) -> int:
    marked = apart([_Marking().visit(each) for each in ast.parse(source).body])
    return 1 + sum(isinstance(node, (_NextCall, _Result)) for each in marked for node in ast.walk(each))


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


def marked_calls(tree: ast.AST) -> None:
    """Mark the results on which a source makes further calls, and the functions that it hands in."""
    _Marking().visit(tree)


class _Marking(ast.NodeTransformer):
    """Marks results and functions in calls on the shared object."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if _on_shared(node.func):
            node.func = _after_the_result(node.func)
            node.args = [_argument(each) for each in node.args]
            for keyword in node.keywords:
                keyword.value = _argument(keyword.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self.generic_visit(node)
        node.body = ast.copy_location(_Inside(node.body), node.body)
        return node


def _on_shared(node: ast.expr) -> bool:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Await)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id == SHARED


def _after_the_result(node: ast.expr) -> ast.expr:
    """The function of a call, with a mark around the call from whose result it comes."""
    match node:
        case ast.Call():
            return ast.copy_location(_Result(node), node)
        case ast.Attribute() | ast.Subscript():
            node.value = _after_the_result(node.value)
    return node


def _argument(node: ast.expr) -> ast.expr:
    return ast.copy_location(_Argument(node), node) if isinstance(node, (ast.Name, ast.Call)) else node


class Announcing(ast.NodeTransformer):
    """Turns the marks in rewritten code into announcements."""

    def __init__(self, source: str) -> None:
        self._source = source

    def visit__Elements(self, node: _Elements) -> ast.expr:
        return self._hook("one_by_one", node, self.visit(node.value), ast.Constant(self._source))

    def visit__Result(self, node: _Result) -> ast.expr:
        return self._hook("then", node, self.visit(node.value))

    def visit__Argument(self, node: _Argument) -> ast.expr:
        return self._hook("handed_in", node, self.visit(node.value))

    def visit__Inside(self, node: _Inside) -> ast.expr:
        begun = self._hook("inside", node, ast.Constant(self._source))
        return self._hook("outside", node, begun, self.visit(node.value))

    def visit_NextRound(self, node: NextRound) -> ast.stmt:
        return ast.copy_location(ast.Expr(self._hook("next_round", node)), node)

    def visit__NextCall(self, node: _NextCall) -> ast.stmt:
        return ast.copy_location(ast.Expr(self._hook("next_call", node)), node)

    @staticmethod
    def _hook(name: str, node: ast.AST, *arguments: ast.expr) -> ast.expr:
        hook = ast.Attribute(ast.Name(NAME, ast.Load()), name, ast.Load())
        return ast.copy_location(ast.Call(hook, list(arguments), []), node)
