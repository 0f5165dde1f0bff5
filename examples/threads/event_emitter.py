"""Listeners by event; two threads that subscribe to a new event at once make a list each, and one list is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable


class EventEmitter:
    """Tells listeners what happens."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Callable[[str], object]]] = {}
        self._lock = threading.Lock()

    def on(self, event: str, listener: Callable[[str], object]) -> None:
        """Call the listener whenever the event happens."""
        if event not in self._listeners:
            self._listeners[event] = []
        self._listeners[event].append(listener)

    def off(self, event: str) -> int:
        """Forget everyone who listens to the event; returns how many there were."""
        with self._lock:
            return len(self._listeners.pop(event, []))

    def emit(self, event: str) -> int:
        """Tell everyone; returns how many listeners there were."""
        with self._lock:
            listeners = list(self._listeners.get(event, []))
        for listener in listeners:
            listener(event)
        return len(listeners)

    def events(self) -> list[str]:
        """Every event that somebody listens to."""
        with self._lock:
            return sorted(self._listeners)


class SafeEventEmitter:
    """Tells listeners what happens."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Callable[[str], object]]] = {}
        self._lock = threading.Lock()

    def on(self, event: str, listener: Callable[[str], object]) -> None:
        """Call the listener whenever the event happens."""
        with self._lock:
            if event not in self._listeners:
                self._listeners[event] = []
            self._listeners[event].append(listener)

    def off(self, event: str) -> int:
        """Forget everyone who listens to the event; returns how many there were."""
        with self._lock:
            return len(self._listeners.pop(event, []))

    def emit(self, event: str) -> int:
        """Tell everyone; returns how many listeners there were."""
        with self._lock:
            listeners = list(self._listeners.get(event, []))
        for listener in listeners:
            listener(event)
        return len(listeners)

    def events(self) -> list[str]:
        """Every event that somebody listens to."""
        with self._lock:
            return sorted(self._listeners)
