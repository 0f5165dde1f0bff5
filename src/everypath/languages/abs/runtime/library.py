"""The builtin functions of the standard library, and arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from everypath.languages.abs.runtime.values import failure, shown


def whole(value: Any) -> Any:
    """A Rat in its one representation: an int where it is whole."""
    return value.numerator if value.__class__ is Fraction and value.denominator == 1 else value


def divided(x: Any, y: Any) -> Any:
    """`x / y` of Int or Rat."""
    if y == 0:
        raise failure("DivisionByZeroException")
    return whole(Fraction(x) / Fraction(y))


def float_divided(x: float, y: float) -> float:
    """`x / y` of Float."""
    if y == 0:
        raise failure("DivisionByZeroException")
    return x / y


def remainder(x: Any, y: Any) -> Any:
    """`x % y`; the result has the sign of x."""
    if y == 0:
        raise failure("DivisionByZeroException")
    if x.__class__ is float or y.__class__ is float:
        return math.fmod(x, y)
    left = abs(x) % abs(y)
    return whole(-left if x < 0 else left)


def _real(function: Callable[[float], float]) -> Callable[[float], float]:
    def checked(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return math.inf if x > 1 else math.nan

    return checked


def _substr(text: str, start: int, count: int) -> str:
    return text[max(start, 0) : max(start + count, 0)]


def _to_whole(function: Callable[[float], int]) -> Callable[[float], int]:
    def checked(x: float) -> int:
        if not math.isfinite(x):
            raise failure("DivisionByZeroException")
        return function(x)

    return checked


PURE: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "truncate": math.trunc,
    "numerator": lambda x: x.numerator,
    "denominator": lambda x: x.denominator,
    "float": float,
    "rat": lambda x: whole(Fraction(x)),
    "floor": _to_whole(math.floor),
    "ceil": _to_whole(math.ceil),
    "sqrt": _real(math.sqrt),
    "log": _real(math.log),
    "exp": _real(math.exp),
    "toString": shown,
    "strlen": len,
    "substr": _substr,
}
"""Those without effects; `println`, `print` and `random` belong to the running step."""
EFFECTS = ("println", "print", "random")
