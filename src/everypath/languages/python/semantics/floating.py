"""Arithmetic, comparison and conversion of numbers of which one is a float, or becomes one."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable
from typing import Any

from everypath.errors import SolverUnknown
from everypath.explore.concretise import fixed
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import Alternative, Assume, Fork, Unsolved, decide, only_unusual
from everypath.heap.equality import as_int, is_float
from everypath.heap.values import Value
from everypath.languages.python.semantics.kinds import misuse, type_name
from everypath.logic import terms
from everypath.logic.float_bounds import compared_inputs
from everypath.logic.float_ranges import TO_WHOLE
from everypath.logic.nodes import Linear, Node
from everypath.logic.terms import FloatLike, IntLike, Term, Var
from everypath.logic.thresholds import LARGEST, LIMIT, MAX_POWER, largest_base

_ARITHMETIC: dict[str, Callable[[FloatLike, FloatLike], FloatLike]] = {
    "+": terms.float_add,
    "-": terms.float_sub,
    "*": terms.float_mul,
    "/": terms.float_div,
    "//": terms.float_floordiv,
    "%": terms.float_mod,
}
_DIVISIONS: dict[str, Callable[[Any, Any], Any]] = {
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "divmod": divmod,
}
_COMPARISONS: dict[str, Callable[[IntLike, IntLike], bool | Term]] = {
    "<": terms.float_lt,
    "<=": terms.float_le,
    ">": lambda a, b: terms.float_lt(b, a),
    ">=": lambda a, b: terms.float_le(b, a),
    "==": terms.float_eq,
    "!=": lambda a, b: terms.not_(terms.float_eq(a, b)),
}
_LAST = (1 << 1024) - (1 << 970) - 1
"""The largest integer that rounds to a float."""
_HUGE = 1 << 512


def compare(op: str, left: Value, right: Value) -> bool | Term:
    """`left op right` for the six relations between numbers, exact between integers and floats."""
    return _COMPARISONS[op](as_int(left), as_int(right))


def arithmetic(st: State, op: str, left: Value, right: Value) -> Value:
    """`left op right` where a side is a float, or the result is one."""
    if op == "**":
        return _power(st, left, right)
    if op not in _ARITHMETIC:
        kinds = (type_name(st, left), type_name(st, right))
        raise misuse(st, f"unsupported operand type(s) for {op}: {kinds[0]!r} and {kinds[1]!r}", left, right)
    if op in _DIVISIONS:
        need_divisor(st, op, left, right)
    if op == "/" and not is_float(left) and not is_float(right):
        if _is_huge(left) or _is_huge(right):
            # The quotient may be a float where neither side is.
            numbers = [fixed(st, as_int(side), "/ with an integer that is no float") for side in (left, right)]
            return on_plain(st, operator.truediv, *numbers)
        return terms.int_div(_convertible(st, left), _convertible(st, right))
    return _ARITHMETIC[op](to_float(st, left), to_float(st, right))


def need_divisor(st: State, op: str, left: Value, right: Value) -> None:
    """Division by zero is the language's error, with the words of the running Python."""
    if decide(st.pc, compare("==", right, 0)):
        example = 1.0 if is_float(left) or is_float(right) else 1
        try:
            _DIVISIONS[op](example, example - example)
        except ZeroDivisionError as error:
            raise Fault("ZeroDivisionError", str(error)) from None


def to_float(st: State, value: Value) -> FloatLike:
    """A number as a float; an integer that may fit into one is taken to fit."""
    return value if is_float(value) else terms.int_to_float(_convertible(st, value))


def _convertible(st: State, value: Value) -> IntLike:
    number = as_int(value)
    if not isinstance(number, Term):
        if abs(number) > LIMIT:
            raise Fault("OverflowError", "int too large to convert to float")
        return number
    low, high = st.pc.interval(number)
    if low is not None and high is not None and low >= -LIMIT and high <= LIMIT:
        return number
    usual = terms.and_(terms.ge(number, -LIMIT), terms.le(number, LIMIT))
    # Inputs are taken to be of a usual size, unless the program itself makes or asks for others.
    if (_is_huge(number) or not isinstance(usual, Term) or not st.pc.require(usual)) and not decide(
        st.pc, terms.and_(terms.ge(number, -_LAST), terms.le(number, _LAST))
    ):
        raise Fault("OverflowError", "int too large to convert to float")
    return number


def _is_huge(value: Value) -> bool:
    """Whether the program itself brings in a number near the end of the floats, or beyond."""
    if isinstance(value, int):
        return abs(value) > LIMIT
    if isinstance(value, Node):
        return value.op == "mul" and any(isinstance(each, Term) and each.op in TO_WHOLE for each in value.args)
    if not isinstance(value, Linear):
        return False
    # An integer that was made of a float may lie near the end already, so that any factor brings it beyond.
    factors = (_HUGE if part.op in TO_WHOLE and abs(times) > 1 else times for part, times in value.parts)
    return max(map(abs, (value.const, *factors))) >= _HUGE


def _ways_to_be_infinite(st: State, value: FloatLike, infinite: Term) -> list[Alternative]:
    """Infinite inputs, and finite ones of which the program has made a number that is too large."""
    ways: list[Alternative] = []
    if not isinstance(value, Var):
        small = (terms.float_le(terms.float_abs(each), LARGEST) for each in compared_inputs(infinite))
        grown = terms.and_(infinite, *small)
        assert isinstance(grown, Term)
        try:
            if st.pc.copy().require(grown):
                ways.append(Assume(grown))
        except SolverUnknown as problem:
            ways.append(Unsolved(problem))
    return [*ways, *only_unusual(st.pc, infinite)]


def need_finite(st: State, value: FloatLike) -> None:
    """Refuse to make an integer of an infinite float or NaN: inputs that are so take paths of their own."""
    size = terms.float_abs(value)
    usual, infinite = terms.float_le(size, LARGEST), terms.float_lt(LARGEST, size)
    if isinstance(usual, Term) and isinstance(infinite, Term):
        if st.pc.settled(usual):
            return
        if st.pc.settled(usual) is None and st.pc.copy().require(usual):
            no_number = terms.and_(terms.not_(usual), terms.not_(infinite))
            assert isinstance(no_number, Term)
            raise Fork([Assume(usual), *_ways_to_be_infinite(st, value, infinite), *only_unusual(st.pc, no_number)])
    if not decide(st.pc, usual):
        # A comparison does not ask whether inputs are numbers, as `isnan` would.
        if decide(st.pc, infinite):
            raise Fault("OverflowError", "cannot convert float infinity to integer")
        raise Fault("ValueError", "cannot convert float NaN to integer")


def _need_small(st: State, value: FloatLike, power: float) -> None:
    """Refuse to raise a number to a power that no float can hold; infinite floats and NaN have one."""
    size = terms.float_abs(value)
    # NaN is not above the largest base, so that it stays possible.
    if decide(st.pc, terms.not_(terms.float_lt(largest_base(power), size))):
        return
    finite, infinite = terms.float_le(size, LARGEST), terms.float_lt(LARGEST, size)
    asked = isinstance(finite, Term) and st.pc.settled(finite) is None and st.pc.copy().require(finite)
    if asked and isinstance(finite, Term) and isinstance(infinite, Term):
        raise Fork([Assume(finite), *_ways_to_be_infinite(st, value, infinite)])
    if decide(st.pc, finite):
        raise Fault("OverflowError", 34, os.strerror(34))


def whole(st: State, value: FloatLike, convert: Callable[[FloatLike], IntLike]) -> IntLike:
    """The integer that one of the conversions makes of a float."""
    need_finite(st, value)
    return convert(value)


def _power(st: State, base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Term):
        exponent = fixed(st, exponent, "** with a float needs a known exponent")
    assert isinstance(exponent, (int, float))
    power = float(exponent)
    if isinstance(base, Term) and power == int(power) and 1 <= power <= MAX_POWER:
        number = to_float(st, base)
        if power > 1:
            _need_small(st, number, power)
        return terms.float_power(number, power)
    if isinstance(base, Term) and power == 0.5 and not decide(st.pc, compare("<", base, 0)):
        return terms.float_power(to_float(st, base), power)
    base = fixed(st, base, "** with a float needs a known base")
    return on_plain(st, operator.pow, base, exponent)


def on_plain(st: State, function: Callable[..., Any], *args: Value) -> Value:
    """What Python itself computes from known values; its exception becomes one of the program."""
    try:
        result: Value = function(*args)
        return result
    except ArithmeticError as error:
        raise Fault(type(error).__name__, *error.args) from None


def square_root(st: State, value: Value) -> FloatLike:
    """`math.sqrt(value)`"""
    if decide(st.pc, compare("<", value, 0)):
        # From some version of Python on the words mention the value.
        if _complaint(-1.0) != _complaint(-2.0):
            value = fixed(st, value, "the message of math.sqrt() for a negative number")
        raise Fault("ValueError", _complaint(value if isinstance(value, (int, float)) else -1.0))
    return terms.float_sqrt(to_float(st, value))


def _complaint(number: float) -> str:
    try:
        return str(math.sqrt(number))
    except ValueError as error:
        return str(error)


def is_close(left: FloatLike, right: FloatLike, relative: FloatLike, least: FloatLike) -> bool | Term:
    """`math.isclose(left, right, rel_tol=relative, abs_tol=least)` of floats."""
    distance = terms.float_abs(terms.float_sub(right, left))
    near = [
        terms.float_le(distance, terms.float_abs(terms.float_mul(relative, right))),
        terms.float_le(distance, terms.float_abs(terms.float_mul(relative, left))),
        terms.float_le(distance, least),
    ]
    finite = [terms.float_le(terms.float_abs(side), LARGEST) for side in (left, right)]
    return terms.or_(terms.float_eq(left, right), terms.and_(*finite, terms.or_(*near)))


def is_whole(value: Term) -> bool | Term:
    """`value.is_integer()`"""
    return terms.float_eq(terms.float_floor(value), value)
