"""Simplifying a fraction by the greatest common divisor (Figure 6 of "Test Case Generation by Symbolic Execution")."""


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
