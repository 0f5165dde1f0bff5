"""Ranges of floats: the least and the greatest value, and whether there may be none.

Rounding is monotone, so the ends of a range are those of the operands, computed as doubles are. Nothing has to
be widened but powers, which the C library need not round correctly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

from everypath.logic.semantics import FLOAT_OPERATIONS, nearest, power, quotient, rounded
from everypath.logic.thresholds import above, below

FloatRange = tuple[float, float, bool]
"""Least value, greatest value, whether it may be no number; the ends of a range of integers are integers."""

ANYTHING: FloatRange = (-math.inf, math.inf, True)
_SLACK = 4
"""Units in the last place by which a power may be off."""


def point(value: float) -> FloatRange:
    """The range of a known value."""
    return ANYTHING if value != value else (value, value, False)


def hull(a: FloatRange, b: FloatRange) -> FloatRange:
    """The smallest range around both."""
    return min(a[0], b[0]), max(a[1], b[1]), a[2] or b[2]


def of_operation(op: str, args: Sequence[FloatRange]) -> FloatRange:
    """The range of an operation's result."""
    return _RANGES[op](*args)


def _ends(corners: Sequence[float]) -> tuple[float, float]:
    return min(corners), max(corners)


def _infinite(a: FloatRange) -> bool:
    return a[0] == -math.inf or a[1] == math.inf


def _add(a: FloatRange, b: FloatRange) -> FloatRange:
    low, high = a[0] + b[0], a[1] + b[1]
    clash = (a[0] == -math.inf and b[1] == math.inf) or (a[1] == math.inf and b[0] == -math.inf)
    return (-math.inf if low != low else low), (math.inf if high != high else high), a[2] or b[2] or clash


def _neg(a: FloatRange) -> FloatRange:
    return -a[1], -a[0], a[2]


# Zero times infinity is no number, and close to it everything from zero on.
def _mul(a: FloatRange, b: FloatRange) -> FloatRange:
    corners = [0.0 if p != p else p for p in (x * y for x, y in product(a[:2], b[:2]))]
    clash = any(_infinite(one) and other[0] <= 0 <= other[1] for one, other in ((a, b), (b, a)))
    return (*_ends(corners), a[2] or b[2] or clash)


def _div(a: FloatRange, b: FloatRange) -> FloatRange:
    low, high, nan = b
    if low < 0 < high or low == high == 0:
        return ANYTHING
    # The divisor is not zero where there is a quotient.
    low, high = (5e-324 if low == 0 else low), (-5e-324 if high == 0 else high)
    corners = [0.0 if q != q else q for q in (x / y for x, y in product(a[:2], (low, high)))]
    return (*_ends(corners), a[2] or nan or (_infinite(a) and _infinite(b)))


def _abs(a: FloatRange) -> FloatRange:
    low, high, nan = a
    if low >= 0:
        return a
    return (-high if high <= 0 else 0.0), max(-low, high), nan


def _sqrt(a: FloatRange) -> FloatRange:
    low, high, nan = a
    return math.sqrt(max(low, 0.0)), math.sqrt(max(high, 0.0)), nan or low < 0


def _pow(a: FloatRange, exponent: FloatRange) -> FloatRange:
    n = exponent[0]
    if n < 1 or n != int(n):
        return ANYTHING
    corners = [power(a[0], n), power(a[1], n)]
    if n % 2 == 0 and a[0] < 0 < a[1]:
        corners.append(0.0)
    low, high = _ends(corners)
    if n % 2 and low == math.inf:
        low = -math.inf
    for _ in range(_SLACK):
        low, high = below(low), above(high)
    return (max(low, 0.0) if n % 2 == 0 else low), high, a[2]


def _round(a: FloatRange, digits: FloatRange) -> FloatRange:
    n = int(digits[0])
    return (rounded(a[0], n), rounded(a[1], n), a[2]) if not _infinite(a) else (-math.inf, math.inf, a[2])


def _mod(a: FloatRange, b: FloatRange) -> FloatRange:
    nan = a[2] or b[2] or _infinite(a)
    return min(b[0], 0.0), max(b[1], 0.0), nan


def _floordiv(a: FloatRange, b: FloatRange) -> FloatRange:
    return -math.inf, math.inf, a[2] or b[2] or _infinite(a) or _infinite(b)


def _true_div(a: FloatRange, b: FloatRange) -> FloatRange:
    if any(end in (-math.inf, math.inf) for end in (*a[:2], *b[:2])) or b[0] <= 0 <= b[1]:
        if b[0] > 0 and a[0] >= 0:
            return 0.0, math.inf, False
        return -math.inf, math.inf, False
    return (*_ends([quotient(int(x), int(y)) for x, y in product(a[:2], b[:2])]), False)


def _of_int(a: FloatRange) -> FloatRange:
    low, high = (end if end in (-math.inf, math.inf) else nearest(int(end)) for end in a[:2])
    return low, high, False


_RANGES: dict[str, Callable[..., FloatRange]] = {
    "fadd": _add,
    "fsub": lambda a, b: _add(a, _neg(b)),
    "fmul": _mul,
    "fdiv": _div,
    "ffloordiv": _floordiv,
    "fmod": _mod,
    "fneg": _neg,
    "fabs": _abs,
    "fsqrt": _sqrt,
    "fpow": _pow,
    "fround": _round,
    "float_of_int": _of_int,
    "true_div": _true_div,
}

TO_WHOLE = {op: FLOAT_OPERATIONS[op] for op in ("ftrunc", "ffloor", "fceil", "fnearest")}
"""The operations that give an integer; they never go down when their operand goes up."""
