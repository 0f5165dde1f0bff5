"""Lines about a run: in styles and tables on a terminal, plain in a pipe. Every report is printed here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from everypath.cases.model import Problem
from everypath.report.streams import CONTROL_CODES, complain, is_watched

if TYPE_CHECKING:
    from rich.console import Console

INDENT = "    "
_PIPE_WIDTH = 100
_NARROWEST, _WIDEST = 36, 150
_BETWEEN = 3
"""Characters between the columns of a drawn table."""
_ALWAYS = ("cases", "findings")
"""Counts that are told also where there are none."""


class Lines:
    """Prints one line after the other."""

    def __init__(self, stream: TextIO | None = None, console: Console | None = None) -> None:
        stream = stream or sys.stderr
        if console is None and is_watched(stream):
            from rich.console import Console

            console = Console(file=stream, highlight=False, soft_wrap=True)
        self._file = stream if console is None else console.file
        # Asked to draw where nobody watches, the library still says that this is no terminal.
        self._console = console if console is not None and console.is_terminal else None
        self.width = _readable_width(stream)
        self.room = None if self._console is None or self._is_log(stream) else self._console.width
        """how wide lines may be without being broken anywhere; None where nobody breaks them"""

    def _is_log(self, stream: TextIO) -> bool:
        """Whether a terminal is only pretended, so that whoever reads the file breaks its lines himself."""
        return self._file is stream and not stream.isatty()

    def show(self, text: str = "", style: str = "") -> None:
        """One line, in a style if it is drawn."""
        text = text.translate(CONTROL_CODES)
        if self._console is None:
            print(text, file=self._file)
            return
        from rich.text import Text

        for line in self._broken(text):
            self._console.print(Text(line, style=style))

    def _broken(self, text: str) -> list[str]:
        """The text in lines that fit, broken between words, so that paths and commands can be copied."""
        if self.room is None or len(text) <= self.room:
            return [text]
        from textwrap import wrap

        further = " " * (len(text) - len(text.lstrip(" ")) + 2)
        return wrap(text, self.room, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)

    def all(self, lines: Iterable[str], style: str = "") -> None:
        """One line after the other."""
        for line in lines:
            self.show(line, style)

    def indented(self, lines: Iterable[str], style: str = "", depth: int = 1) -> None:
        """Print lines that belong to the one above."""
        for line in lines:
            self.show(f"{INDENT * depth}{line}", style)

    def counts(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print the result of each target: a sentence, or a table if it fits; findings other than 0 stand out."""
        if self._console is None:
            for row in rows:
                self.show(sentence(columns, row))
            return
        kept = [i for i, name in enumerate(columns) if not i or _told(name, *(row[i] for row in rows))]
        columns, rows = [columns[i] for i in kept], [[row[i] for i in kept] for row in rows]
        widths = [max(map(len, cells)) for cells in zip(columns, *rows)]
        if sum(widths) + _BETWEEN * (len(widths) - 1) > self._console.width:
            for row in rows:
                self.show(row[0], "bold")
                self.show(f"  {sentence(columns, row).removeprefix(f'{row[0]}: ')}")
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(show_edge=False, pad_edge=False, header_style="bold")
        for i, column in enumerate(columns):
            table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
        for row in rows:
            cells = [Text(cell.translate(CONTROL_CODES)) for cell in row]
            for column, cell in zip(columns, cells):
                if column == "findings" and not cell.plain.startswith("0"):
                    cell.stylize("bold red")
            table.add_row(*cells)
        self._console.print(table)


def sentence(columns: Sequence[str], row: Sequence[str]) -> str:
    """The counts of one target as a line, also those that are zero: `target: cases 3, findings 0, cut 0`."""
    target, *cells = row
    told = [f"{name} {cell}" for name, cell in zip(columns[1:], cells, strict=True) if cell]
    return f"{target}: {', '.join(told)}"


def _told(column: str, *cells: str) -> bool:
    """Whether a table has a column: only if there is something to count."""
    return column in _ALWAYS or any(cell not in ("", "0") for cell in cells)


def counted(number: int, what: str) -> str:
    """`1 case`, `2 cases`"""
    return f"{number} {what}{'s' * (number != 1)}"


def place(file: str, line: int) -> str:
    """The place of something, as far as it is known."""
    return f"{file}:{line}" if line else file


def problem_line(problem: Problem, nowhere: str = "") -> str:
    """A problem or note as one line; `nowhere` stands for an unknown place."""
    where = place(problem.file, problem.line) or nowhere
    return " ".join(f"{f'{where}: ' if where else ''}{problem.kind}: {problem.message}".split())


def print_problems(problems: Iterable[Problem]) -> None:
    """Print what could not be done on the error stream, each problem once."""
    for problem in dict.fromkeys(problems):
        complain(problem_line(problem))


def _readable_width(stream: TextIO) -> int:
    """How wide lines may be: as wide as the terminal, within reason."""
    if not stream.isatty():
        return _PIPE_WIDTH
    # Brings all kinds of archives along, which takes a while.
    import shutil

    return max(_NARROWEST, min(shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns - 1, _WIDEST))
