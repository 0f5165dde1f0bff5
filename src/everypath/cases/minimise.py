"""Which cases become tests: as few as still cover all that the cases of an entry cover, and which of them share a test.

Finding the fewest is the set cover problem, which is NP-hard. The greedy algorithm is used, and no fast one has a much
better bound (Johnson, "Approximation algorithms for combinatorial problems", 1974): take again and again the case that
covers most of what is still missing. Afterwards cases are dropped that later ones have made superfluous.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

from everypath.cases.model import CallCase, Entry, SomeCase
from everypath.options import POINTS

_LONGEST = 6
"""Ways through the code are told apart by up to this many statements in a row."""


def fewest(
    cases: list[CallCase],
    goal: str,
    most: int | None = None,
    paths_per_test: int = 1,
    old: Sequence[CallCase] = (),
) -> list[CallCase]:
    """The cases that are needed for the goal, in their order; for `all` and `mutants`, all of them.

    Every finding is kept, and one case of an entry without branches, unless only certain points are asked for. If they
    make more than `most` tests, those are taken that add most to the ones before them. `old` cases are there already.
    """
    if most is not None:
        most = max(0, most - len(sharing(old, paths_per_test)))
    if goal not in ("all", "mutants") and (len(cases) > 1 or old or goal.startswith(POINTS)):
        there = frozenset(thing for case in old for thing in _reached(case, goal))
        reached = [frozenset(_reached(case, goal)) - there for case in cases]
        chosen = _greedy(range(len(cases)), reached, len(cases))
        cases = [cases[at] for at in sorted(_needed(chosen, reached))]
    return cases if most is None else _different(cases, most, paths_per_test)


def fewest_of_all(suites: list[list[CallCase]], most: int, paths_per_test: int = 1) -> list[list[CallCase]]:
    """The cases of at most `most` tests for several entries together: what one entry covers, another need not."""
    kept = {case.id for case in _different([case for suite in suites for case in suite], most, paths_per_test)}
    return [[case for case in suite if case.id in kept] for suite in suites]


def fewest_with(
    cases: Sequence[SomeCase], had: Mapping[str, Collection[Hashable]], needed: Collection[str] = ()
) -> list[str]:
    """The ids of few cases that have all that any has; those that are `needed` in any case are among them."""
    reached = [frozenset(had.get(case.id, ())) for case in cases]
    there = frozenset[Hashable]().union(*(each for case, each in zip(cases, reached) if case.id in needed))
    missing = [each - there for each in reached]
    chosen = set(_needed(_greedy(range(len(cases)), missing, len(cases)), missing))
    return [case.id for at, case in enumerate(cases) if at in chosen or case.id in needed]


def _different(cases: list[CallCase], most: int, paths_per_test: int) -> list[CallCase]:
    """The cases of at most `most` tests, starting with those that add most."""
    if len(sharing(cases, paths_per_test)) <= most:
        return cases
    kept: list[CallCase] = []
    for at in _ranked(cases, most * paths_per_test):
        if len(sharing([*kept, cases[at]], paths_per_test)) <= most:
            kept.append(cases[at])
    ids = {case.id for case in kept}
    return [case for case in cases if case.id in ids]


def _ranked(cases: list[CallCase], most: int) -> list[int]:
    """First the cases that together take all branches, then those with other ways through the code, then the rest.

    Only the first `most` are ranked; the others keep their order.
    """
    reached = [frozenset(_reached(case, "branches")) for case in cases]
    chosen = _greedy(range(len(cases)), reached, most)
    # Sequences of two statements first, then longer ones: cases that go round a loop once more, or take the same
    # branches in another combination, differ only in these.
    for length in range(2, _LONGEST + 1):
        ways = [frozenset(_ways(case, length)) for case in cases]
        seen = frozenset[Hashable]().union(*(ways[at] for at in chosen))
        others = [at for at in range(len(cases)) if at not in chosen]
        chosen += _greedy(others, [way - seen for way in ways], most - len(chosen))
    return chosen + [at for at in range(len(cases)) if at not in chosen]


def _ways(case: CallCase, length: int) -> Iterator[Hashable]:
    """The sequences of this many statements that the case executes."""
    lines = [(step.file, step.line) for step in case.trace]
    return (tuple(lines[at : at + length]) for at in range(len(lines) - length + 1))


def _greedy(among: Sequence[int], reached: list[frozenset[Hashable]], most: int) -> list[int]:
    """Cases in an order in which none could add more than each does to those before it, until nothing is missing."""
    left = set[Hashable]().union(*(reached[at] for at in among))
    chosen: list[int] = []
    while left and len(chosen) < most:
        best = max(among, key=lambda at: (len(reached[at] & left), -at))
        chosen.append(best)
        left -= reached[best]
    return chosen


def _reached(case: CallCase, goal: str) -> Iterator[Hashable]:
    if goal.startswith(POINTS):
        yield from case.serves
        return
    yield case.entry.cls, case.entry.name
    if case.finding is not None:
        yield case.finding.kind, case.finding.file, case.finding.line, case.finding.message
    if goal == "local-paths":
        yield from case.serves
        return
    if goal == "branches":
        yield from case.covers
    # Raising an exception is no branch, so what comes after a statement that may raise must be asked for by its line.
    yield from ((step.file, step.line) for step in case.trace)


def _needed(chosen: list[int], reached: list[frozenset[Hashable]]) -> list[int]:
    """The chosen cases without those that later choices have made superfluous."""
    times = Counter(thing for at in chosen for thing in reached[at])
    needed = []
    for at in chosen:
        if all(times[thing] > 1 for thing in reached[at]):
            times.subtract(reached[at])
        else:
            needed.append(at)
    return needed


def is_alone(case: CallCase) -> bool:
    """Whether a test sets something around the call, or has a folder, so that nothing else can be in it."""
    fixtures = any(not step.module for step in case.inputs.steps)
    return bool(case.inputs.replaced or case.expected.files or fixtures)


def sharing(cases: Sequence[CallCase], most: int) -> list[tuple[CallCase, ...]]:
    """The cases of each test, at most `most` of them: all are about one function, and all are findings or none is.

    A case that sets something around its call while its test runs has a test to itself.
    """
    groups: dict[tuple[Entry, bool], list[CallCase]] = {}
    for case in cases:
        groups.setdefault((case.entry, case.finding is not None), []).append(case)
    tests: list[tuple[CallCase, ...]] = []
    for group in groups.values():
        together = [case for case in group if not is_alone(case)]
        tests += [(case,) for case in group if is_alone(case)]
        # Evenly: 7 cases in tests of at most 3 are 2, 2 and 3, not 3, 3 and 1.
        count = -(-len(together) // most)
        for number in range(count):
            start, end = (len(together) * at // count for at in (number, number + 1))
            tests.append(tuple(together[start:end]))
    return tests
