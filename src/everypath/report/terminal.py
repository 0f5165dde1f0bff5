"""The end of a run on the terminal: counts, findings and problems; plain lines where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, TextIO, TypeVar

from everypath.report.watching import is_watched
from everypath.suite.model import Finding, Problem, Stats, Suite

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_T = TypeVar("_T")
_CONTROL_CODES = dict.fromkeys(map(ord, "\a\b\v\f\r"))
"""A name or message of the program must not move the cursor."""
_COLUMNS = ("target", "cases", "findings", "cut", "infeasible", "unsupported", "unknown", "seconds")


def print_summary(suites: Sequence[Suite], stream: TextIO | None = None, console: Console | None = None) -> None:
    """Print the table of a run, its findings and its problems."""
    stream = stream or sys.stderr
    if console is None and is_watched(stream):
        from rich.console import Console

        console = Console(file=stream, highlight=False, soft_wrap=True)
    if console is not None and console.is_terminal:
        console.print(_table(suites))
        show = _styled(console)
    else:
        show = _unstyled(console.file if console is not None else stream)
        for suite in suites:
            show(_sentence(suite), "")
    findings = [case.finding for suite in suites for case in suite.cases if case.finding is not None]
    for finding in _unique(findings):
        show(_finding_line(finding), "bold red")
    for problem in _unique([problem for suite in suites for problem in _problems(suite)]):
        show(_problem_line(problem), "yellow")


def cut_text(stats: Stats) -> str:
    """How many paths the bounds stopped, and which bounds."""
    parts = [f"{count} {kind}" for kind, count in stats.cut.items() if count]
    return f"{sum(stats.cut.values())} ({', '.join(parts)})" if parts else "0"


def _row(suite: Suite) -> list[str]:
    stats = suite.stats
    findings = sum(case.finding is not None for case in suite.cases)
    return [
        suite.target,
        str(len(suite.cases)),
        str(findings),
        cut_text(stats),
        str(stats.infeasible),
        str(len(stats.unsupported)),
        str(stats.unknown),
        f"{stats.seconds:.2f}",
    ]


def _table(suites: Sequence[Suite]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for i, column in enumerate(_COLUMNS):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    for suite in suites:
        cells = [Text(cell) for cell in _row(suite)]
        if cells[2].plain != "0":
            cells[2].stylize("bold red")
        table.add_row(*cells)
    return table


def _sentence(suite: Suite) -> str:
    target, *cells = _row(suite)
    shown = zip(_COLUMNS[1:], cells, strict=True)
    return f"{target}: " + ", ".join(f"{name} {cell}" for name, cell in shown)


def _problems(suite: Suite) -> list[Problem]:
    return [*suite.problems, *suite.stats.unsupported]


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
