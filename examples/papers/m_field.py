"""The test of a field tells three references apart (Example 3 of "A CLP Heap Solver for Test Case Generation")."""

from __future__ import annotations


class Ref:
    def __init__(self, f: int) -> None:
        self.f = f


def m(x: Ref, y: Ref, z: Ref) -> int:
    x.f = 1
    z.f = -5
    y.f = x.f + 1
    if x.f == 1:
        return y.f
    return 0
