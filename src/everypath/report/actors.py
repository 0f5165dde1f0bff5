"""What exploring actor programs found, on the terminal: findings with their schedules, then a line for each target."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from everypath.cases.actor_wording import input_lines, wait_lines
from everypath.cases.actors import ActorCase, ActorSuite, names_of
from everypath.cases.model import Finding, OrderDependence, Problem
from everypath.report.schedules import schedule_lines, side_by_side
from everypath.report.terminal import cut_text
from everypath.report.timeline import readable_width
from everypath.report.watching import is_watched

if TYPE_CHECKING:
    from rich.console import Console

Show = Callable[[str, str], None]
"""Prints one line in a style."""
_CONTROL_CODES = dict.fromkeys(map(ord, "\a\b\v\f\r\x1b"))
"""What the program under test prints or names must not move the cursor."""
_INDENT = "    "
_COLUMNS = ("target", "cases", "findings", "executions", "states", "cut", "unsupported", "unknown", "seconds")
_TITLES = {"deadlock": "deadlock", "assertion": "failed assertion", "runtime-error": "uncaught error"}
_MOST_MESSAGES = 5


def print_actors(suites: Sequence[ActorSuite], stream: TextIO | None = None, console: Console | None = None) -> None:
    """Print the findings of every target, then the counts, and at the end what could not be done."""
    stream = stream or sys.stderr
    if console is None and is_watched(stream):
        from rich.console import Console

        console = Console(file=stream, highlight=False, soft_wrap=True)
    drawn = console is not None and console.is_terminal
    show = _styled(console) if console is not None and drawn else _unstyled(stream)
    width = readable_width(stream)
    for suite in suites:
        _print_findings(suite, width, show)
    if console is not None and drawn:
        _print_table(suites, console)
    else:
        for suite in suites:
            show(summary_line(suite), "")
    for problem in dict.fromkeys(p for suite in suites for p in (*suite.problems, *suite.stats.unsupported)):
        show(problem_line(problem), "yellow")


def summary_line(suite: ActorSuite) -> str:
    """The counts of one target."""
    target, *cells = _row(suite)
    return f"{target}: " + ", ".join(f"{name} {cell}" for name, cell in zip(_COLUMNS[1:], cells, strict=True))


def problem_line(problem: Problem) -> str:
    """A problem as one line."""
    place = f"{problem.file}:{problem.line}" if problem.line else problem.file
    return " ".join(f"{f'{place}: ' if place else ''}{problem.kind}: {problem.message}".split())


def _row(suite: ActorSuite) -> list[str]:
    stats = suite.stats
    cut = cut_text(stats)
    return [
        suite.target,
        str(len(suite.cases)),
        str(len(_grouped(suite.cases)) + bool(suite.dependences)),
        str(stats.executions),
        str(stats.states),
        cut if stats.complete or cut != "0" else "0, stopped early",
        str(len(stats.unsupported)),
        str(stats.unknown),
        f"{stats.seconds:.2f}",
    ]


def _print_table(suites: Sequence[ActorSuite], console: Console) -> None:
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
    console.print(table)


def _print_findings(suite: ActorSuite, width: int, show: Show) -> None:
    groups = _grouped(suite.cases)
    count = len(groups) + bool(suite.dependences)
    if not count:
        return
    show(f"{suite.target}: {count} finding{'s' * (count > 1)}", "bold")
    for number, (finding, cases) in enumerate(groups, 1):
        show("", "")
        _print_case(number, finding, cases, width, show)
    if suite.dependences:
        show("", "")
        _print_dependences(len(groups) + 1, suite, width, show)
    show("", "")


def _grouped(cases: Sequence[ActorCase]) -> list[tuple[Finding, list[ActorCase]]]:
    """Findings of the same kind at the same place, each with its cases, the shortest schedule first."""
    groups: dict[tuple[str, str, int], list[ActorCase]] = {}
    for case in sorted(cases, key=lambda case: len(case.schedule)):
        if case.finding is not None:
            groups.setdefault((case.finding.kind, case.finding.file, case.finding.line), []).append(case)
    order = list(_TITLES)
    ranked = sorted(groups.values(), key=lambda found: order.index(found[0].finding.kind) if found[0].finding else 0)
    return [(found[0].finding, found) for found in ranked if found[0].finding is not None]


def _print_case(number: int, finding: Finding, cases: Sequence[ActorCase], width: int, show: Show) -> None:
    case = cases[0]
    names = names_of(case)
    show(f"{number}. {_TITLES.get(finding.kind, finding.kind)}: {finding.message}", "bold red")
    show(f"{_INDENT}{finding.file}:{finding.line}: {finding.kind}, case {case.id}", "bold")
    for line in input_lines(case, names):
        show(f"{_INDENT}{line}", "")
    if case.expected.deadlock is not None:
        show("", "")
        for line in wait_lines(case.expected.deadlock, names):
            show(f"{_INDENT}{line}", "")
    show("", "")
    for line in schedule_lines(case, names, width - len(_INDENT)):
        show(f"{_INDENT}{line}", "")
    if len(cases) > 1:
        others = len(cases) - 1
        show(f"{_INDENT}also in {others} more case{'s' * (others > 1)}", "dim")


def _print_dependences(number: int, suite: ActorSuite, width: int, show: Show) -> None:
    """The dependence that is easiest to follow in full, the others by what differs."""
    cases = {case.id: case for case in suite.cases}

    def effort(dependence: OrderDependence) -> tuple[bool, bool, int, int]:
        first, second = cases[dependence.first], cases[dependence.second]
        unwell = any(case.finding is not None or case.expected.deadlock is not None for case in (first, second))
        same_result = first.expected.result == second.expected.result
        return unwell, same_result, len(first.inputs.actors), len(first.schedule) + len(second.schedule)

    best, *rest = sorted(suite.dependences, key=effort)
    first, second = cases[best.first], cases[best.second]
    show(f"{number}. order-dependent result: {best.message}", "bold red")
    show(f"{_INDENT}{best.file}:{best.line}: order-dependent, cases {first.id} and {second.id}", "bold")
    for line in input_lines(first, names_of(first)):
        show(f"{_INDENT}{line}", "")
    show("", "")
    for line in side_by_side(first, second, width - len(_INDENT)):
        show(f"{_INDENT}{line}", "")
    if rest:
        show(f"{_INDENT}also for {len(rest)} more input{'s' * (len(rest) > 1)}:", "dim")
        messages = list(dict.fromkeys(dependence.message for dependence in rest))
        for message in messages[:_MOST_MESSAGES]:
            show(f"{_INDENT}{_INDENT}{message}", "dim")
        if len(messages) > _MOST_MESSAGES:
            show(f"{_INDENT}{_INDENT}... and {len(messages) - _MOST_MESSAGES} more", "dim")


def _styled(console: Console) -> Show:
    from rich.text import Text

    return lambda text, style: console.print(Text(text.translate(_CONTROL_CODES), style=style))


def _unstyled(stream: TextIO) -> Show:
    return lambda text, _style: print(text.translate(_CONTROL_CODES), file=stream)
