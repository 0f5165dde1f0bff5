"""A stack that remembers its size beside its items; the size is stored too late and goes out of date."""

from __future__ import annotations

import threading


class WorkStack:
    """Tasks, the last one first."""

    def __init__(self) -> None:
        self._tasks: list[str] = []
        self._size = 0
        self._lock = threading.Lock()

    def push(self, task: str) -> None:
        """Add a task."""
        with self._lock:
            self._tasks.append(task)
            size = len(self._tasks)
        self._size = size

    def pop(self) -> str | None:
        """Take the newest task, if there is one."""
        with self._lock:
            if not self._tasks:
                return None
            task = self._tasks.pop()
            self._size = len(self._tasks)
            return task

    def __len__(self) -> int:
        with self._lock:
            return self._size


class SafeWorkStack:
    """Tasks, the last one first."""

    def __init__(self) -> None:
        self._tasks: list[str] = []
        self._size = 0
        self._lock = threading.Lock()

    def push(self, task: str) -> None:
        """Add a task."""
        with self._lock:
            self._tasks.append(task)
            self._size = len(self._tasks)

    def pop(self) -> str | None:
        """Take the newest task, if there is one."""
        with self._lock:
            if not self._tasks:
                return None
            task = self._tasks.pop()
            self._size = len(self._tasks)
            return task

    def __len__(self) -> int:
        with self._lock:
            return self._size
