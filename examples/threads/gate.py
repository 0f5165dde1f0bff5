"""Threads wait at a gate until it opens; one that looks just before it opens sleeps through the signal."""

from __future__ import annotations

import threading


class Gate:
    """Holds everyone back while it is closed."""

    def __init__(self) -> None:
        self._is_open = False
        self._opened = threading.Condition()

    def open(self) -> None:
        """Let everyone through."""
        with self._opened:
            self._is_open = True
            self._opened.notify_all()

    def close(self) -> None:
        """Hold back whoever comes from now on."""
        with self._opened:
            self._is_open = False

    def wait(self) -> None:
        """Come back once the gate is open."""
        while not self._is_open:
            with self._opened:
                self._opened.wait()

    @property
    def is_open(self) -> bool:
        """Whether one gets through."""
        with self._opened:
            return self._is_open


class SafeGate:
    """Holds everyone back while it is closed."""

    def __init__(self) -> None:
        self._is_open = False
        self._opened = threading.Condition()

    def open(self) -> None:
        """Let everyone through."""
        with self._opened:
            self._is_open = True
            self._opened.notify_all()

    def close(self) -> None:
        """Hold back whoever comes from now on."""
        with self._opened:
            self._is_open = False

    def wait(self) -> None:
        """Come back once the gate is open."""
        with self._opened:
            while not self._is_open:
                self._opened.wait()

    @property
    def is_open(self) -> bool:
        """Whether one gets through."""
        with self._opened:
            return self._is_open
