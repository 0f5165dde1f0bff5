"""A cache that drops what was not used for longest; a look-up can find its key gone halfway."""

from __future__ import annotations

import threading
from collections import OrderedDict


class LruCache:
    """Keeps the most recently used entries."""

    def __init__(self, capacity: int = 2) -> None:
        if capacity < 1:
            raise ValueError("the capacity must be positive")
        self.capacity = capacity
        self._entries: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, default: object = None) -> object:
        """The value of a key, which counts as a use of it."""
        if key not in self._entries:
            return default
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: str, value: object) -> None:
        """Store a value; the oldest entry goes if there is no room."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > self.capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._entries


class SafeLruCache:
    """Keeps the most recently used entries."""

    def __init__(self, capacity: int = 2) -> None:
        if capacity < 1:
            raise ValueError("the capacity must be positive")
        self.capacity = capacity
        self._entries: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, default: object = None) -> object:
        """The value of a key, which counts as a use of it."""
        with self._lock:
            if key not in self._entries:
                return default
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: str, value: object) -> None:
        """Store a value; the oldest entry goes if there is no room."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > self.capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._entries
