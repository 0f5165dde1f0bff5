"""What a path has decided, in the words of the source: conditions, rounds of loops, exceptions that were caught.

The names of tests are made of these. They are given as conditions, and lines are only used to find them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, deque
from collections.abc import Iterator

from everypath.cases.model import CallCase, Raised

_ROUNDS = ("no", "one_of", "two_of", "three_of")
_AROUND = frozenset("enumerate reversed sorted list tuple range len".split())
_TIMES = ("never", "once", "twice", "three_times")
_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)


class Decisions:
    """The places of a source file where paths part; of its tree nothing is kept."""

    def __init__(self, tree: ast.Module) -> None:
        self._tests: dict[int, list[tuple[str, int, range]]] = {}
        """line of a condition -> its text, the line that follows when it holds, and its lines"""
        self._loops: list[tuple[int, int, str, bool]] = []
        """line of a loop, that of its body, its condition or what it goes through, and whether it is a condition"""
        self._reached: dict[int, str] = {}
        """first line of what follows a pattern or an exception -> what that says"""
        self._functions: list[range] = []
        """the lines of each function"""
        # Expressions hold no statements, so there is no need to look into them: they are most of a tree.
        pending: deque[ast.AST] = deque([tree])
        while pending:
            node = pending.popleft()
            self._note(node)
            for part in node._fields:
                if isinstance(inner := getattr(node, part), list):
                    pending += [each for each in inner if isinstance(each, _HOLDERS)]

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.If(test=test, body=[first, *_]) if first.lineno > (test.end_lineno or 0):
                lines = range(node.lineno, (test.end_lineno or test.lineno) + 1)
                told = (_text(test), first.lineno, lines)
                for line in lines:
                    self._tests.setdefault(line, []).append(told)
            case ast.While(test=test, body=[first, *_]) if first.lineno > node.lineno:
                self._loops.append((node.lineno, first.lineno, _text(test), True))
            case ast.For(iter=each, body=[first, *_]) | ast.AsyncFor(iter=each, body=[first, *_]):
                if first.lineno > node.lineno:
                    self._loops.append((node.lineno, first.lineno, _text(_gone_through(each)), False))
            case ast.ExceptHandler(type=caught, body=[first, *_]) if first.lineno > node.lineno:
                name = _last_name(caught) if caught is not None else "error"
                if name:
                    self._reached[first.lineno] = f"caught_{re.sub('(?<=[a-z])(?=[A-Z])', '_', name)}"
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                first_line = min(each.lineno for each in (node, *node.decorator_list))
                self._functions.append(range(first_line, (node.end_lineno or node.lineno) + 1))
            case ast.match_case(pattern=pattern, body=[first, *_]) if first.lineno > pattern.lineno:
                self._reached[first.lineno] = f"case_({_text(pattern)!r})"

    def of(self, case: CallCase) -> list[str]:
        """The decisions on the path of a case, the last one first; those of the function itself before those it calls.

        Where the path ends with an exception, what led to that may well be said elsewhere.
        """
        decided = [*self._conditions(case)]
        decided.reverse()
        if not isinstance(case.expected.outcome, Raised):
            own = self._lines_of(case.entry.line)
            decided.sort(key=lambda each: each[0] not in own)
        return list(dict.fromkeys([*(text for _, text in decided), *self._others(case)]))

    def _lines_of(self, line: int) -> range:
        """Those of the innermost function around a line."""
        around = [lines for lines in self._functions if line in lines]
        return min(around, key=len, default=range(0))

    def _conditions(self, case: CallCase) -> Iterator[tuple[int, str]]:
        """The line and the text of each condition that was decided."""
        for branch in case.covers:
            file, _, lines = branch.rpartition(":")
            start, _, end = lines.partition("->")
            if file != case.entry.file or not (start.isdigit() and end.isdigit()):
                continue
            for text, holds, own in self._tests.get(int(start), ()):
                if int(end) not in own:
                    yield int(start), text if int(end) == holds else f"not ({text})"

    def _others(self, case: CallCase) -> Iterator[str]:
        lines = Counter(step.line for step in case.trace if step.file == case.entry.file)
        for line, body, text, conditional in self._loops:
            rounds = lines[body]
            if line in lines and rounds < len(_ROUNDS):
                if not conditional:
                    yield f"{_ROUNDS[rounds]}_({text})"
                elif rounds:
                    yield f"while_(({text}), {_TIMES[rounds]})"
                else:
                    yield f"not ({text})"
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
