"""What each operation means on concrete values: total functions, so that any assignment can be evaluated.

Outside the domain that constructors promise (an index out of range, a zero divisor) the values are those
of the SMT encoding in `smt.py`; no path condition depends on them, but candidate models may hit them. Division of
floats by zero, which programs meet as an exception before there is a term, gives a NaN, and an integer that is too
large for a float an infinity.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from everypath.logic.nodes import Value


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
    "fnegzero": lambda a: a == 0 and math.copysign(1.0, a) < 0,
}
"""The operations of float terms; those that begin with f take floats, comparisons also integers."""


MAX_CODE = 0x10FFFF
"""The largest character code."""

_CLASSES = {
    "int": r"[+-]?[0-9]+",
    "digits": r"[0-9]+",
    "alpha": r"[A-Za-z]+",
    "alnum": r"[0-9A-Za-z]+",
    "space": r"[\t-\r\x1c-\x20]+",
    "upper": r"[^a-z]*[A-Z][^a-z]*",
    "lower": r"[^A-Z]*[a-z][^A-Z]*",
    "ascii": r"[\x00-\x7f]*",
}
CHARACTERS: dict[str, tuple[tuple[int, int], ...]] = {
    "int": ((48, 57),),
    "digits": ((48, 57),),
    "alpha": ((65, 90), (97, 122)),
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "space": ((9, 13), (28, 32)),
    "upper": ((65, 90),),
    "lower": ((97, 122),),
    "ascii": ((0, 127),),
}
"""The codes of the single characters that belong to a class."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """What the texts of a class look like; compiled when it is first needed, because few runs have texts."""
    return re.compile(_CLASSES[name], re.DOTALL)


def _mul(*factors: int) -> int:
    product = 1
    for factor in factors:
        product *= factor
    return product


def _floordiv(a: int, b: int) -> int:
    return a // b if b else 0


def _floormod(a: int, b: int) -> int:
    return a % b if b else 0


def _truncdiv(a: int, b: int) -> int:
    if not b:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _truncrem(a: int, b: int) -> int:
    if not b:
        return 0
    return a % abs(b) if a >= 0 else -(-a % abs(b))


def _at(s: str, i: int) -> str:
    return s[i] if 0 <= i < len(s) else ""


def _substring(s: str, start: int, stop: int) -> str:
    return s[start:stop] if 0 <= start < stop and start < len(s) else ""


def _index_of(s: str, part: str, start: int) -> int:
    return s.find(part, start) if 0 <= start <= len(s) else -1


def _int_of_str(s: str) -> int:
    return int(s) if _pattern("int").fullmatch(s) else 0


def _chr(code: int) -> str:
    return chr(code) if 0 <= code <= MAX_CODE else ""


def _matches(s: str, name: str) -> bool:
    return _pattern(name).fullmatch(s) is not None


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "mul": _mul,
    "floordiv": _floordiv,
    "floormod": _floormod,
    "truncdiv": _truncdiv,
    "truncrem": _truncrem,
    "bit_and": lambda a, b: a & b,
    "int_of_bool": int,
    "ite": lambda condition, yes, no: yes if condition else no,
    "not": lambda a: not a,
    "and": lambda *conditions: all(conditions),
    "or": lambda *conditions: any(conditions),
    "bool_eq": lambda a, b: a == b,
    "concat": lambda *pieces: "".join(pieces),
    "len": len,
    "at": _at,
    "substring": _substring,
    "str_eq": lambda a, b: a == b,
    "str_lt": lambda a, b: a < b,
    "str_le": lambda a, b: a <= b,
    "contains": lambda s, part: part in s,
    "starts_with": lambda s, prefix: s.startswith(prefix),
    "ends_with": lambda s, suffix: s.endswith(suffix),
    "index_of": _index_of,
    "replace_first": lambda s, old, new: s.replace(old, new, 1),
    "str_of_int": str,
    "int_of_str": _int_of_str,
    "ord": lambda s: ord(s) if len(s) == 1 else -1,
    "chr": _chr,
    "matches": _matches,
    "repr": repr,
    "format": lambda value, spec: format(value, spec),
    "percent": lambda value, spec: spec % (value,),
    **FLOAT_OPERATIONS,
}


def operate(op: str, args: tuple[Value, ...]) -> Value:
    """The result of an operation on concrete values."""
    return _OPERATIONS[op](*args)
