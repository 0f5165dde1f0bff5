"""Where a float that depends on one unknown crosses a bound: found exactly, by bisection over all floats or integers.

Rounding is monotone: of two numbers, the larger one is never rounded to less. So the result of a chain of operations
with constants on one unknown never decreases (or never increases) as the unknown grows. A bound on the result is
therefore exactly a bound on the unknown, rounding included. The floats are numbered in their order, which for IEEE 754
numbers is that of their bits, and bisection finds the first number at which the bound is crossed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache, lru_cache

from everypath.logic.nodes import Comparison, Node, Term
from everypath.logic.semantics import FLOAT_OPERATIONS

LIMIT = 1 << 1023
"""Integers that become floats are at most this far from zero; so the conversion never overflows."""
LARGEST = math.nextafter(math.inf, 0.0)
"""The largest finite float."""

MAX_POWER = 8
"""The largest exponent of a float that stays symbolic."""

Step = Callable[[float], float]
_INFINITE_KEY = 0x7FF0000000000000


def is_about_size(condition: Term) -> bool:
    """Whether a condition only says that a number is small enough for the arithmetic that it takes part in."""
    if isinstance(condition, Comparison):
        return abs(condition.const) == LIMIT
    if not isinstance(condition, Node):
        return False
    if condition.op == "fle":
        return condition.args[1] == LARGEST
    compared = condition.args[0] if condition.op == "not" else None
    if not isinstance(compared, Node) or compared.op != "flt":
        return False
    return compared.args[0] in [largest_base(power) for power in range(2, MAX_POWER + 1)]


def key_of(number: float) -> int:
    """The position of a float in the order of all floats; both zeros are at 0."""
    # The bits of positive floats, read as integers, have the order of the floats; those of negative ones the reverse.
    bits: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def float_at(key: int) -> float:
    """The float at a position in the order of all floats."""
    size: float = struct.unpack("<d", struct.pack("<q", abs(key)))[0]
    return size if key >= 0 else -size


@cache
def largest_base(exponent: float) -> float:
    """The largest number that does not overflow when it is raised to the exponent, which is larger than 1."""
    low, high = key_of(1.0), key_of(LARGEST)
    while low < high:
        middle = (low + high + 1) // 2
        try:
            float_at(middle) ** exponent
            low = middle
        except OverflowError:
            high = middle - 1
    return float_at(low)


def above(number: float) -> float:
    """The next larger float."""
    return math.nextafter(number, math.inf)


def below(number: float) -> float:
    """The next smaller float."""
    return math.nextafter(number, -math.inf)


def chain(term: Term) -> tuple[Term, tuple[Step, ...], bool]:
    """The unknown inside a chain of operations with constants, the operations, and whether the result grows with it."""
    steps: list[Step] = []
    grows = True
    while isinstance(term, Node):
        step = _step(term)
        if step is None:
            break
        inner, function, same = step
        steps.append(function)
        grows = grows == same
        term = inner
    return term, tuple(reversed(steps)), grows


def _step(node: Node) -> tuple[Term, Step, bool] | None:
    op, args = node.op, node.args
    first = args[0]
    if op == "fneg" and isinstance(first, Term):
        return first, lambda x: -x, False
    if op == "float_of_int" and isinstance(first, Term):
        return first, FLOAT_OPERATIONS[op], True
    if len(args) != 2 or op not in ("fadd", "fsub", "fmul", "fdiv", "true_div", "fround"):
        return None
    second = args[1]
    function = FLOAT_OPERATIONS[op]
    if isinstance(first, Term) and not isinstance(second, Term):
        constant: float = second  # type: ignore[assignment]
        # Multiplying by zero or infinity forgets the unknown, or makes it NaN, which has no place in an order.
        if op in ("fmul", "fdiv", "true_div") and (constant == 0 or not math.isfinite(constant)):
            return None
        if not math.isfinite(constant):
            return None
        return first, lambda x: function(x, constant), op in ("fadd", "fsub", "fround") or constant > 0
    if isinstance(second, Term) and not isinstance(first, Term) and op == "fsub" and math.isfinite(first):  # type: ignore[arg-type]
        return second, lambda x: function(first, x), False
    return None


@lru_cache(maxsize=4096)
def preimage(term: Term, low: float, high: float) -> tuple[Term, float, float] | None:
    """The unknown inside a chain, and its least and greatest value for which the result lies within the bounds.

    None if there is no such value. An unbounded end of an integer is LIMIT away from zero.
    """
    root, steps, grows = chain(term)

    def value(key: int) -> float:
        result: float = key if whole else float_at(key)
        for step in steps:
            result = step(result)
        return result

    whole = root.sort == "int"
    end = LIMIT if whole else _INFINITE_KEY
    if grows:
        least = _first(lambda key: value(key) >= low, end)
        beyond = _first(lambda key: value(key) > high, end)
    else:
        least = _first(lambda key: value(key) <= high, end)
        beyond = _first(lambda key: value(key) < low, end)
    if least is None or (beyond is not None and beyond <= least):
        return None
    most = end if beyond is None else beyond - 1
    return (root, least, most) if whole else (root, float_at(least), float_at(most))


def _first(holds: Callable[[int], bool], end: int) -> int | None:
    """The least number from -end to end from which on a condition holds; None if it holds for none of them."""
    # Steps that double first find an interval with the crossing: it is usually close to zero, far from both ends.
    step = 1
    if holds(0):
        high, low = 0, -1
        while holds(low):
            if low == -end:
                return low
            high, low = low, max(-end, low - step)
            step *= 2
    else:
        low, high = 0, 1
        while not holds(high):
            if high == end:
                return None
            low, high = high, min(end, high + step)
            step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
