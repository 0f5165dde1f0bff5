"""The clock by which deciding and exploring are limited: the process's own time.

On a busy machine a process gets little of the processor, and limits in seconds of the wall clock would then cut paths
that they do not cut otherwise. So a second is a second of computing; but waiting counts too, at a lower rate, so that
nothing waits for ever.
"""

from __future__ import annotations

from time import monotonic, process_time

PATIENCE = 4.0
"""This many seconds of waiting count as one second of computing."""


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
