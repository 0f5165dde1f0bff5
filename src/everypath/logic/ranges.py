"""Arithmetic on closed integer ranges in which None means unbounded."""

from __future__ import annotations

Range = tuple[int | None, int | None]

EVERYTHING: Range = (None, None)


def plus(a: Range, b: Range) -> Range:
    """The range of a sum."""
    low = None if a[0] is None or b[0] is None else a[0] + b[0]
    high = None if a[1] is None or b[1] is None else a[1] + b[1]
    return low, high


def scale(a: Range, k: int) -> Range:
    """The range of a value times a constant."""
    if k == 0:
        return 0, 0
    low = None if a[0] is None else a[0] * k
    high = None if a[1] is None else a[1] * k
    return (low, high) if k > 0 else (high, low)


def meet(a: Range, b: Range) -> Range:
    """What lies in both ranges; empty ranges come out with low > high."""
    low = b[0] if a[0] is None else a[0] if b[0] is None else max(a[0], b[0])
    high = b[1] if a[1] is None else a[1] if b[1] is None else min(a[1], b[1])
    return low, high


def hull(a: Range, b: Range) -> Range:
    """The smallest range around both."""
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    high = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return low, high


def times(a: Range, b: Range) -> Range:
    """The range of a product."""
    (p, q), (r, s) = a, b
    if p is not None and q is not None and r is not None and s is not None:
        finite_corners = (p * r, p * s, q * r, q * s)
        return min(finite_corners), max(finite_corners)
    if a == (0, 0) or b == (0, 0):
        return 0, 0
    corners = [_corner(x, y) for x in ((a[0], -1), (a[1], 1)) for y in ((b[0], -1), (b[1], 1))]
    finite = [value for value, sign in corners if not sign]
    low = None if any(sign < 0 for _, sign in corners) else min(finite, default=None)
    high = None if any(sign > 0 for _, sign in corners) else max(finite, default=None)
    return low, high


# A corner is a finite value with sign 0, or an infinity with its sign; zero times infinity counts as zero,
# because the infinite end is never reached.
def _corner(x: tuple[int | None, int], y: tuple[int | None, int]) -> tuple[int, int]:
    (p, p_sign), (q, q_sign) = x, y
    if p is not None and q is not None:
        return p * q, 0
    if p == 0 or q == 0:
        return 0, 0
    first = p_sign if p is None else (1 if p > 0 else -1)
    second = q_sign if q is None else (1 if q > 0 else -1)
    return 0, first * second


def floordiv(a: Range, k: int) -> Range:
    """The range of a value divided by a positive constant, rounding down."""
    return None if a[0] is None else a[0] // k, None if a[1] is None else a[1] // k


def floormod(a: Range, k: int) -> Range:
    """The range of a value modulo a positive constant."""
    low, high = a
    if low is not None and high is not None and low // k == high // k:
        return low % k, high % k
    return 0, k - 1
