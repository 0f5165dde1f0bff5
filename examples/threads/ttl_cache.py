"""Values that are forgotten after a while; a look-up can find a value whose deadline is not stored yet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class TtlCache:
    """Keeps each value for a number of seconds."""

    def __init__(self, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._values: dict[str, object] = {}
        self._deadlines: dict[str, float] = {}
        self._lock = threading.Lock()

    def put(self, key: str, value: object) -> None:
        """Store a value from now on."""
        self._values[key] = value
        self._deadlines[key] = self._clock() + self._seconds

    def get(self, key: str, default: object = None) -> object:
        """The value, unless it is too old."""
        with self._lock:
            if key not in self._values:
                return default
            if self._deadlines[key] <= self._clock():
                del self._values[key], self._deadlines[key]
                return default
            return self._values[key]

    def discard(self, key: str) -> None:
        """Forget a value now."""
        with self._lock:
            self._values.pop(key, None)
            self._deadlines.pop(key, None)


class SafeTtlCache:
    """Keeps each value for a number of seconds."""

    def __init__(self, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._values: dict[str, object] = {}
        self._deadlines: dict[str, float] = {}
        self._lock = threading.Lock()

    def put(self, key: str, value: object) -> None:
        """Store a value from now on."""
        with self._lock:
            self._values[key] = value
            self._deadlines[key] = self._clock() + self._seconds

    def get(self, key: str, default: object = None) -> object:
        """The value, unless it is too old."""
        with self._lock:
            if key not in self._values:
                return default
            if self._deadlines[key] <= self._clock():
                del self._values[key], self._deadlines[key]
                return default
            return self._values[key]

    def discard(self, key: str) -> None:
        """Forget a value now."""
        with self._lock:
            self._values.pop(key, None)
            self._deadlines.pop(key, None)
