"""A point that moves; a reader can see the new x with the old y."""

from __future__ import annotations

import threading


class Position:
    """Where something is."""

    def __init__(self, x: float = 0.0, y: float = 0.0) -> None:
        self._x = x
        self._y = y
        self._lock = threading.Lock()

    def move_to(self, x: float, y: float) -> None:
        """Go somewhere else."""
        self._x = x
        self._y = y

    def coordinates(self) -> tuple[float, float]:
        """Both coordinates."""
        with self._lock:
            return self._x, self._y

    def distance_to(self, x: float, y: float) -> float:
        """How far it is along the axes."""
        with self._lock:
            return abs(self._x - x) + abs(self._y - y)


class SafePosition:
    """Where something is."""

    def __init__(self, x: float = 0.0, y: float = 0.0) -> None:
        self._x = x
        self._y = y
        self._lock = threading.Lock()

    def move_to(self, x: float, y: float) -> None:
        """Go somewhere else."""
        with self._lock:
            self._x = x
            self._y = y

    def coordinates(self) -> tuple[float, float]:
        """Both coordinates."""
        with self._lock:
            return self._x, self._y

    def distance_to(self, x: float, y: float) -> float:
        """How far it is along the axes."""
        with self._lock:
            return abs(self._x - x) + abs(self._y - y)
