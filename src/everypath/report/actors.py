"""What the exploration of actor programs found, on the terminal: findings with schedules, then a line per target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from everypath.cases.accounts import OrderDependence
from everypath.cases.actor_wording import Names, input_lines, wait_lines
from everypath.cases.actors import ActorCase, ActorSuite, names_of
from everypath.cases.model import Finding
from everypath.report.lines import INDENT, Lines, counted, problem_line
from everypath.report.schedules import compared, schedule_lines
from everypath.report.summary import NO_BOUNDS, branches_taken, cut_lines, cut_text, share_text

if TYPE_CHECKING:
    from rich.console import Console

_COLUMNS = (
    "target",
    "cases",
    "findings",
    "branches",
    "executions",
    "states",
    "cut",
    "unsupported",
    "unknown",
    "seconds",
)
_TITLES = {"deadlock": "deadlock", "assertion": "failed assertion", "runtime-error": "uncaught error"}
_MOST_MESSAGES = 5


def print_actors(
    suites: Sequence[ActorSuite],
    stream: TextIO | None = None,
    console: Console | None = None,
    bounds: Mapping[str, object] = NO_BOUNDS,
) -> None:
    """Print the findings of every target, then the counts, what was cut, and at the end what could not be done."""
    lines = Lines(stream, console)
    for suite in suites:
        _print_findings(suite, lines)
    lines.counts(_COLUMNS, [_row(suite) for suite in suites])
    for line in cut_lines([suite.stats for suite in suites], bounds):
        lines.show(line)
    for problem in dict.fromkeys(p for suite in suites for p in (*suite.problems, *suite.stats.unsupported)):
        lines.show(problem_line(problem), "yellow")


def _row(suite: ActorSuite) -> list[str]:
    stats = suite.stats
    cut = cut_text(stats)
    return [
        suite.target,
        str(len(suite.cases)),
        str(len(_grouped(suite.cases)) + bool(suite.dependences)),
        share_text([branches_taken(suite)]),
        str(stats.executions),
        str(stats.states),
        cut if stats.complete or cut != "0" else "0, stopped early",
        str(len(stats.unsupported)),
        str(stats.unknown),
        f"{stats.seconds:.2f}",
    ]


def _print_findings(suite: ActorSuite, lines: Lines) -> None:
    groups = _grouped(suite.cases)
    count = len(groups) + bool(suite.dependences)
    if not count:
        return
    lines.show(f"{suite.target}: {counted(count, 'finding')}", "bold")
    names = names_of(suite)
    for number, (finding, cases) in enumerate(groups, 1):
        lines.show()
        _print_case(number, finding, cases, names, lines)
    if suite.dependences:
        lines.show()
        _print_dependences(len(groups) + 1, suite, names, lines)
    lines.show()


def _grouped(cases: Sequence[ActorCase]) -> list[tuple[Finding, list[ActorCase]]]:
    """Findings of the same kind at the same place, each with its cases, the shortest schedule first."""
    groups: dict[tuple[str, str, int], list[ActorCase]] = {}
    for case in sorted(cases, key=lambda case: len(case.schedule)):
        if case.finding is not None:
            groups.setdefault((case.finding.kind, case.finding.file, case.finding.line), []).append(case)
    order = list(_TITLES)
    ranked = sorted(groups.values(), key=lambda found: order.index(found[0].finding.kind) if found[0].finding else 0)
    return [(found[0].finding, found) for found in ranked if found[0].finding is not None]


def _print_case(number: int, finding: Finding, cases: Sequence[ActorCase], names: Names, lines: Lines) -> None:
    case = cases[0]
    lines.show(f"{number}. {_TITLES.get(finding.kind, finding.kind)}: {finding.message}", "bold red")
    lines.indented([f"{finding.file}:{finding.line}: {finding.kind}, case {case.id}"], "bold")
    lines.indented(input_lines(case, names))
    if case.expected.deadlock is not None:
        lines.show()
        lines.indented(wait_lines(case.expected.deadlock, names))
    lines.show()
    lines.indented(schedule_lines(case, names, lines.width - len(INDENT)))
    if len(cases) > 1:
        lines.indented([f"also in {counted(len(cases) - 1, 'more case')}"], "dim")


def _print_dependences(number: int, suite: ActorSuite, names: Names, lines: Lines) -> None:
    """Show in full the dependence on the order that is easiest to follow; of the others, only their messages."""
    cases = {case.id: case for case in suite.cases}

    def effort(dependence: OrderDependence) -> tuple[bool, bool, int, int]:
        first, second = cases[dependence.first], cases[dependence.second]
        unwell = any(case.finding is not None or case.expected.deadlock is not None for case in (first, second))
        same_result = first.expected.result == second.expected.result
        return unwell, same_result, len(first.inputs.actors), len(first.schedule) + len(second.schedule)

    best, *rest = sorted(suite.dependences, key=effort)
    first, second = cases[best.first], cases[best.second]
    lines.show(f"{number}. order-dependent result: {best.message}", "bold red")
    lines.indented([f"{best.file}:{best.line}: order-dependent, cases {first.id} and {second.id}"], "bold")
    lines.indented(input_lines(first, names))
    lines.show()
    lines.indented(compared(first, second, names, lines.width - len(INDENT)))
    if rest:
        lines.indented([f"also for {counted(len(rest), 'more input')}:"], "dim")
        messages = list(dict.fromkeys(dependence.message for dependence in rest))
        lines.indented(messages[:_MOST_MESSAGES], "dim", 2)
        if len(messages) > _MOST_MESSAGES:
            lines.indented([f"... and {len(messages) - _MOST_MESSAGES} more"], "dim", 2)
