"""Counts hits from many threads; two hits at the same moment can be counted as one."""

from __future__ import annotations

import threading


class HitCounter:
    """How often something was asked for."""

    def __init__(self, start: int = 0) -> None:
        self._total = start

    def hit(self, times: int = 1) -> None:
        """Count one or more hits."""
        if times < 1:
            raise ValueError("count at least one hit")
        self._total += times

    @property
    def total(self) -> int:
        """All hits so far."""
        return self._total

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._total})"


class SafeHitCounter:
    """How often something was asked for."""

    def __init__(self, start: int = 0) -> None:
        self._total = start
        self._lock = threading.Lock()

    def hit(self, times: int = 1) -> None:
        """Count one or more hits."""
        if times < 1:
            raise ValueError("count at least one hit")
        with self._lock:
            self._total += times

    @property
    def total(self) -> int:
        """All hits so far."""
        with self._lock:
            return self._total

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.total})"
