"""Hands out a limited number of connections; two threads can both take the last free place."""

from __future__ import annotations

import threading


class PoolExhausted(Exception):
    """All connections are in use."""


class ConnectionPool:
    """Reuses connections, which are just numbers here, and makes no more than it may."""

    def __init__(self, maximum: int = 2) -> None:
        self.maximum = maximum
        self._made = 0
        self._idle: list[int] = []
        self._lock = threading.Lock()

    def acquire(self) -> int:
        """A connection that nobody else has."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        if self._made >= self.maximum:
            raise PoolExhausted(f"all {self.maximum} connections are in use")
        self._made += 1
        return self._made

    def release(self, connection: int) -> None:
        """Give a connection back."""
        with self._lock:
            if not 1 <= connection <= self._made or connection in self._idle:
                raise ValueError(f"connection {connection} is not in use")
            self._idle.append(connection)

    @property
    def in_use(self) -> int:
        """How many connections are out."""
        with self._lock:
            return self._made - len(self._idle)


class SafeConnectionPool:
    """Reuses connections, which are just numbers here, and makes no more than it may."""

    def __init__(self, maximum: int = 2) -> None:
        self.maximum = maximum
        self._made = 0
        self._idle: list[int] = []
        self._lock = threading.Lock()

    def acquire(self) -> int:
        """A connection that nobody else has."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._made >= self.maximum:
                raise PoolExhausted(f"all {self.maximum} connections are in use")
            self._made += 1
            return self._made

    def release(self, connection: int) -> None:
        """Give a connection back."""
        with self._lock:
            if not 1 <= connection <= self._made or connection in self._idle:
                raise ValueError(f"connection {connection} is not in use")
            self._idle.append(connection)

    @property
    def in_use(self) -> int:
        """How many connections are out."""
        with self._lock:
            return self._made - len(self._idle)
