"""Opens a connection when it is first needed; two threads in a hurry open two of them."""

from __future__ import annotations

import threading


class Connection:
    """Stands for something costly of which there must be one."""

    def __init__(self, address: str) -> None:
        self.address = address


class LazyConnection:
    """A connection made on first use."""

    def __init__(self, address: str = "localhost") -> None:
        self._address = address
        self._connection: Connection | None = None
        self._lock = threading.Lock()

    def get(self) -> Connection:
        """The one connection."""
        connection = self._connection
        if connection is None:
            connection = Connection(self._address)
            self._connection = connection
        return connection

    def close(self) -> bool:
        """Let the connection go; false if there was none."""
        with self._lock:
            was_open = self._connection is not None
            self._connection = None
            return was_open

    @property
    def is_open(self) -> bool:
        """Whether the connection was made."""
        with self._lock:
            return self._connection is not None


class SafeLazyConnection:
    """A connection made on first use."""

    def __init__(self, address: str = "localhost") -> None:
        self._address = address
        self._connection: Connection | None = None
        self._lock = threading.Lock()

    def get(self) -> Connection:
        """The one connection."""
        with self._lock:
            if self._connection is None:
                self._connection = Connection(self._address)
            return self._connection

    def close(self) -> bool:
        """Let the connection go; false if there was none."""
        with self._lock:
            was_open = self._connection is not None
            self._connection = None
            return was_open

    @property
    def is_open(self) -> bool:
        """Whether the connection was made."""
        with self._lock:
            return self._connection is not None
