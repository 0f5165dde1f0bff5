"""Collects log lines and writes them in batches; the lock is taken only when the buffer is full, so lines get lost."""

from __future__ import annotations

import threading


class LogBuffer:
    """Lines on their way to a sink, which is a list here."""

    def __init__(self, limit: int = 2) -> None:
        self._limit = limit
        self._lines: list[str] = []
        self._written: list[str] = []
        self._lock = threading.Lock()

    def write(self, line: str) -> None:
        """Add a line."""
        if len(self._lines) < self._limit:
            self._lines.append(line)
            return
        with self._lock:
            self._written.extend(self._lines)
            self._lines = [line]

    def flush(self) -> None:
        """Send on everything that is left."""
        with self._lock:
            self._written.extend(self._lines)
            self._lines = []

    def written(self) -> list[str]:
        """What has reached the sink."""
        with self._lock:
            return list(self._written)


class SafeLogBuffer:
    """Lines on their way to a sink, which is a list here."""

    def __init__(self, limit: int = 2) -> None:
        self._limit = limit
        self._lines: list[str] = []
        self._written: list[str] = []
        self._lock = threading.Lock()

    def write(self, line: str) -> None:
        """Add a line."""
        with self._lock:
            if len(self._lines) < self._limit:
                self._lines.append(line)
                return
            self._written.extend(self._lines)
            self._lines = [line]

    def flush(self) -> None:
        """Send on everything that is left."""
        with self._lock:
            self._written.extend(self._lines)
            self._lines = []

    def written(self) -> list[str]:
        """What has reached the sink."""
        with self._lock:
            return list(self._written)
