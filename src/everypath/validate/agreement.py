"""Whether a run followed the predicted path, judged by the statements it executed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from everypath.suite.model import TestCase
from everypath.validate.verdict import Verdict

_SOLID = (ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Delete)
"""Statements that the interpreter never optimises away and reports whenever they start."""


class Statements:
    """The statements of a file whose execution can be told from the lines alone."""

    def __init__(self, source: str | bytes) -> None:
        tree = ast.parse(source)
        starts = Counter(node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt))
        self._statement: dict[int, int] = {}
        blamed = set(_blamed(tree))
        for node in _solid(tree):
            if node.end_lineno in blamed:
                continue
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if all(starts[line] <= (line == node.lineno) for line in lines):
                self._statement.update(dict.fromkeys(lines, node.lineno))

    def executed(self, lines: Iterable[int]) -> set[int]:
        """The first lines of the statements that these lines belong to."""
        return {self._statement[line] for line in lines if line in self._statement}


def disagreement(case: TestCase, verdict: Verdict, statements: Statements) -> str | None:
    """What the run did other than predicted; None when it followed the path, or was not seen at all."""
    if not verdict.lines:
        return None
    predicted = statements.executed(step.line for step in case.trace if step.file == case.entry.file)
    actual = statements.executed(verdict.lines)
    if predicted == actual:
        return None
    missing = ", ".join(map(str, sorted(predicted - actual)))
    surplus = ", ".join(map(str, sorted(actual - predicted)))
    parts = [f"did not execute line {missing}"] * bool(missing) + [f"executed line {surplus}"] * bool(surplus)
    return " and ".join(parts)


def _blamed(tree: ast.AST) -> Iterator[int]:
    """The last lines of `finally` parts that end in a compound statement.

    The interpreter reports such a line when it raises an exception again there, whether its statement has run or not.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.finalbody and hasattr(node.finalbody[-1], "body"):
            yield node.finalbody[-1].end_lineno or 0


def _solid(tree: ast.AST) -> Iterator[ast.stmt]:
    """Statements inside functions; those of modules and classes run once, at import, before any call is observed."""
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in (inner for statement in function.body for inner in ast.walk(statement)):
                if isinstance(node, _SOLID) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
                    yield node
