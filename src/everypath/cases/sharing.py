"""Which cases share one test, where a test may follow several paths."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.cases.model import CallCase, Entry


def sharing(cases: Sequence[CallCase], most: int) -> list[tuple[CallCase, ...]]:
    """The cases of each test, at most `most` of them: all are about one function, and all are findings or none is.

    A case that replaces a function of the program while its test runs has a test to itself.
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
