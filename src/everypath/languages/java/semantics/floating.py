"""`double` and `float`: IEEE arithmetic that never fails, and the conversions between number types.

Terms have the precision of `double`. A `float` is always a known number: inputs are a few samples, and an integer that
becomes one is fixed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import as_int
from everypath.heap.values import Value
from everypath.languages.java.frontend.types import BOUNDS
from everypath.logic import terms
from everypath.logic.terms import FloatLike, Term


def single(number: float) -> float:
    """The `float` nearest to a number."""
    try:
        found: float = struct.unpack(">f", struct.pack(">f", number))[0]
    except OverflowError:
        # Python refuses to round up to infinity.
        found = math.copysign(math.inf, number)
    return found


def divided(a: float, b: float) -> float:
    """a / b, infinite or not a number where b is zero."""
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(a: float, b: float) -> float:
    """The rest of a truncating division, with the sign of a."""
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    return math.fmod(a, b)


_KNOWN: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": divided,
    "rem": remainder,
}
_TERMS: dict[str, Callable[[FloatLike, FloatLike], FloatLike]] = {
    "add": terms.float_add,
    "sub": terms.float_sub,
    "mul": terms.float_mul,
}


def _known(st: State, value: Value, what: str) -> float:
    found = fixed(st, resolve(st, value), what)
    assert isinstance(found, (int, float))
    return float(found)


def _double(name: str) -> Callable[[State, Value, Value], Value]:
    def operate(st: State, left: Value, right: Value) -> Value:
        left, right = resolve(st, left), resolve(st, right)
        if isinstance(left, float) and isinstance(right, float):
            return _KNOWN[name](left, right)
        if name in _TERMS:
            return _TERMS[name](left, right)  # type: ignore[arg-type]
        if name == "div" and not decide(st.pc, terms.float_eq(right, 0.0)):  # type: ignore[arg-type]
            return terms.float_div(left, right)  # type: ignore[arg-type]
        what = "a division by zero" if name == "div" else "the remainder of a division of numbers that are not known"
        return _KNOWN[name](_known(st, left, what), _known(st, right, what))

    return operate


def _float(name: str) -> Callable[[State, Value, Value], Value]:
    def operate(st: State, left: Value, right: Value) -> Value:
        what = "arithmetic on float"
        return single(_KNOWN[name](_known(st, left, what), _known(st, right, what)))

    return operate


def _negated(st: State, value: Value) -> Value:
    value = resolve(st, value)
    return -value if isinstance(value, float) else terms.float_neg(value)  # type: ignore[arg-type]


def _to_double(st: State, value: Value) -> Value:
    number = as_int(resolve(st, value))
    if not isinstance(number, Term):
        return float(number)
    low, high = terms.intrinsic(number)
    # The conversion of larger numbers rounds, which terms for small ones do not expect.
    if low is not None and high is not None and low >= -(1 << 53) and high <= 1 << 53:
        return terms.int_to_float(number)
    if decide(st.pc, terms.and_(terms.le(-(1 << 53), number), terms.le(number, 1 << 53))):
        return terms.int_to_float(number)
    return _known(st, number, "a long as a double")


def _to_single(st: State, value: Value) -> Value:
    found = fixed(st, resolve(st, value), "a number as a float")
    assert isinstance(found, (int, float))
    return single(float(found))


def _truncated(letter: str) -> Callable[[State, Value], Value]:
    """The conversion to an integer type: towards zero, the nearest one that exists, 0 for what is not a number."""
    low, high = BOUNDS[letter]

    def convert(st: State, value: Value) -> Value:
        value = resolve(st, value)
        if isinstance(value, Term):
            if decide(st.pc, terms.and_(terms.float_lt(float(low) - 1, value), terms.float_lt(value, float(high)))):
                return terms.float_trunc(value)
            value = fixed(st, value, "a double that is too large for an integer")
        assert isinstance(value, float)
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return high if value > 0 else low
        return max(low, min(high, math.trunc(value)))

    return convert


def compare(st: State, left: Value, right: Value, unordered: int) -> int:
    """-1, 0 or 1; `unordered` where one is not a number."""
    left, right = resolve(st, left), resolve(st, right)
    if decide(st.pc, terms.float_lt(left, right)):  # type: ignore[arg-type]
        return -1
    if decide(st.pc, terms.float_eq(left, right)):  # type: ignore[arg-type]
        return 0
    return 1 if decide(st.pc, terms.float_lt(right, left)) else unordered  # type: ignore[arg-type]


def natives() -> dict[str, Callable[..., Value]]:
    """The instructions of the JVM on these types."""
    return {
        **{f"d{name}": _double(name) for name in _KNOWN},
        **{f"f{name}": _float(name) for name in _KNOWN},
        "dneg": _negated,
        "fneg": _negated,
        "i2d": _to_double,
        "l2d": _to_double,
        "i2f": _to_single,
        "l2f": _to_single,
        "d2f": _to_single,
        "f2d": lambda st, value: resolve(st, value),
        "d2i": _truncated("I"),
        "d2l": _truncated("J"),
        "f2i": _truncated("I"),
        "f2l": _truncated("J"),
        "fcmpl": lambda st, left, right: compare(st, left, right, -1),
        "fcmpg": lambda st, left, right: compare(st, left, right, 1),
    }
