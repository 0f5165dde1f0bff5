"""Equality of values that need no user code: scalars, tuples of them, and references by identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard, cast

from everypath.heap.heap import Heap
from everypath.heap.values import Measured, OneOf, Ref, Unknown, Value
from everypath.logic import terms
from everypath.logic.terms import BoolLike, FloatLike, IntLike, StrLike, Term

_NUMBERS = (int, float, bool)


def sort_of(value: Value) -> str:
    """The kind of a resolved value as far as comparing needs it: number, str, none, tuple, or other."""
    if isinstance(value, Term):
        return value.sort if value.sort == "str" else "number"
    if isinstance(value, _NUMBERS):
        return "number"
    if isinstance(value, str):
        return "str"
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return "tuple"
    return "other"


def is_float(value: Value) -> TypeGuard[FloatLike]:
    """Whether a resolved value is a float, known or not."""
    return value.sort == "float" if isinstance(value, Term) else isinstance(value, float)


def is_text(value: Value) -> TypeGuard[StrLike]:
    """Whether a resolved value is a text, known or not."""
    return value.sort == "str" if isinstance(value, Term) else isinstance(value, str)


def as_text(value: Value) -> StrLike:
    """A value that the caller knows to be a text."""
    assert is_text(value)
    return value


def is_truth(value: Value) -> TypeGuard[BoolLike]:
    """Whether a resolved value is a truth value, known or not."""
    return value.sort == "bool" if isinstance(value, Term) else isinstance(value, bool)


def as_int(value: Value) -> IntLike:
    """A number usable in integer terms: booleans become 0 or 1; the caller knows that it is a number."""
    if type(value) is int:
        return value
    if isinstance(value, Term):
        return terms.bool_to_int(value) if value.sort == "bool" else value
    if value is True or value is False:
        return int(value)
    # What takes floats as well gets them as they are.
    return cast(IntLike, value)


def equal(heap: Heap, left: Value, right: Value) -> bool | Term:
    """`left == right` for values without a user-defined comparison; may fork to resolve unknown inputs."""
    # A float may be "not a number", which is not even equal to itself.
    if left is right and not is_float(left):
        return True
    if type(left) is Unknown or type(left) is OneOf:
        left = heap.resolve(left)
    if type(right) is Unknown or type(right) is OneOf:
        right = heap.resolve(right)
    kind = sort_of(left)
    if kind != sort_of(right):
        return False
    return _EQUAL[kind](heap, left, right)


def _equal_numbers(heap: Heap, left: Value, right: Value) -> bool | Term:
    if is_truth(left) and is_truth(right):
        return terms.bool_eq(left, right)
    if is_float(left) or is_float(right):
        return terms.float_eq(as_int(left), as_int(right))
    return terms.eq(as_int(left), as_int(right))


def _equal_texts(heap: Heap, left: Value, right: Value) -> bool | Term:
    assert is_text(left) and is_text(right)
    return terms.str_eq(left, right)


def _equal_tuples(heap: Heap, left: Value, right: Value) -> bool | Term:
    assert isinstance(left, tuple) and isinstance(right, tuple)
    if len(left) != len(right):
        return False
    # Elements that are the same object count as equal without being compared, even if they are not a number.
    return terms.and_(*(a is b or equal(heap, a, b) for a, b in zip(left, right)))


def _equal_others(heap: Heap, left: Value, right: Value) -> bool | Term:
    if isinstance(left, Ref) and isinstance(right, Ref):
        return heap.same(left, right)
    if isinstance(left, Ref) or isinstance(right, Ref):
        return False
    if isinstance(left, Measured):
        return left.equals(right)
    return right.equals(left) if isinstance(right, Measured) else bool(left == right)


_EQUAL: dict[str, Callable[[Heap, Value, Value], bool | Term]] = {
    "number": _equal_numbers,
    "str": _equal_texts,
    "none": lambda *_: True,
    "tuple": _equal_tuples,
    "other": _equal_others,
}
"""How two resolved values of the same kind are compared."""
