"""What a search for thread-safety faults found, on the terminal: findings with their timelines, then the coverage."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from everypath.cases.interleavings import outcomes, switch_text
from everypath.cases.model import Problem
from everypath.cases.races import RaceFinding, RaceReport, RaceStats, ranked
from everypath.report.timeline import readable_width, timeline_lines
from everypath.report.watching import is_watched

if TYPE_CHECKING:
    from rich.console import Console

Show = Callable[[str, str], None]
"""Prints one line in a style."""
_CONTROL_CODES = dict.fromkeys(map(ord, "\a\b\v\f\r\x1b"))
"""What the program under test prints or names must not move the cursor."""
_INDENT = "    "


def print_race(reports: Sequence[RaceReport], stream: TextIO | None = None, console: Console | None = None) -> None:
    """Print the findings of every class, what was covered, and at the end notes and problems."""
    stream = stream or sys.stderr
    show = _show(stream, console)
    width = readable_width(stream)
    for report in reports:
        if report.findings:
            count = len(report.findings)
            show(f"{report.target}: {count} finding{'s' * (count > 1)}", "bold")
            for number, finding in enumerate(ranked(report.findings), 1):
                show("", "")
                _print_finding(number, finding, width, show)
            show("", "")
            for line in coverage_lines(report.stats):
                show(line, "")
        else:
            show(f"{report.target}: {clean_line(report.stats)}", "green" if report.stats.sequences else "yellow")
    for note in dict.fromkeys(note for report in reports for note in report.notes):
        show(problem_line(note), "")
    for problem in dict.fromkeys(problem for report in reports for problem in report.problems):
        show(problem_line(problem), "yellow")


def clean_line(stats: RaceStats) -> str:
    """The evidence that people ask for when nothing is found."""
    if not stats.sequences:
        return f"no call could be run in {stats.seconds:.1f} seconds, so that nothing is known"
    return (
        f"no violation found in {_count(stats.sequences, 'sequence')}, {_count(stats.enforced, 'interleaving')}, "
        f"{stats.seconds:.1f} seconds; covered {stats.pairs_covered} of {stats.pairs_total} method pairs"
    )


def coverage_lines(stats: RaceStats) -> list[str]:
    """The coverage of the paper and the work done."""
    end = "search completed" if stats.complete else "search stopped"
    return [
        f"sequences: {stats.sequences} with {_count(stats.traces, 'distinct method-call trace')}, "
        f"saturation level {stats.saturation}",
        f"requirements: {stats.predicted} predicted, {stats.candidates} feasible, {stats.triggered} triggered",
        f"interleavings: {stats.enforced} in {_count(stats.tests, 'test')}; "
        f"method pairs: {stats.pairs_covered} of {stats.pairs_total}; {end} after {stats.seconds:.1f} seconds",
    ]


def problem_line(problem: Problem) -> str:
    """A problem or note as one line."""
    place = f"{problem.file}:{problem.line}" if problem.line else problem.file
    return " ".join(f"{f'{place}: ' if place else ''}{problem.kind}: {problem.message}".split())


def _print_finding(number: int, finding: RaceFinding, width: int, show: Show) -> None:
    test = finding.test
    show(f"{number}. {finding.title}", "bold red")
    show(f"{_INDENT}{finding.location}: {finding.kind}, {finding.label}", "bold")
    show(f"{_INDENT}{'; '.join([f'sut = {test.setup}', *test.before])}", "")
    show(f"{_INDENT}schedule: {', '.join(map(switch_text, test.schedule))}", "")
    show("", "")
    for line in timeline_lines(finding.timeline, width - len(_INDENT)):
        show(f"{_INDENT}{line}", "")
    show("", "")
    for name, outcome in outcomes(finding.observed, finding.serial):
        show(f"{_INDENT}{name}:", "bold")
        for line in outcome:
            show(f"{_INDENT}{_INDENT}{line}", "")
    show(f"{_INDENT}{_history(finding)}", "dim")


def _history(finding: RaceFinding) -> str:
    parts = [f"found after {finding.seconds_to_find:.1f} seconds"]
    if finding.also:
        parts.append(f"{_count(finding.also, 'more interleaving')} with the same cause")
    if finding.replays:
        parts.append(f"failed again {finding.replays} of {finding.replays} times in a fresh process")
    else:
        parts.append("not confirmed in a fresh process")
    return "; ".join(parts)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _show(stream: TextIO, console: Console | None) -> Show:
    if console is None and is_watched(stream):
        from rich.console import Console

        console = Console(file=stream, highlight=False, soft_wrap=True)
    if console is None or not console.is_terminal:
        return lambda text, _style: print(text.translate(_CONTROL_CODES), file=stream)
    from rich.text import Text

    return lambda text, style: console.print(Text(text.translate(_CONTROL_CODES), style=style))
