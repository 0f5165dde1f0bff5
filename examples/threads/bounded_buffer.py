"""A buffer with room for a few items; an item leaves it only after the lock is gone and the signal is sent."""

from __future__ import annotations

import threading
from collections import deque


class BoundedBuffer:
    """Passes items from producers to consumers."""

    def __init__(self, capacity: int = 1) -> None:
        if capacity < 1:
            raise ValueError("the capacity must be positive")
        self._capacity = capacity
        self._items: deque[object] = deque()
        self._lock = threading.Lock()
        self._not_empty = threading.Condition(self._lock)
        self._not_full = threading.Condition(self._lock)

    def put(self, item: object) -> None:
        """Add an item, once there is room."""
        with self._lock:
            while len(self._items) >= self._capacity:
                self._not_full.wait()
            self._items.append(item)
            self._not_empty.notify()

    def get(self) -> object:
        """Take the oldest item, once there is one."""
        with self._lock:
            while not self._items:
                self._not_empty.wait()
            self._not_full.notify()
        return self._items.popleft()

    def __len__(self) -> int:
        with self._lock:
            return len(self._items)


class SafeBoundedBuffer:
    """Passes items from producers to consumers."""

    def __init__(self, capacity: int = 1) -> None:
        if capacity < 1:
            raise ValueError("the capacity must be positive")
        self._capacity = capacity
        self._items: deque[object] = deque()
        self._lock = threading.Lock()
        self._not_empty = threading.Condition(self._lock)
        self._not_full = threading.Condition(self._lock)

    def put(self, item: object) -> None:
        """Add an item, once there is room."""
        with self._lock:
            while len(self._items) >= self._capacity:
                self._not_full.wait()
            self._items.append(item)
            self._not_empty.notify()

    def get(self) -> object:
        """Take the oldest item, once there is one."""
        with self._lock:
            while not self._items:
                self._not_empty.wait()
            item = self._items.popleft()
            self._not_full.notify()
            return item

    def __len__(self) -> int:
        with self._lock:
            return len(self._items)
