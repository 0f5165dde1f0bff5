"""Classes whose methods return objects to go on with."""

from __future__ import annotations

import threading


class Task:
    def __init__(self, schedule: Schedule, every: int) -> None:
        self._schedule, self._every, self._unit, self._tag = schedule, every, "", ""

    @property
    def seconds(self) -> Task:
        self._unit = "seconds"
        return self

    def tag(self, name: str) -> Task:
        self._tag = name
        return self

    def cancelled(self) -> bool:
        return False

    def do(self, job: str) -> Task:
        if not self._unit:
            raise ValueError("no unit")
        self._schedule.tasks = [*self._schedule.tasks, (job, self._every, self._unit, self._tag)]
        return self


class Schedule:
    def __init__(self) -> None:
        self.tasks: list[tuple[str, int, str, str]] = []

    def every(self, count: int) -> Task:
        return Task(self, count)

    def clear(self) -> None:
        self.tasks = []


class Note:
    def __init__(self, text: str) -> None:
        self.text = text

    def upper(self) -> Note:
        return Note(self.text.upper())


class Notes:
    def __init__(self) -> None:
        self._lock, self._made = threading.Lock(), 0

    def make(self, text: str) -> Note:
        with self._lock:
            self._made += 1
        return Note(text)
