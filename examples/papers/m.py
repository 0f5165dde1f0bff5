"""Three references whose aliasing decides a branch (Figure 3 of "Test Case Generation by Symbolic Execution")."""

from __future__ import annotations


class Ref:
    def __init__(self, f: int) -> None:
        self.f = f


def a() -> None:
    pass


def b() -> None:
    pass


def c(v: int) -> None:
    pass


def d(v: int) -> None:
    pass


def m(x: Ref, y: Ref, z: Ref) -> None:
    x.f = 1
    z.f = -5
    a()
    y.f = x.f + 1
    b()
    if x is z:
        c(y.f)
    else:
        d(y.f)
