"""What a search for thread-safety faults found, on the terminal: findings with their timelines, then the coverage."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from everypath.cases.interleavings import affected, columns, outcomes, source_rows, switch_text
from everypath.cases.model import Problem
from everypath.cases.races import Exercised, RaceFinding, RaceReport, RaceStats, ranked, says_little
from everypath.report.lines import INDENT, Lines, counted, problem_line

if TYPE_CHECKING:
    from rich.console import Console


_MOST_LINES, _MOST_PAIRS = 20, 10
"""The most lines of untaken branches, and pairs of methods that did not meet, that are listed."""


def print_race(reports: Sequence[RaceReport], stream: TextIO | None = None, console: Console | None = None) -> None:
    """Print the findings of every class, what was covered, and at the end notes and problems."""
    lines = Lines(stream, console)
    for report in reports:
        if report.findings:
            lines.show(f"{report.target}: {counted(len(report.findings), 'finding')}", "bold")
            for number, finding in enumerate(ranked(report.findings), 1):
                lines.show()
                _print_finding(number, finding, lines)
            lines.show()
            for line in (*coverage_lines(report.stats), *exercised_lines(report.exercised)):
                lines.show(line)
        else:
            sure = report.stats.sequences and not says_little(report)
            lines.show(f"{report.target}: {clean_line(report)}", "green" if sure else "yellow")
            for line in exercised_lines(report.exercised):
                lines.show(line)
    for note in dict.fromkeys(note for report in reports for note in report.notes if not _told(note, report)):
        lines.show(problem_line(note))
    for problem in dict.fromkeys(problem for report in reports for problem in report.problems):
        lines.show(problem_line(problem), "yellow")


def _told(note: Problem, report: RaceReport) -> bool:
    """Whether a line about what was never called says the same."""
    return any(note.message == f"{report.cls}.{each.method} {each.why}" for each in report.exercised.uncalled)


def clean_line(report: RaceReport) -> str:
    """The evidence that people ask for when nothing is found."""
    stats = report.stats
    if not stats.sequences:
        return f"no call could be run in {stats.seconds:.1f} seconds, so that nothing is known"
    little = "tested little: " if says_little(report) else ""
    return (
        f"{little}no violation found in {counted(stats.sequences, 'sequence')}, "
        f"{counted(stats.enforced, 'interleaving')}, {stats.seconds:.1f} seconds; "
        f"covered {stats.pairs_covered} of {stats.pairs_total} method pairs"
    )


def exercised_lines(done: Exercised) -> list[str]:
    """What was really called, what only raised, what was never called, and which branches were not taken."""
    if not done.methods:
        return []
    branches = f", {done.branches_reached} of {done.branches} branches" if done.branches else ""
    raised = f", {done.calls_raised} only raised" if done.calls_raised else ""
    lines = [
        f"exercised: {len(done.returned)} of {counted(done.methods, 'method')}{branches}; "
        f"{counted(done.calls_returned, 'call')} returned{raised}"
    ]
    lines += [f"only raised: {each.method} {each.why}" for each in done.raised]
    lines += [f"never called: {each.method} {each.why}" for each in done.uncalled]
    if done.pairs_left:
        pairs = [f"{one} with {two}" for one, two in done.pairs_left[:_MOST_PAIRS]]
        rest = len(done.pairs_left) - _MOST_PAIRS
        more = f" and {rest} more; --format json lists all as pairs_left" if rest > 0 else ""
        lines.append(f"not run against each other: {', '.join(pairs)}{more}")
    if done.unreached:
        more = ", ..." if len(done.unreached) > _MOST_LINES else ""
        word = "line" if len(done.unreached) == 1 else "lines"
        lines.append(f"branches not taken: {word} {', '.join(map(str, done.unreached[:_MOST_LINES]))}{more}")
    return lines


def coverage_lines(stats: RaceStats) -> list[str]:
    """The coverage in the terms of the paper, and the work done."""
    end, further = ("search completed", "") if stats.complete else ("search stopped", "; a larger --time goes on")
    return [
        f"sequences: {stats.sequences} with {counted(stats.traces, 'distinct method-call trace')}, "
        f"saturation level {stats.saturation}",
        f"requirements: {stats.predicted} predicted, {stats.candidates} feasible, {stats.triggered} triggered",
        f"interleavings: {stats.enforced} in {counted(stats.tests, 'test')}; "
        f"method pairs: {stats.pairs_covered} of {stats.pairs_total}; {end} after {stats.seconds:.1f} seconds{further}",
    ]


def _print_finding(number: int, finding: RaceFinding, lines: Lines) -> None:
    test = finding.test
    lines.show(f"{number}. {finding.title}", "bold red")
    lines.indented([f"{finding.location}: {finding.kind}, {finding.label}"], "bold")
    if pairs := affected(finding.pairs):
        lines.indented([f"affected pairs of calls: {pairs}"])
    lines.indented(["; ".join([f"sut = {test.setup}", *test.before])])
    lines.indented([f"schedule: {', '.join(map(switch_text, test.schedule))}"])
    lines.show()
    # Lines of source that can no longer be read show what happens on them instead.
    rows = source_rows(finding.timeline, linecache.getline)
    lines.indented(columns(rows, lines.width - len(INDENT)))
    lines.show()
    for name, outcome in outcomes(finding.observed, finding.serial):
        lines.indented([f"{name}:"], "bold")
        lines.indented(outcome, depth=2)
    lines.indented([_history(finding)], "dim")


def _history(finding: RaceFinding) -> str:
    parts = [f"found after {finding.seconds_to_find:.1f} seconds"]
    if finding.also:
        parts.append(f"{counted(finding.also, 'more interleaving')} with the same cause")
    if finding.replays:
        parts.append(f"failed again {finding.replays} of {finding.replays} times in a fresh process")
    else:
        parts.append("not confirmed in a fresh process")
    return "; ".join(parts)
