"""The end of a run on the terminal: counts, findings and problems; plain lines where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, TextIO, TypeVar

from everypath.cases.model import CallSuite, Finding, Problem, Stats
from everypath.report.summary import Row, cut_text, row_of, table_lines
from everypath.report.watching import is_watched

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["cut_text", "print_rows", "print_summary"]

_T = TypeVar("_T")
_CONTROL_CODES = dict.fromkeys(map(ord, "\a\b\v\f\r"))
"""A name or message of the program must not move the cursor."""
_COLUMNS = ("target", "cases", "findings", "cut", "infeasible", "unsupported", "unknown", "seconds")


def print_summary(suites: Sequence[CallSuite], stream: TextIO | None = None, console: Console | None = None) -> None:
    """Print the counts of some suites, their findings and their problems."""
    print_rows([row_of(suite) for suite in suites], stream, console)


def print_rows(
    rows: Sequence[Row], stream: TextIO | None = None, console: Console | None = None, *, by_module: bool = False
) -> None:
    """Print the end of a run: a table `by_module`, else all counts of each function; then findings and problems."""
    stream = stream or sys.stderr
    if console is None and is_watched(stream):
        from rich.console import Console

        console = Console(file=stream, highlight=False, soft_wrap=True)
    told = [row for row in rows if row.refused is None]
    if console is not None and console.is_terminal:
        show = _styled(console)
        if not by_module:
            console.print(_table(told))
    else:
        show = _unstyled(console.file if console is not None else stream)
        if not by_module:
            for row in told:
                show(_sentence(row), "")
    if by_module:
        for line in table_lines(rows):
            show(line, "")
    for finding in _unique([finding for row in told for finding in row.findings]):
        show(_finding_line(finding), "bold red")
    listed = [row for row in told if not by_module or row.obstacle is None]
    for problem in _unique([problem for row in listed for problem in row.problems]):
        show(_problem_line(problem), "yellow")


def _cells(row: Row) -> list[str]:
    stats = row.stats or Stats()
    return [
        row.target,
        f"{row.cases} of {row.cases + stats.left_out}" if stats.left_out else str(row.cases),
        str(len(row.findings)),
        cut_text(stats),
        str(stats.infeasible),
        str(len(stats.unsupported)),
        str(stats.unknown),
        f"{stats.seconds:.2f}",
    ]


def _table(rows: Sequence[Row]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for i, column in enumerate(_COLUMNS):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    for row in rows:
        cells = [Text(cell) for cell in _cells(row)]
        if cells[2].plain != "0":
            cells[2].stylize("bold red")
        table.add_row(*cells)
    return table


def _sentence(row: Row) -> str:
    target, *cells = _cells(row)
    shown = zip(_COLUMNS[1:], cells, strict=True)
    return f"{target}: " + ", ".join(f"{name} {cell}" for name, cell in shown)


def _finding_line(finding: Finding) -> str:
    return f"{_place(finding.file, finding.line)}: {finding.kind}: {finding.message}"


def _problem_line(problem: Problem) -> str:
    return " ".join(f"{_place(problem.file, problem.line)}: {problem.kind}: {problem.message}".split())


def _place(file: str, line: int) -> str:
    return f"{file}:{line}" if line else file or "<unknown>"


def _unique(things: Sequence[_T]) -> list[_T]:
    return list(dict.fromkeys(things))


def _styled(console: Console) -> Callable[[str, str], None]:
    from rich.text import Text

    return lambda text, style: console.print(Text(text, style=style))


def _unstyled(stream: IO[str]) -> Callable[[str, str], None]:
    def show(text: str, _style: str) -> None:
        print(text.translate(_CONTROL_CODES), file=stream)

    return show
