"""What each operation on floats means on concrete values: the arithmetic of doubles, made total.

Division by zero, which programs meet as an exception before there is a term, gives a NaN here, and an integer that is
too large for a float an infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def nearest(number: int) -> float:
    """The float nearest to an integer."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def quotient(a: int, b: int) -> float:
    """a / b of integers, rounded once."""
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan
    except OverflowError:
        return math.inf if (a < 0) == (b < 0) else -math.inf


def divide(a: float, b: float) -> float:
    """a / b of floats."""
    return a / b if b else math.nan


def floor_divide(a: float, b: float) -> float:
    """a // b of floats."""
    return a // b if b else math.nan


def remainder(a: float, b: float) -> float:
    """a % b of floats, with the sign of b."""
    return a % b if b else math.nan


def square_root(a: float) -> float:
    """The square root; of negative numbers a NaN."""
    return math.sqrt(a) if a >= 0 else math.nan


def power(a: float, exponent: float) -> float:
    """a ** exponent where the result is a float."""
    try:
        result = a**exponent
    except ZeroDivisionError:
        return math.nan
    except OverflowError:
        return math.inf
    return math.nan if isinstance(result, complex) else result


def rounded(a: float, digits: int) -> float:
    """round(a, digits)"""
    try:
        return round(a, digits)
    except OverflowError:
        return math.inf


def _whole(function: Callable[[float], int]) -> Callable[[float], int]:
    def total(a: float) -> int:
        return function(a) if math.isfinite(a) else 0

    return total


FLOAT_OPERATIONS: dict[str, Callable[..., Any]] = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": divide,
    "ffloordiv": floor_divide,
    "fmod": remainder,
    "fneg": lambda a: -a,
    "fabs": abs,
    "fsqrt": square_root,
    "fpow": power,
    "fround": rounded,
    "float_of_int": nearest,
    "true_div": quotient,
    "ftrunc": _whole(math.trunc),
    "ffloor": _whole(math.floor),
    "fceil": _whole(math.ceil),
    "fnearest": _whole(round),
    "flt": lambda a, b: a < b,
    "fle": lambda a, b: a <= b,
    "feq": lambda a, b: a == b,
    "isnan": math.isnan,
    "isinf": math.isinf,
}
"""The operations of float terms; those that begin with f take floats, comparisons also integers."""
