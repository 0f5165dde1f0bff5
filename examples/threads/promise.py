"""A value that comes later and never changes again; two threads can both set it."""

from __future__ import annotations

import threading


class Promise:
    """Set once, read by everyone who waits."""

    def __init__(self) -> None:
        self._value: object = None
        self._resolved = threading.Event()

    def resolve(self, value: object) -> None:
        """Set the value."""
        if self._resolved.is_set():
            raise RuntimeError("resolved already")
        self._value = value
        self._resolved.set()

    def result(self, timeout: float | None = None) -> object:
        """Wait for the value."""
        if not self._resolved.wait(timeout):
            raise TimeoutError("not resolved in time")
        return self._value

    @property
    def is_resolved(self) -> bool:
        """Whether the value is there."""
        return self._resolved.is_set()


class SafePromise:
    """Set once, read by everyone who waits."""

    def __init__(self) -> None:
        self._value: object = None
        self._resolved = threading.Event()
        self._resolving = threading.Lock()

    def resolve(self, value: object) -> None:
        """Set the value."""
        with self._resolving:
            if self._resolved.is_set():
                raise RuntimeError("resolved already")
            self._value = value
            self._resolved.set()

    def result(self, timeout: float | None = None) -> object:
        """Wait for the value."""
        if not self._resolved.wait(timeout):
            raise TimeoutError("not resolved in time")
        return self._value

    @property
    def is_resolved(self) -> bool:
        """Whether the value is there."""
        return self._resolved.is_set()
