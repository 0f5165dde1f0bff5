"""Integers, truth values and references: arithmetic and comparison as the language's profile wants them.

Terms are mathematical integers. A language whose integers have a width gives it in its profile: a result outside the
range is then another path, on which it has wrapped around.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from everypath.errors import Unsupported
from everypath.explore.objects import program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import equal
from everypath.heap.values import OneOf, Ref, Unknown, Value
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term

INTEGER = {"+": terms.add, "-": terms.sub, "*": terms.mul}
CONDITIONS = {"<": terms.lt, "<=": terms.le, ">": terms.gt, ">=": terms.ge, "==": terms.eq, "!=": terms.ne}
_RECENT = 1_000
_conditions: dict[tuple[str, Term, IntLike], bool | Term] = {}
_DIVISIONS: dict[tuple[str, bool], Callable[[IntLike, IntLike], IntLike]] = {
    ("//", True): terms.floordiv,
    ("%", True): terms.floormod,
    ("//", False): terms.truncdiv,
    ("%", False): terms.truncrem,
}
"""operator, whether it rounds down -> what it computes"""
_REFERENCES = frozenset((Ref, Unknown, OneOf))


def is_integer(value: Value) -> TypeGuard[IntLike]:
    """Whether the value is a whole number, known or not, and no truth value."""
    return type(value) is int or (isinstance(value, Term) and value.sort == "int")


def condition(op: str, left: IntLike, right: IntLike) -> bool | Term:
    """One of the six relations of two integers."""
    if not isinstance(left, Term):
        return CONDITIONS[op](left, right)
    # The same two inputs are compared again and again on different paths, so recent conditions are kept.
    key = (op, left, right)
    known = _conditions.get(key)
    if known is None:
        if len(_conditions) > _RECENT:
            _conditions.clear()
        known = _conditions[key] = CONDITIONS[op](left, right)
    return known


def binary(st: State, op: str, left: Value, right: Value, inplace: bool = False) -> Value:
    """`left op right` on integers."""
    left, right = resolve(st, left), resolve(st, right)
    if not (is_integer(left) and is_integer(right)):
        raise Unsupported(f"the operator {op} on anything but integers")
    if op in INTEGER:
        return wrapped(st, INTEGER[op](left, right))
    profile = program_of(st).profile
    division = _DIVISIONS.get((op, profile.floor_division))
    if division is None:
        raise Unsupported(f"the operator {op} on integers")
    if decide(st.pc, terms.eq(right, 0)):
        raise Fault(profile.division_error)
    return wrapped(st, division(left, right))


def unary(st: State, op: str, value: Value) -> Value:
    """`-value` and `+value` of an integer."""
    value = resolve(st, value)
    if not is_integer(value) or op not in "+-":
        raise Unsupported(f"the operator {op}")
    return wrapped(st, terms.neg(value)) if op == "-" else value


def wrapped(st: State, number: IntLike) -> IntLike:
    """The number as an integer of the profile's width; where it may be outside, that is a path of its own."""
    bits = program_of(st).profile.integer_bits
    if bits is None:
        return number
    half = 1 << (bits - 1)
    if decide(st.pc, terms.and_(terms.le(-half, number), terms.lt(number, half))):
        return number
    return terms.sub(terms.floormod(terms.add(number, half), 2 * half), half)


def compare(st: State, op: str, left: Value, right: Value) -> Value:
    """The six relations: all of them on integers, equality on everything else."""
    if is_integer(left) and is_integer(right):
        return condition(op, left, right)
    if op in ("==", "!="):
        return identity(st, op == "!=", left, right)
    left, right = resolve(st, left), resolve(st, right)
    if not (is_integer(left) and is_integer(right)):
        raise Unsupported(f"the comparison {op} of anything but integers")
    return condition(op, left, right)


def identity(st: State, negated: bool, left: Value, right: Value) -> bool | Term:
    """Whether two references are one object, or two plain values equal."""
    answer = same(st, left, right)
    return terms.not_(answer) if negated else answer


def same(st: State, left: Value, right: Value) -> bool | Term:
    """Whether two references are one object, or two plain values equal.

    A test of a reference counts as a decision even when its answer is known by now, so that a loop around a cyclic
    input structure is bounded like any other.
    """
    if left.__class__ in _REFERENCES or right.__class__ in _REFERENCES:
        st.decisions += 1
        if (type(left) is Unknown or type(right) is Unknown) and left is not None and right is not None:
            note_look(st)
        return st.heap.same(left, right)
    return equal(st.heap, left, right)


def note_look(st: State) -> None:
    """Note that an open input is looked at without a branch that would show what was found.

    In another order of messages it may be known by then, so nothing is known to commute with the running step.
    """
    if st.world is not None:
        st.world.uncertain = True


def truth(st: State, value: Value) -> bool | Term:
    """A truth value, known or not."""
    value = resolve(st, value)
    if isinstance(value, bool) or (isinstance(value, Term) and value.sort == "bool"):
        return value
    raise Unsupported("a condition that is no truth value")


def negation(st: State, value: Value) -> bool | Term:
    """`not value`"""
    return terms.not_(truth(st, value))
