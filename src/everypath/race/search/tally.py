"""Which coverage requirements runs have met, and the coverage of the paper in numbers, in total and for each test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from everypath.concurrency.access import overlapping
from everypath.race.events import Event
from everypath.race.running import Run
from everypath.race.search.call_runner import Test
from everypath.race.search.predict import Prediction, Requirement
from everypath.records import asdict, dataclass

Happened = tuple[int, Event]
"""An event and its position in the run."""
_FIRST_DOUBLE = 6
"""Patterns with this number or a higher one concern two places."""


def triggered(run: Run, outer: int, requirements: Iterable[Requirement]) -> set[Requirement]:
    """The requirements whose pattern the run shows, with `outer` as the divided call."""
    wanted = list(requirements)
    sites = {site for each in wanted for site in (each.first, *each.other, each.second)}
    found: tuple[dict[int, list[Happened]], dict[int, list[Happened]]] = ({}, {})
    for position, (thread, event) in enumerate(run.events):
        if event.site in sites:
            found[thread].setdefault(event.site, []).append((position, event))
    ours, theirs = found[outer], found[1 - outer]
    return {each for each in wanted if _met(each, ours, theirs)}


def _met(wanted: Requirement, ours: dict[int, list[Happened]], theirs: dict[int, list[Happened]]) -> bool:
    """Section 4.4: the other call's accesses lie after the first and before the second one of the divided call.

    With two places it is enough that they do so at each place by itself, which is what makes the cycle.
    """
    firsts, seconds = ours.get(wanted.first, ()), ours.get(wanted.second, ())
    others = [theirs.get(site, ()) for site in wanted.other]
    after, before = (others[0], others[-1]) if wanted.pattern % 2 == 0 else (others[-1], others[0])
    if wanted.pattern < _FIRST_DOUBLE:
        inside = [each for each in others[0] if _some(firsts, each, earlier=True)]
        return any(_some(seconds, each, earlier=False) for each in inside)
    follows = any(_some(firsts, each, earlier=True) for each in after)
    return follows and any(_some(seconds, each, earlier=False) for each in before)


def _some(ours: Sequence[Happened], theirs: Happened, *, earlier: bool) -> bool:
    """Whether the divided call has visited the same memory before, or does so afterwards."""
    position, event = theirs
    return any(
        (at < position) == earlier and each.target is event.target and overlapping(each.key, event.key)
        for at, each in ours
    )


@dataclass(slots=True)
class Numbers:
    """What one test gave."""

    predicted: int = 0
    feasible: int = 0
    triggered: int = 0
    enforced: int = 0
    failed: int = 0


class Tally:
    """Counts each requirement once in total and once for each test, however often it comes up."""

    def __init__(self) -> None:
        self.predicted: set[Requirement] = set()
        self.feasible: set[Requirement] = set()
        self.triggered: set[Requirement] = set()
        self._tests: dict[Test, Numbers] = {}
        self._current: Test | None = None
        self._predicted: set[Requirement] = set()
        self._feasible: set[Requirement] = set()
        self._triggered: dict[Test, set[Requirement]] = {}

    def expect(self, test: Test, prediction: Prediction) -> None:
        """Note what the patterns give for one of the test's calls against the other."""
        if test != self._current:
            # Only the sets of the test at hand are kept, of the others their sizes.
            self._current = test
            self._predicted, self._feasible = set(), set()
        self.predicted |= prediction.predicted
        self.feasible |= prediction.feasible.keys()
        self._predicted |= prediction.predicted
        self._feasible |= prediction.feasible.keys()
        if self._predicted:
            numbers = self._numbers(test)
            numbers.predicted, numbers.feasible = len(self._predicted), len(self._feasible)

    def met(self, test: Test, requirements: Set[Requirement]) -> None:
        """Note requirements that a run of the test has triggered."""
        self.triggered |= requirements
        if requirements:
            # Some of a test's interleavings are put off until others have had their turn.
            known = self._triggered.setdefault(test, set())
            known |= requirements
            self._numbers(test).triggered = len(known)

    def failures(self, test: Test) -> int:
        """How many interleavings of the test have failed so far."""
        found = self._tests.get(test)
        return 0 if found is None else found.failed

    def ran(self, test: Test, failed: bool) -> None:
        """Note that an interleaving of the test was enforced."""
        numbers = self._numbers(test)
        numbers.enforced += 1
        numbers.failed += failed

    @property
    def count(self) -> int:
        """How many tests there are that had anything to enforce."""
        return len(self._tests)

    def tests(self) -> list[dict[str, object]]:
        """Each test with its numbers, ready to be printed."""
        return [
            {"before": list(test.before), "threads": ["; ".join(calls) for calls in test.threads], **asdict(numbers)}
            for test, numbers in self._tests.items()
        ]

    def _numbers(self, test: Test) -> Numbers:
        return self._tests.setdefault(test, Numbers())
