"""Copying an array by native code (Figure 6 of "Test Case Generation by Symbolic Execution"); see simp.summary.

What `array_copy` stands for is not available to symbolic execution: `--summary simp.summary` says what it does.
"""

from __future__ import annotations

from native_arrays import array_copy


def abs_(a: int) -> int:
    if a >= 0:
        return a
    else:
        return -a


def gcd(a: int, b: int) -> int:
    while b != 0:
        res = a % b
        a = b
        b = res
    return abs_(a)


class Rational:
    def __init__(self, n: int, d: int) -> None:
        self.n = n
        self.d = d

    def simplify(self) -> None:
        divisor = gcd(self.n, self.d)
        self.n = self.n // divisor
        self.d = self.d // divisor

    def simp(self, rs: list[Rational | None] | None) -> list[Rational | None]:
        length = len(rs)
        old: list[Rational | None] = [None] * length
        array_copy(rs, old, length)
        for i in range(length):
            rs[i].simplify()
        return old
