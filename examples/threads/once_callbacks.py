"""Runs callbacks once each; two threads that fire together run a callback twice and remove it twice."""

from __future__ import annotations

import threading
from collections.abc import Callable


class OnceCallbacks:
    """Callbacks waiting for something to happen for the first time."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[str], object]] = []
        self._lock = threading.Lock()

    def once(self, callback: Callable[[str], object]) -> None:
        """Call back the next time."""
        with self._lock:
            self._waiting.append(callback)

    def fire(self, event: str) -> int:
        """Run everything that waits; returns how many ran."""
        fired = 0
        for callback in list(self._waiting):
            self._waiting.remove(callback)
            callback(event)
            fired += 1
        return fired

    def pending(self) -> int:
        """How many callbacks wait."""
        with self._lock:
            return len(self._waiting)


class SafeOnceCallbacks:
    """Callbacks waiting for something to happen for the first time."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[str], object]] = []
        self._lock = threading.Lock()

    def once(self, callback: Callable[[str], object]) -> None:
        """Call back the next time."""
        with self._lock:
            self._waiting.append(callback)

    def fire(self, event: str) -> int:
        """Run everything that waits; returns how many ran."""
        with self._lock:
            ready, self._waiting = self._waiting, []
        for callback in ready:
            callback(event)
        return len(ready)

    def pending(self) -> int:
        """How many callbacks wait."""
        with self._lock:
            return len(self._waiting)
