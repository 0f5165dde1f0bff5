"""What a path has decided, in the words of the source: conditions, rounds of loops, exceptions that were caught.

The names of tests are made of these. They are given as conditions, and lines are only used to find them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from everypath.cases.model import CallCase
from everypath.languages.python.frontend.syntax import shared_tree

_ROUNDS = ("no", "one_of", "two_of", "three_of")
_AROUND = frozenset("enumerate reversed sorted list tuple range len".split())
_TIMES = ("never", "once", "twice", "three_times")


class Decisions:
    """The places of a source file where paths part."""

    def __init__(self, tree: ast.Module) -> None:
        self._tests: dict[int, list[tuple[str, int, range]]] = {}
        """line of a condition -> its text, the line that follows when it holds, and its lines"""
        self._loops: list[tuple[int, int, ast.For | ast.AsyncFor | ast.While]] = []
        """line of a loop, that of its body, and the loop"""
        self._reached: dict[int, str] = {}
        """first line of what follows a pattern or an exception -> what that says"""
        for node in ast.walk(tree):
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.If(test=test, body=[first, *_]) if first.lineno > (test.end_lineno or 0):
                lines = range(node.lineno, (test.end_lineno or test.lineno) + 1)
                for line in lines:
                    self._tests.setdefault(line, []).append((_text(test), first.lineno, lines))
            case ast.For(body=[first, *_]) | ast.AsyncFor(body=[first, *_]) | ast.While(body=[first, *_]):
                if first.lineno > node.lineno:
                    self._loops.append((node.lineno, first.lineno, node))
            case ast.ExceptHandler(type=caught, body=[first, *_]) if first.lineno > node.lineno:
                name = _last_name(caught) if caught is not None else "error"
                if name:
                    self._reached[first.lineno] = f"caught_{re.sub('(?<=[a-z])(?=[A-Z])', '_', name)}"
            case ast.match_case(pattern=pattern, body=[first, *_]) if first.lineno > pattern.lineno:
                self._reached[first.lineno] = f"case_({_text(pattern)!r})"

    def of(self, case: CallCase) -> list[str]:
        """The decisions on the path of a case, the last one first."""
        return list(dict.fromkeys([*reversed([*self._conditions(case)]), *self._others(case)]))

    def _conditions(self, case: CallCase) -> Iterator[str]:
        for branch in case.covers:
            file, _, lines = branch.rpartition(":")
            start, _, end = lines.partition("->")
            if file != case.entry.file or not (start.isdigit() and end.isdigit()):
                continue
            for text, holds, own in self._tests.get(int(start), ()):
                if int(end) not in own:
                    yield text if int(end) == holds else f"not ({text})"

    def _others(self, case: CallCase) -> Iterator[str]:
        lines = Counter(step.line for step in case.trace if step.file == case.entry.file)
        for line, body, loop in self._loops:
            rounds = lines[body]
            if line in lines and rounds < len(_ROUNDS):
                if not isinstance(loop, ast.While):
                    yield f"{_ROUNDS[rounds]}_({_text(_gone_through(loop.iter))})"
                elif rounds:
                    yield f"while_(({_text(loop.test)}), {_TIMES[rounds]})"
                else:
                    yield f"not ({_text(loop.test)})"
        yield from (text for line, text in self._reached.items() if line in lines)


def _gone_through(node: ast.expr) -> ast.expr:
    """The collection behind `enumerate(xs)` or `range(len(xs))`."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in _AROUND:
            return _gone_through(inner)
    return node


def _text(node: ast.AST) -> str:
    """The source of an expression, without meaning where it is too long to be written down."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return "?"


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


@lru_cache(maxsize=4)
def _read(source: bytes) -> Decisions:
    return Decisions(shared_tree(source))


def decisions_in(file: Path) -> Decisions:
    """Those of a source file; none where it cannot be read any more."""
    try:
        return _read(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return Decisions(ast.Module([], []))
