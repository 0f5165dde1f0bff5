"""The end of a run over functions on the terminal: counts, findings and problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO, cast

from everypath.cases.model import CallSuite, Finding, SomeSuite, Stats
from everypath.report.lines import Lines, place, problem_line
from everypath.report.summary import Row, cut_text, row_of, table_lines

if TYPE_CHECKING:
    from rich.console import Console

_COLUMNS = ("target", "cases", "findings", "cut", "infeasible", "unsupported", "unknown", "seconds")
_NOWHERE = "<unknown>"


def print_summary(suites: Sequence[CallSuite], stream: TextIO | None = None, console: Console | None = None) -> None:
    """Print the counts of some suites, their findings and their problems."""
    print_rows([row_of(cast("SomeSuite", suite)) for suite in suites], stream, console)


def print_rows(
    rows: Sequence[Row], stream: TextIO | None = None, console: Console | None = None, *, by_module: bool = False
) -> None:
    """Print the end of a run: a table `by_module`, else all counts of each function; then findings and problems."""
    lines = Lines(stream, console)
    told = [row for row in rows if row.refused is None]
    listed = told
    if by_module:
        # The table says already why there are no tests for some.
        listed = [row for row in told if row.obstacle is None]
        for line in table_lines(rows):
            lines.show(line)
    else:
        lines.counts(_COLUMNS, [_cells(row) for row in told])
    for finding in dict.fromkeys(finding for row in told for finding in row.findings):
        lines.show(_finding_line(finding), "bold red")
    for problem in dict.fromkeys(problem for row in listed for problem in row.problems):
        lines.show(problem_line(problem, _NOWHERE), "yellow")


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


def _finding_line(finding: Finding) -> str:
    return f"{place(finding.file, finding.line) or _NOWHERE}: {finding.kind}: {finding.message}"
