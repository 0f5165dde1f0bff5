"""The builtin functions of ABS on numbers: exact where they are symbolic, and Python's own on floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from everypath.errors import LimitReached, Unsupported
from everypath.explore.actors.world import world_of
from everypath.explore.arithmetic import is_integer
from everypath.explore.objects import program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.values import Rational, Value
from everypath.languages.abs.semantics import rationals
from everypath.languages.abs.semantics.registry import native
from everypath.logic import terms
from everypath.logic.integers import split
from everypath.logic.terms import IntLike, Term

if TYPE_CHECKING:
    from fractions import Fraction

_LARGEST = 1_000_000


def _exact(st: State, value: Value) -> rationals.Number:
    return rationals.number(resolve(st, value))


def _float(st: State, value: Value) -> float:
    """A Float, which is always known: the types of the program say that it is one."""
    return cast(float, resolve(st, value))


def whole_number(st: State, value: Value) -> IntLike:
    """An Int, known or not."""
    found = resolve(st, value)
    assert is_integer(found)
    return found


@native("abs.abs")
def absolute(st: State, value: Value) -> Value:
    """`abs(x)` of any kind of number."""
    value = resolve(st, value)
    return abs(value) if type(value) is float else rationals.absolute(rationals.number(value))


@native("abs.truncate")
def truncate(st: State, value: Value) -> Value:
    """The whole number next to a Rat on the way to zero."""
    top, bottom = rationals.parts(_exact(st, value))
    return terms.truncdiv(top, bottom)


@native("abs.numerator")
def numerator(st: State, value: Value) -> Value:
    """The numerator in lowest terms, which has the sign."""
    return lowest(st, _exact(st, value))[0]


@native("abs.denominator")
def denominator(st: State, value: Value) -> Value:
    """The denominator in lowest terms, which is positive."""
    return lowest(st, _exact(st, value))[1]


def lowest(st: State, value: rationals.Number) -> tuple[IntLike, IntLike]:
    """Numerator and denominator in lowest terms; denominators of inputs are considered up to the bound on lengths."""
    top, bottom = rationals.parts(value)
    if isinstance(bottom, Term):
        top, bottom = rationals.parts(rationals.ratio(top, _known_denominator(st, bottom)))
    if not isinstance(top, Term):
        return top, bottom
    assert isinstance(bottom, int)
    over: IntLike = top
    under: IntLike = bottom
    for factor in _factors(bottom):
        divisible = terms.eq(terms.floormod(top, factor), 0)
        over = terms.ite_int(divisible, terms.floordiv(top, factor), over)
        under = terms.ite_int(divisible, bottom // factor, under)
    return over, under


def _known_denominator(st: State, bottom: Term) -> int:
    constant, atoms = split(bottom)
    scale = atoms[0][1] if constant == 0 and len(atoms) == 1 else 1
    for candidate in range(1, st.heap.inputs.fixed_length + 1):
        if decide(st.pc, terms.eq(bottom, scale * candidate)):
            return scale * candidate
    raise LimitReached(
        "loop", "the lowest terms of a fraction with a larger denominator are not considered (--lengths)"
    )


def _factors(number: int) -> list[int]:
    """All factors but one, smallest first."""
    if number > _LARGEST:
        raise Unsupported(f"the lowest terms of a symbolic fraction with the denominator {number}")
    small = [factor for factor in range(1, math.isqrt(number) + 1) if number % factor == 0]
    return sorted({*small, *(number // factor for factor in small)} - {1})


def known_number(st: State, value: rationals.Number, function: str) -> int | Fraction:
    """An Int or Rat that can only have one value on this path."""
    top, bottom = (st.pc.value(part) for part in rationals.parts(value))
    if top is None or bottom is None:
        raise Unsupported(f"{function}() of a symbolic number")
    return rationals.known_ratio(int(top), int(bottom))


@native("abs.float")
def make_float(st: State, value: Value) -> Value:
    """The Float nearest to a Rat."""
    number = known_number(st, _exact(st, value), "float")
    try:
        return float(number)
    except OverflowError:
        raise Unsupported("float() of a number that is too large for a Float") from None


@native("abs.rat")
def make_rational(st: State, value: Value) -> Value:
    """The Rat that a Float exactly is."""
    number = _float(st, value)
    if not math.isfinite(number):
        raise Unsupported(f"rat() of the Float {number}")
    return rationals.ratio(*number.as_integer_ratio())


def _rounding(name: str, function: Callable[[float], int]) -> None:
    @native(f"abs.{name}")
    def rounded(st: State, value: Value) -> Value:
        number = _float(st, value)
        if not math.isfinite(number):
            raise Fault(program_of(st).profile.division_error)
        return function(number)


def _real(name: str, function: Callable[[float], float]) -> None:
    @native(f"abs.{name}")
    def real(st: State, value: Value) -> Value:
        number = _float(st, value)
        try:
            return function(number)
        except (ValueError, OverflowError):
            return math.inf if number > 1 else math.nan


_rounding("floor", math.floor)
_rounding("ceil", math.ceil)
_real("sqrt", math.sqrt)
_real("log", math.log)
_real("exp", math.exp)


@native("abs.random")
def random(st: State, below: Value) -> Value:
    """An input from zero up to below the bound; zero where there is no such number."""
    limit = whole_number(st, below)
    if not decide(st.pc, terms.gt(limit, 0)):
        return 0
    if st.world is None:
        raise Unsupported("random() outside of a task")
    return world_of(st).random(st, limit)


def is_whole(st: State, value: rationals.Number) -> bool:
    """Whether a fraction is a whole number; forks when that is open."""
    if not isinstance(value, Rational):
        return isinstance(value, (int, Term))
    return decide(st.pc, terms.eq(terms.floormod(value.top, value.bottom), 0))
