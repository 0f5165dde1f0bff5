"""Exact fractions: arithmetic and comparison where a part may be symbolic.

A fraction that is whole and known is an int, another known one a `Fraction`, and one with a symbolic part a
`Rational`. Since denominators are positive, comparing means multiplying crosswise, which stays linear when one
side's denominator is known.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard, Union, cast

from everypath.errors import Unsupported
from everypath.explore.arithmetic import CONDITIONS, INTEGER
from everypath.explore.objects import program_of
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.values import Rational, Value
from everypath.logic import terms
from everypath.logic.integers import split
from everypath.logic.terms import IntLike, Term

if TYPE_CHECKING:
    # Importing it takes a few milliseconds at every start, and few programs have fractions.
    from fractions import Fraction

Known = Union[int, float, "Fraction"]
"""A number without a symbolic part."""
Number = Union[int, Term, Rational, "Fraction"]
"""An Int or Rat, known or not."""
_KNOWN: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_ORDER = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def number(value: Value) -> Number:
    """A resolved value that is an Int or Rat: ABS is typed, so that it can be nothing else here."""
    return cast(Number, value)


def whole(value: int | Fraction) -> int | Fraction:
    """A known Int or Rat in its one representation: an int where it is whole."""
    return value.numerator if value.denominator == 1 else value


def is_known(value: Number | float) -> TypeGuard[Known]:
    """Whether no part of a number is symbolic."""
    return not isinstance(value, (Term, Rational))


def parts(value: Number) -> tuple[IntLike, IntLike]:
    """Numerator and positive denominator of an Int or Rat, not always in lowest terms."""
    if type(value) is Rational:
        return value.top, value.bottom
    return (value, 1) if isinstance(value, Term) else (value.numerator, value.denominator)


def known_ratio(top: int, bottom: int) -> int | Fraction:
    """`top / bottom` of known integers."""
    from fractions import Fraction

    return whole(Fraction(top, bottom))


def ratio(top: IntLike, bottom: IntLike) -> Number:
    """`top / bottom` for a positive denominator, common factors taken out as far as they are plain."""
    if not isinstance(top, Term):
        if not isinstance(bottom, Term):
            return known_ratio(top, bottom)
        return 0 if top == 0 else Rational(top, bottom)
    if top is bottom:
        return 1
    if not isinstance(bottom, Term):
        constant, atoms = split(top)
        factor = math.gcd(bottom, constant, *(k for _, k in atoms))
        if factor > 1:
            top, bottom = terms.floordiv(top, factor), bottom // factor
        if bottom == 1:
            return top
    return Rational(top, bottom)


def negated(value: Number) -> Number:
    """`-value`"""
    top, bottom = parts(value)
    return ratio(terms.neg(top), bottom)


def absolute(value: Number) -> Number:
    """The value without its sign."""
    top, bottom = parts(value)
    return ratio(terms.abs_(top), bottom)


def added(left: Number, right: Number) -> Number:
    """`left + right`"""
    (a, b), (c, d) = parts(left), parts(right)
    if b is d or (not isinstance(b, Term) and not isinstance(d, Term) and b == d):
        return ratio(terms.add(a, c), b)
    if not isinstance(b, Term) and not isinstance(d, Term):
        bottom = math.lcm(b, d)
        return ratio(terms.add(terms.mul(a, bottom // b), terms.mul(c, bottom // d)), bottom)
    return ratio(terms.add(terms.mul(a, d), terms.mul(c, b)), terms.mul(b, d))


def multiplied(left: Number, right: Number) -> Number:
    """`left * right`"""
    (a, b), (c, d) = parts(left), parts(right)
    if a is d:
        a = d = 1
    if b is c:
        b = c = 1
    return ratio(terms.mul(a, c), terms.mul(b, d))


def divided(st: State, left: Number, right: Number) -> Number:
    """`left / right`; by zero it is the language's error."""
    (a, b), (c, d) = parts(left), parts(right)
    _need_nonzero(st, c)
    positive = terms.gt(c, 0)
    sign = st.pc.decide(positive) if isinstance(positive, Term) else 1 if positive else 2
    if sign == 1:
        return multiplied(left, Rational(d, c))
    if sign == 2:
        return multiplied(negated(left), Rational(d, terms.neg(c)))
    top = terms.mul(a, d)
    signed = terms.ite_int(positive, top, terms.neg(top))
    return ratio(signed, terms.mul(b, terms.abs_(c)))


def remainder(st: State, left: Number, right: Number) -> Number:
    """`left % right` with the sign of the left side; by zero it is the language's error."""
    (a, b), (c, d) = parts(left), parts(right)
    _need_nonzero(st, c)
    return ratio(terms.truncrem(terms.mul(a, d), terms.mul(c, b)), terms.mul(b, d))


def _need_nonzero(st: State, number: IntLike) -> None:
    if decide(st.pc, terms.eq(number, 0)):
        raise Fault(program_of(st).profile.division_error)


def binary(st: State, op: str, left: Value, right: Value) -> Value:
    """`left op right` of resolved numbers in a language with exact fractions."""
    if type(left) is float or type(right) is float:
        return _of_floats(st, op, cast(float, left), cast(float, right))
    left, right = number(left), number(right)
    if op in _KNOWN:
        if is_known(left) and is_known(right):
            return whole(_KNOWN[op](left, right))
        if isinstance(left, (int, Term)) and isinstance(right, (int, Term)):
            return INTEGER[op](left, right)
        if op == "*":
            return multiplied(left, right)
        return added(left, right if op == "+" else negated(right))
    if op == "/":
        return divided(st, left, right)
    if op == "%":
        return remainder(st, left, right)
    raise Unsupported(f"{op} on fractions")


def _of_floats(st: State, op: str, left: float, right: float) -> float:
    if op in _KNOWN:
        return float(_KNOWN[op](left, right))
    if right == 0:
        raise Fault(program_of(st).profile.division_error)
    if op == "/":
        return left / right
    return math.fmod(left, right) if math.isfinite(left) else math.nan


def condition(op: str, left: Number | float, right: Number | float) -> bool | Term:
    """`left op right` for the six relations between numbers; floats are always known."""
    if is_known(left) and is_known(right):
        return bool(_ORDER[op](left, right))
    (a, b), (c, d) = parts(number(left)), parts(number(right))
    if b is d:
        return CONDITIONS[op](a, c)
    return CONDITIONS[op](terms.mul(a, d), terms.mul(c, b))
