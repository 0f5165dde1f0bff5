"""Two references that may be null or the same object (Example 2 of "Test Case Generation by Symbolic Execution")."""

from __future__ import annotations


class C:
    def __init__(self, f: int) -> None:
        self.f = f


def mist(r1: C | None, r2: C | None) -> None:
    if r1.f > 0:
        r2.f = 1
    else:
        r1.f = 0
