"""Keeps as few cases of an entry as still take everything that all its cases take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from everypath.suite.model import TestCase


def fewest(cases: list[TestCase], goal: str) -> list[TestCase]:
    """The cases that are needed for the goal, `branches` or `statements`, in their order; for `all`, all of them.

    Every finding is kept, and one case of an entry that has no branches.
    """
    if goal == "all" or len(cases) < 2:
        return cases
    reached = [frozenset(_reached(case, goal)) for case in cases]
    left = set().union(*reached)
    chosen: list[int] = []
    while left:
        best = max(range(len(cases)), key=lambda at: (len(reached[at] & left), -at))
        chosen.append(best)
        left -= reached[best]
    return [cases[at] for at in sorted(_needed(chosen, reached))]


def _reached(case: TestCase, goal: str) -> Iterator[Hashable]:
    yield "called"
    if case.finding is not None:
        yield case.finding.kind, case.finding.file, case.finding.line, case.finding.message
    if goal == "branches":
        yield from case.covers
    # An exception is no branch, so that what comes behind a statement that may raise has to be asked for.
    yield from ((step.file, step.line) for step in case.trace)


def _needed(chosen: list[int], reached: list[frozenset[Hashable]]) -> list[int]:
    """The chosen ones without those that later choices have made superfluous."""
    times = Counter(thing for at in chosen for thing in reached[at])
    needed = []
    for at in chosen:
        if all(times[thing] > 1 for thing in reached[at]):
            times.subtract(reached[at])
        else:
            needed.append(at)
    return needed
