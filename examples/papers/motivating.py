"""The motivating class of "Coverage-Driven Test Code Generation for Concurrent Classes", rebuilt from its text.

The comments name the accesses a1 to a9 and the lock events l1 and l2 of the paper. The locks without a
name are Java's `synchronized` methods, which the paper's traces do not show.
"""

import threading


class CUT:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.y = 0
        self.z = 0

    def m1(self, value: int) -> None:
        with self._lock:
            self.y = value  # a1

    def m2(self, value: int) -> None:
        with self._lock:
            self.y = value  # a2

    def m3(self, value: int) -> int:
        level = self.z  # a3
        if level < 0:
            raise RuntimeError("z must never be seen below zero")
        if level == 0:
            with self._lock:  # l1 l2
                return self._m4(value)
        return self._m4(value)

    def _m4(self, value: int) -> int:
        total = value + self.y  # a4
        return total * self.y  # a5

    def m5(self) -> None:
        steps = (-1, 2) if self.y > 0 else (0,)  # a6
        for step in steps:
            self.z += step  # a7

    def m6(self, other: "B") -> None:
        other.m1(1)

    def m7(self) -> None:
        with self._lock:
            level = self.y  # a8
            self.y = 0 if level > 0 else 2  # a9


class B(CUT):
    pass
