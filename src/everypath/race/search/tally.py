"""The coverage of the paper in numbers: requirements predicted, feasible and triggered, in total and for each test."""

from __future__ import annotations

from collections.abc import Set

from everypath.race.search.call_runner import Test
from everypath.race.search.predict import Prediction, Requirement
from everypath.records import asdict, dataclass


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
        self._triggered: set[Requirement] = set()

    def expect(self, test: Test, prediction: Prediction) -> None:
        """What the patterns give for one of the test's calls against the other."""
        if test != self._current:
            # Only the sets of the test at hand are kept, of the others their sizes.
            self._current = test
            self._predicted, self._feasible, self._triggered = set(), set(), set()
        self.predicted |= prediction.predicted
        self.feasible |= prediction.feasible.keys()
        self._predicted |= prediction.predicted
        self._feasible |= prediction.feasible.keys()
        if self._predicted:
            numbers = self._numbers(test)
            numbers.predicted, numbers.feasible = len(self._predicted), len(self._feasible)

    def met(self, test: Test, requirements: Set[Requirement]) -> None:
        """Requirements that a run of the test has triggered."""
        self.triggered |= requirements
        if test == self._current and requirements:
            self._triggered |= requirements
            self._numbers(test).triggered = len(self._triggered)

    def ran(self, test: Test, failed: bool) -> None:
        """An interleaving of the test was enforced."""
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
