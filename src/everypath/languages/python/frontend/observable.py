"""Which statements of a file a run is seen to execute, judging by nothing but the lines that the interpreter reports.

Only statements inside functions count: those of modules and classes run once, at import, before any call is watched.
And only those that have their lines to themselves, so that a line stands for one statement.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

_SOLID = (ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Delete)
"""Statements that the interpreter never optimises away and reports whenever they start; so are plain calls."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class ObservableStatements:
    """The statements of a file whose execution can be told from the lines alone."""

    def __init__(self, tree: ast.Module) -> None:
        self._statement: dict[int, int] = {}
        """line -> first line of the statement that it belongs to"""
        self._function: dict[int, tuple[int, str]] = {}
        """line -> first line of the outermost function around it, and its name unless it is a method"""
        starts: Counter[int] = Counter()
        solid: list[ast.stmt] = []
        blamed: set[int] = set()
        # Statements are never part of expressions, so there is no need to look into those: they are most of a tree.
        # A list instead of recursion, because every `elif` is one level deeper.
        pending: list[tuple[ast.stmt, bool, bool]] = [(node, False, False) for node in tree.body]
        while pending:
            node, in_function, in_class = pending.pop()
            starts[node.lineno] += 1
            if in_function and _is_solid(node):
                solid.append(node)
            if isinstance(node, ast.Try):
                blamed |= _blamed(node)
            if isinstance(node, _FUNCTIONS) and not in_function:
                self._function.update(dict.fromkeys(_lines(node), (node.lineno, "" if in_class else node.name)))
            in_function = in_function or isinstance(node, _FUNCTIONS)
            in_class = in_class or isinstance(node, ast.ClassDef)
            pending += [(inner, in_function, in_class) for inner in _inside(node)]
        for node in solid:
            alone = all(starts[line] <= (line == node.lineno) for line in _lines(node))
            if alone and node.end_lineno not in blamed:
                self._statement.update(dict.fromkeys(_lines(node), node.lineno))

    def executed(self, lines: Iterable[int]) -> set[int]:
        """The first lines of the statements that these lines belong to."""
        return {self._statement[line] for line in lines if line in self._statement}

    def seen(self, predicted: set[int], lines: Iterable[int], compiled: Collection[str]) -> set[int]:
        """The statements that a run as predicted is seen to execute, given the lines that it did execute.

        Modules of the library replace some of their functions by compiled ones when they are imported. Where the path
        goes through such a function, nothing is seen of what only that one calls.
        """
        functions = {self._function[line] for line in predicted if line in self._function}
        if not any(name in compiled for _, name in functions):
            return predicted
        entered = {self._function.get(line) for line in lines}
        return {line for line in predicted if self._function.get(line) in entered}


def _inside(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly inside of a compound one."""
    for block in ("body", "orelse", "finalbody"):
        yield from getattr(statement, block, ())
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield from part.body


def _is_solid(node: ast.stmt) -> bool:
    return isinstance(node, _SOLID) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))


def _blamed(node: ast.Try) -> set[int]:
    """The last line of a `finally` part that ends in a compound statement.

    The interpreter reports that line when it raises an exception again there, whether its statement has run or not.
    """
    if node.finalbody and hasattr(node.finalbody[-1], "body"):
        return {node.finalbody[-1].end_lineno or 0}
    return set()


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
