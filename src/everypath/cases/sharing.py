"""Which cases share one test, where a test may follow several paths."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.cases.model import CallCase, Entry


def sharing(cases: Sequence[CallCase], most: int) -> list[tuple[CallCase, ...]]:
    """The cases of each test, at most so many: of one function, all of them findings or none.

    A case that replaces a function of the program for the time of its test has that test for itself.
    """
    groups: dict[tuple[Entry, bool], list[CallCase]] = {}
    for case in cases:
        groups.setdefault((case.entry, case.finding is not None), []).append(case)
    tests: list[tuple[CallCase, ...]] = []
    for group in groups.values():
        together = [case for case in group if not case.inputs.replaced]
        tests += [(case,) for case in group if case.inputs.replaced]
        count = -(-len(together) // most)
        for number in range(count):
            start, end = (len(together) * at // count for at in (number, number + 1))
            tests.append(tuple(together[start:end]))
    return tests
