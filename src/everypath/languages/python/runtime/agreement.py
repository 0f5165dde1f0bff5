"""Whether a run followed the predicted path, judged by the statements it executed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from everypath.cases.model import CallCase
from everypath.languages.python.runtime.verdict import Verdict

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
        self._function: dict[int, tuple[int, str]] = {}
        """line -> first line of the outermost function around it, and its name unless it is a method"""
        for function, name in _functions(tree):
            lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
            self._function.update(dict.fromkeys(lines, (function.lineno, name)))

    def executed(self, lines: Iterable[int]) -> set[int]:
        """The first lines of the statements that these lines belong to."""
        return {self._statement[line] for line in lines if line in self._statement}

    def seen(self, predicted: set[int], verdict: Verdict) -> set[int]:
        """The statements that a run as predicted is seen to execute.

        Modules of the library replace some of their functions by compiled ones when they are imported. Where the path
        goes through such a function, nothing is seen of what only that one calls.
        """
        functions = {self._function[line] for line in predicted if line in self._function}
        if not any(name in verdict.compiled for _, name in functions):
            return predicted
        entered = {self._function.get(line) for line in verdict.lines}
        return {line for line in predicted if self._function.get(line) in entered}


def disagreement(case: CallCase, verdict: Verdict, statements: Statements) -> str | None:
    """What the run did other than predicted; None when it followed the path, or was not seen at all."""
    if not verdict.lines:
        return None
    traced = statements.executed(step.line for step in case.trace if step.file == case.entry.file)
    predicted = statements.seen(traced, verdict)
    actual = statements.executed(verdict.lines)
    if predicted == actual:
        return None
    missing = ", ".join(map(str, sorted(predicted - actual)))
    surplus = ", ".join(map(str, sorted(actual - predicted)))
    parts = [f"did not execute line {missing}"] * bool(missing) + [f"executed line {surplus}"] * bool(surplus)
    return " and ".join(parts)


def _functions(node: ast.AST, in_class: bool = False) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """The outermost functions, with their names unless they are methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child, "" if in_class else child.name
        else:
            yield from _functions(child, in_class or isinstance(child, ast.ClassDef))


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
