"""A thermostat whose property is safe to read and safe to set, but not to change by a difference."""

from __future__ import annotations

import threading


class Thermostat:
    """Keeps the temperature that a room should have."""

    def __init__(self, target: int = 20, maximum: int = 25) -> None:
        self._maximum = maximum
        self._target = target
        self._lock = threading.RLock()

    @property
    def target(self) -> int:
        """The temperature to reach."""
        with self._lock:
            return self._target

    @target.setter
    def target(self, value: int) -> None:
        with self._lock:
            self._target = min(value, self._maximum)

    def warmer(self, degrees: int = 1) -> None:
        """Raise the temperature, at most to the maximum."""
        self.target += degrees


class SafeThermostat:
    """Keeps the temperature that a room should have."""

    def __init__(self, target: int = 20, maximum: int = 25) -> None:
        self._maximum = maximum
        self._target = target
        self._lock = threading.RLock()

    @property
    def target(self) -> int:
        """The temperature to reach."""
        with self._lock:
            return self._target

    @target.setter
    def target(self, value: int) -> None:
        with self._lock:
            self._target = min(value, self._maximum)

    def warmer(self, degrees: int = 1) -> None:
        """Raise the temperature, at most to the maximum."""
        with self._lock:
            self.target += degrees
