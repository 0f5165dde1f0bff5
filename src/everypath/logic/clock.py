"""The clock by which deciding and exploring are limited: the process's own time.

On a busy machine a process gets little of the processor, and limits in seconds of the wall clock would then cut paths
that they do not cut otherwise. So a second is a second of computing; but waiting counts too, at a lower rate, so that
nothing waits for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, process_time

PATIENCE = 4.0
"""This many seconds of waiting count as one second of computing."""
_TELLING = 0.2
"""Less computing than that says nothing about how busy the machine is."""


class _Clock:
    """Advances by the time computed since it was last read, or by a share of the time passed, whichever is more."""

    def __init__(self) -> None:
        self._time = 0.0
        self._computed = process_time()
        self._passed = monotonic()

    def __call__(self) -> float:
        """The time now; only differences between two readings mean anything."""
        computed, passed = process_time(), monotonic()
        self._time += max(computed - self._computed, (passed - self._passed) / PATIENCE)
        self._computed, self._passed = computed, passed
        return self._time


now = _Clock()


class Stopwatch:
    """How long a whole run has lasted, its waiting for other processes included.

    What other processes compute cannot be seen from here. But how long this one takes for what it computes shows how
    busy the machine is, and by so much the time is divided that passes: on a quiet machine not at all.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        self._looked = monotonic()
        self._computed = self._passed = 0.0

    @property
    def delay(self) -> float:
        """So many seconds pass on this machine for one second of computing."""
        if self._computed < _TELLING:
            return 1.0
        return min(max(1.0, self._passed / self._computed), PATIENCE)

    def spent(self) -> float:
        """The seconds that the run has taken."""
        time = monotonic()
        self._spent += (time - self._looked) / self.delay
        self._looked = time
        return self._spent

    def until(self, seconds: float) -> float:
        """When so many seconds will be over, as `monotonic` tells the time."""
        return monotonic() + seconds * self.delay

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Around work that waits for nobody, of which only what is computed counts."""
        self.spent()
        computed, passed = process_time(), monotonic()
        try:
            yield
        finally:
            computed, self._looked = process_time() - computed, monotonic()
            passed = self._looked - passed
            self._computed += computed
            self._passed += passed
            self._spent += max(computed, passed / PATIENCE)
