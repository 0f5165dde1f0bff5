"""Many readers or one writer; a reader is counted so late that a writer gets in beside it."""

from __future__ import annotations

import threading


class ReadWriteLock:
    """Shared access for reading, exclusive access for writing."""

    def __init__(self) -> None:
        self._readers = 0
        self._writing = False
        self._changed = threading.Condition()

    def acquire_read(self) -> None:
        """Wait until nobody writes."""
        with self._changed:
            while self._writing:
                self._changed.wait()
        self._readers += 1

    def release_read(self) -> None:
        """Be done with reading."""
        with self._changed:
            if self._readers == 0:
                raise RuntimeError("nobody reads")
            self._readers -= 1
            self._changed.notify_all()

    def acquire_write(self) -> None:
        """Wait until nobody reads or writes."""
        with self._changed:
            while self._writing or self._readers:
                self._changed.wait()
            self._writing = True

    def release_write(self) -> None:
        """Be done with writing."""
        with self._changed:
            if not self._writing:
                raise RuntimeError("nobody writes")
            self._writing = False
            self._changed.notify_all()


class SafeReadWriteLock:
    """Shared access for reading, exclusive access for writing."""

    def __init__(self) -> None:
        self._readers = 0
        self._writing = False
        self._changed = threading.Condition()

    def acquire_read(self) -> None:
        """Wait until nobody writes."""
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._readers += 1

    def release_read(self) -> None:
        """Be done with reading."""
        with self._changed:
            if self._readers == 0:
                raise RuntimeError("nobody reads")
            self._readers -= 1
            self._changed.notify_all()

    def acquire_write(self) -> None:
        """Wait until nobody reads or writes."""
        with self._changed:
            while self._writing or self._readers:
                self._changed.wait()
            self._writing = True

    def release_write(self) -> None:
        """Be done with writing."""
        with self._changed:
            if not self._writing:
                raise RuntimeError("nobody writes")
            self._writing = False
            self._changed.notify_all()
