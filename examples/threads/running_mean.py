"""The mean of what was measured so far; it can be computed from the new count and the old sum."""

from __future__ import annotations

import threading


class RunningMean:
    """Sum and count of measurements."""

    def __init__(self) -> None:
        self._count = 0
        self._sum = 0.0
        self._lock = threading.Lock()

    def add(self, value: float) -> None:
        """Take a measurement into account."""
        with self._lock:
            self._count += 1
            self._sum += value

    def mean(self) -> float:
        """The mean of all measurements."""
        if self._count == 0:
            raise ValueError("nothing was measured")
        return self._sum / self._count

    @property
    def count(self) -> int:
        """How many measurements there were."""
        with self._lock:
            return self._count


class SafeRunningMean:
    """Sum and count of measurements."""

    def __init__(self) -> None:
        self._count = 0
        self._sum = 0.0
        self._lock = threading.Lock()

    def add(self, value: float) -> None:
        """Take a measurement into account."""
        with self._lock:
            self._count += 1
            self._sum += value

    def mean(self) -> float:
        """The mean of all measurements."""
        with self._lock:
            if self._count == 0:
                raise ValueError("nothing was measured")
            return self._sum / self._count

    @property
    def count(self) -> int:
        """How many measurements there were."""
        with self._lock:
            return self._count
