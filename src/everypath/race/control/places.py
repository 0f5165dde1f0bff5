"""Where in the code under test the running thread is, for events that no rewritten code announces."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType, FrameType

from everypath.race.events import SITES, Site

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_ON_LOCKS = frozenset(
    "acquire release locked wait wait_for notify notify_all set clear is_set put get put_nowait get_nowait join "
    "task_done qsize empty full abort reset result set_result exception set_exception add_done_callback cancel "
    "__enter__ __exit__".split()
)
"""Methods of locks and of what is built on them: the text of such a call is what the method is called on."""
_LONGEST_TEXT = 80
Position = tuple[int | None, int | None, int | None, int | None]
"""Line, last line, column and last column."""
_UNKNOWN = "a lock"
_HOOKS = "__everypath_race__"
"""The name by which rewritten code, and only that, calls the hooks."""
_SKIPPED, _OTHER, _UNDER_TEST = range(3)


class Whereabouts:
    """Finds the frame that belongs to the code under test, and what its source says there."""

    def __init__(self) -> None:
        self._roots: tuple[str, ...] = ()
        self._ranks: dict[int, tuple[int, CodeType]] = {}
        """by identity, because comparing code objects would compare their contents"""
        self._sites: dict[tuple[int, int, str], int] = {}

    def under_test(self, roots: tuple[str, ...]) -> None:
        """These files, and files in these folders, are the code under test, and so is all rewritten code."""
        self._roots = tuple(root.rstrip(os.sep) + os.sep for root in roots)
        self._ranks.clear()
        self._sites.clear()

    def frame(self, start: FrameType | None) -> FrameType | None:
        """The innermost frame of code under test; else that of other code that is neither the library's nor our own."""
        fallback = None
        ranks = self._ranks
        frame = start
        while frame is not None:
            code = frame.f_code
            found = ranks.get(id(code))
            if found is None:
                found = ranks[id(code)] = self._rank(code), code
            if found[0] == _UNDER_TEST:
                return frame
            if found[0] == _OTHER and fallback is None:
                fallback = frame
            frame = frame.f_back
        return fallback

    def _rank(self, code: CodeType) -> int:
        file = code.co_filename
        if file.startswith(_OURS):
            return _SKIPPED
        if _HOOKS in code.co_names or f"{file}{os.sep}".startswith(self._roots):
            return _UNDER_TEST
        if file.startswith("<frozen ") or (file.startswith(_LIBRARY) and "site-packages" not in file):
            return _SKIPPED
        return _OTHER

    def site(self, start: FrameType | None, text: str = "") -> int:
        """The number of the site of the innermost frame of code under test, named by its source if not by `text`."""
        frame = self.frame(start)
        if frame is None:
            return SITES.number(Site("", 0, 0, "", text or _UNKNOWN))
        key = (id(frame.f_code), frame.f_lasti, text)
        found = self._sites.get(key)
        if found is None:
            found = self._sites[key] = SITES.number(_site(frame, text))
        return found


WHEREABOUTS = Whereabouts()


def current_site(ident: int | None = None) -> int:
    """The site at which the running thread, or another one, is."""
    return WHEREABOUTS.site(sys._getframe(1) if ident is None else sys._current_frames().get(ident))


def current_line() -> tuple[str, int]:
    """File and line of the code under test at which the running thread is."""
    frame = WHEREABOUTS.frame(sys._getframe(1))
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def _site(frame: FrameType, text: str) -> Site:
    code = frame.f_code
    positions = list(code.co_positions())
    index = frame.f_lasti // 2
    line, _, column, _ = positions[index] if 0 <= index < len(positions) else (None, None, None, None)
    line = line or frame.f_lineno
    shown = text or _operand(code.co_filename, positions[: index + 1]) or _line(code.co_filename, line)
    return Site(code.co_filename, line, (column or 0) + 1, code.co_qualname, shown)


def _operand(file: str, positions: Sequence[Position]) -> str | None:
    """What the source says at the last position: the object of a lock's method, else the expression."""
    nodes = _nodes(file)
    for node in map(nodes.get, reversed(positions)):
        if isinstance(node, ast.expr):
            return _named(node)
        # Entering a `with` statement may count as being at all of it; what was evaluated just before is the lock.
        if not isinstance(node, (ast.With, ast.AsyncWith)):
            return None
    return None


@lru_cache(maxsize=256)
def _nodes(file: str) -> dict[Position, ast.expr | ast.stmt]:
    """Expressions and statements of a file by where they begin and end."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[Position, ast.expr | ast.stmt] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt)):
            found[node.lineno, node.end_lineno, node.col_offset, node.end_col_offset] = node
    return found


def _line(file: str, line: int) -> str:
    return linecache.getline(file, line).strip()[:_LONGEST_TEXT] or _UNKNOWN


def _named(expression: ast.expr) -> str:
    if isinstance(expression, ast.Await):
        expression = expression.value
    called = expression.func if isinstance(expression, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr in _ON_LOCKS:
        expression = called.value
    return ast.unparse(expression)[:_LONGEST_TEXT]
