"""The Python text that a program becomes, with the place in the ABS source that each line stands for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from everypath.errors import NOWHERE, Span

FILE = "<everypath: translated ABS>"


class Text:
    """Lines under construction."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.spans: list[Span] = []
        self._indent = ""

    def add(self, line: str, span: Span = NOWHERE) -> None:
        """One line at the current depth."""
        self.lines.append(self._indent + line)
        self.spans.append(span)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """The lines inside stand below the last one; there is always at least one."""
        before, count = self._indent, len(self.lines)
        self._indent = before + " "
        try:
            yield
            if len(self.lines) == count:
                self.add("pass")
        finally:
            self._indent = before

    def include(self, other: Text) -> None:
        """Lines made elsewhere, at the current depth."""
        for line, span in zip(other.lines, other.spans):
            self.add(line, span)


def place(traceback: TracebackType | None, spans: list[Span]) -> Span:
    """Where in the source an exception came from: the innermost line that is not the library's."""
    user = library = NOWHERE
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            span = spans[traceback.tb_lineno - 1]
            if span.file.startswith("<"):
                library = span
            elif span.file:
                user = span
        traceback = traceback.tb_next
    return user if user.file else library
