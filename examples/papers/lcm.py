"""Least common multiple with a caught division by zero (Figure 13 of "Test Case Generation by Symbolic Execution")."""


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


def lcm(a: int, b: int) -> int:
    if a < b:
        aux = a
        a = b
        b = aux
    d = gcd(a, b)
    try:
        return abs_(a * b) // d
    except Exception:
        return -1
