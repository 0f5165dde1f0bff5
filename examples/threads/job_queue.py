"""A queue of jobs; a worker that is woken up does not look again, and the job may be gone by then."""

from __future__ import annotations

import threading
from collections import deque


class JobQueue:
    """Jobs, the oldest first."""

    def __init__(self) -> None:
        self._jobs: deque[str] = deque()
        self._arrived = threading.Condition()

    def submit(self, job: str) -> None:
        """Add a job."""
        with self._arrived:
            self._jobs.append(job)
            self._arrived.notify()

    def take(self) -> str:
        """Wait for a job and take it."""
        with self._arrived:
            if not self._jobs:
                self._arrived.wait()
            return self._jobs.popleft()

    def __len__(self) -> int:
        with self._arrived:
            return len(self._jobs)


class SafeJobQueue:
    """Jobs, the oldest first."""

    def __init__(self) -> None:
        self._jobs: deque[str] = deque()
        self._arrived = threading.Condition()

    def submit(self, job: str) -> None:
        """Add a job."""
        with self._arrived:
            self._jobs.append(job)
            self._arrived.notify()

    def take(self) -> str:
        """Wait for a job and take it."""
        with self._arrived:
            while not self._jobs:
                self._arrived.wait()
            return self._jobs.popleft()

    def __len__(self) -> int:
        with self._arrived:
            return len(self._jobs)
