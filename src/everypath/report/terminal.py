"""The end of a run on the terminal: counts, findings and problems; plain lines where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from everypath.suite.model import Finding, Problem, Stats, Suite

_T = TypeVar("_T")
_COLUMNS = ("target", "cases", "findings", "cut", "infeasible", "unsupported", "unknown", "seconds")


def print_summary(suites: Sequence[Suite], stream: TextIO | None = None, console: Console | None = None) -> None:
    """Print the table of a run, its findings and its problems."""
    console = console or Console(file=stream or sys.stderr, highlight=False, soft_wrap=True)
    if console.is_terminal:
        console.print(_table(suites))
    else:
        for suite in suites:
            _plain(console, _sentence(suite))
    findings = [case.finding for suite in suites for case in suite.cases if case.finding is not None]
    for finding in _unique(findings):
        _plain(console, _finding_line(finding), "bold red")
    for problem in _unique([problem for suite in suites for problem in _problems(suite)]):
        _plain(console, _problem_line(problem), "yellow")


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


def _plain(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style))
