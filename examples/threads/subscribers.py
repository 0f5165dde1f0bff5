"""A list that is copied on every change so that readers need no lock; the copy is made before the lock is taken."""

from __future__ import annotations

import threading
from collections.abc import Iterator


class Subscribers:
    """Names, in the order in which they came."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """Append a name."""
        changed = (*self._names, name)
        with self._lock:
            self._names = changed

    def remove(self, name: str) -> bool:
        """Take a name out wherever it stands; false if it was not there."""
        with self._lock:
            if name not in self._names:
                return False
            self._names = tuple(other for other in self._names if other != name)
            return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class SafeSubscribers:
    """Names, in the order in which they came."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """Append a name."""
        with self._lock:
            self._names = (*self._names, name)

    def remove(self, name: str) -> bool:
        """Take a name out wherever it stands; false if it was not there."""
        with self._lock:
            if name not in self._names:
                return False
            self._names = tuple(other for other in self._names if other != name)
            return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
