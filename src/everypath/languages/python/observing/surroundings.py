"""Where a function goes by what is around it: the platform, what its module holds, what the library answers or raises.

Paths are followed in the surroundings as they are. So although every path of a function was followed, a branch may be
missing that another environment variable, another entry in a registry or an error of the library leads to; a branch
that only inputs decide is then proved impossible. Which conditions are of the first kind is read off the tree: they
mention a variable of the module or something imported, themselves, behind local variables, or in functions of the same
file that they call. Functions are found by name alone, so that some too many are taken for such: what is missing there
is looked for once more, and not found.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from itertools import chain

from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.probing.outside import NEEDED
from everypath.records import dataclass

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOST_HOPS = 3
"""So many assignments or calls may lie between the surroundings and a condition."""
_ELSEWHERE = 0
"""The way on past a condition that has no `else`."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A statement by which a function goes one way or another."""

    lines: range
    """where its condition, or the first line of what may raise, stands"""
    ways: tuple[int, ...]
    """the lines that it leads to"""

    def is_open(self, lines: Collection[int], arcs: Collection[tuple[int, int]]) -> bool:
        """Whether it was reached, and some way on from it was not taken."""
        if self.lines.start not in lines:
            return False
        return any(way not in lines for way in self.ways if way) or (_ELSEWHERE in self.ways and not self._left(arcs))

    def _left(self, arcs: Collection[tuple[int, int]]) -> bool:
        own = {*self.lines, *self.ways}
        return any(start in self.lines and end not in own for start, end in arcs)


def left_open(tree: ast.Module, reached: Collection[int | tuple[int, int]]) -> frozenset[str]:
    """The functions with a decision of the surroundings of which a way is not taken by what was reached."""
    lines = {each for each in reached if isinstance(each, int)}
    arcs = {each for each in reached if isinstance(each, tuple)}
    outside = _Outside(tree)
    if not outside.names:
        return frozenset()
    return frozenset(
        qualname
        for qualname, function in _functions(tree.body, "")
        if any(decision.is_open(lines, arcs) for decision in outside.decisions(function))
    )


def _functions(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, ast.AST]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{owner}{node.name}.")
        elif isinstance(node, _Function):
            yield f"{owner}{node.name}", node
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
            yield from _functions(inner, owner)


class _Outside:
    """What in a file stands for its surroundings."""

    def __init__(self, tree: ast.Module) -> None:
        self.names = {name for node in walk(tree) for name in _imported(node)} | set(_variables(tree))
        self._answering: set[str] = set()
        functions = [node for node in walk(tree) if isinstance(node, _Function)] if self.names else []
        for _ in range(_MOST_HOPS):
            told = {node.name for node in functions if any(self._mentions(each, ()) for each in node.body)}
            if told <= self._answering:
                break
            self._answering |= told

    def decisions(self, function: ast.AST) -> Iterator[Decision]:
        """What the surroundings decide in a function."""
        local = self._local(function)
        for node in walk(function):
            match node:
                case ast.If(test=test) | ast.While(test=test) if self._mentions(test, local):
                    yield _decision(test, node.body, node.orelse)
                case ast.For(iter=test) | ast.AsyncFor(iter=test) if self._mentions(test, local):
                    yield _decision(test, node.body, node.orelse)
                case ast.Try() if any(self._may_raise(each, local) for each in node.body):
                    lines = range(node.body[0].lineno, node.body[0].lineno + 1)
                    yield Decision(lines, tuple(each.body[0].lineno for each in node.handlers))

    def _local(self, function: ast.AST) -> Collection[str]:
        """The local variables that got their values from the surroundings."""
        given = list(_given(function))
        local: set[str] = set()
        for _ in range(_MOST_HOPS):
            more = {name for name, value in given if name not in local and self._mentions(value, local)}
            if not more:
                break
            local |= more
        return local

    def _mentions(self, node: ast.AST, local: Collection[str]) -> bool:
        for part in walk(node):
            match part:
                case ast.Name(id=name) if name in self.names or name in local:
                    return True
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in self._answering:
                    return True
        return False

    def _may_raise(self, statement: ast.stmt, local: Collection[str]) -> bool:
        return any(
            isinstance(part, (ast.Import, ast.ImportFrom))
            or (isinstance(part, ast.Call) and self._mentions(part, local))
            for part in walk(statement)
        )


def _decision(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> Decision:
    ways = body[0].lineno, orelse[0].lineno if orelse else _ELSEWHERE
    lines = range(test.lineno, (test.end_lineno or test.lineno) + 1)
    # A body on the line of its condition cannot be told from it.
    return Decision(lines, () if body[0].lineno in lines else ways)


def _imported(node: ast.AST) -> Iterator[str]:
    """The names that an import binds, of modules of which a test can replace something."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.partition(".")[0] not in NEEDED:
                yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] not in NEEDED | {"__future__"}:
        yield from (alias.asname or alias.name for alias in node.names)


def _variables(tree: ast.Module) -> Iterator[str]:
    """The variables of a module, other than its functions and classes."""
    for node in tree.body:
        if not isinstance(node, (*_Function, ast.ClassDef)):
            parts = (part for part in walk(node) if isinstance(part, ast.Name))
            yield from (part.id for part in parts if isinstance(part.ctx, ast.Store))


def _given(function: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Local variables with what they are given."""
    for node in walk(function):
        targets: list[ast.expr] = []
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                targets = [target]
            case ast.NamedExpr(target=target, value=value):
                targets = [target]
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                targets = [target]
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                targets = [target]
            case _:
                continue
        for part in chain.from_iterable(walk(each) for each in targets):
            if isinstance(part, ast.Name):
                yield part.id, value
