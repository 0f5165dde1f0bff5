"""Equality of values that need no user code: scalars, tuples of them, and references by identity."""

from __future__ import annotations

from everypath.heap.heap import Heap
from everypath.heap.values import OneOf, Ref, Unknown, Value
from everypath.logic import terms
from everypath.logic.terms import Term

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


def is_float(value: Value) -> bool:
    """Whether a resolved value is a float, known or not."""
    return value.sort == "float" if isinstance(value, Term) else isinstance(value, float)


def as_int(value: Value) -> Value:
    """A number usable in integer terms: booleans become 0 or 1."""
    if value is True or value is False:
        return int(value)
    if isinstance(value, Term) and value.sort == "bool":
        return terms.bool_to_int(value)
    return value


def equal(heap: Heap, left: Value, right: Value) -> bool | Term:
    """`left == right` for values without a user-defined comparison; may fork to resolve unknown inputs."""
    if left is right and not is_float(left):
        return True
    if left.__class__ is Unknown or left.__class__ is OneOf:
        left = heap.resolve(left)
    if right.__class__ is Unknown or right.__class__ is OneOf:
        right = heap.resolve(right)
    kind = sort_of(left)
    if kind != sort_of(right):
        return False
    if kind == "number":
        if isinstance(left, Term) and left.sort == "bool" and isinstance(right, (Term, bool)):
            if not isinstance(right, Term) or right.sort == "bool":
                return terms.bool_eq(left, right)
        elif isinstance(right, Term) and right.sort == "bool" and isinstance(left, bool):
            return terms.bool_eq(left, right)
        if is_float(left) or is_float(right):
            return terms.float_eq(as_int(left), as_int(right))
        return terms.eq(as_int(left), as_int(right))
    if kind == "str":
        return terms.str_eq(left, right)
    if kind == "tuple":
        if len(left) != len(right):
            return False
        return terms.and_(*(a is b or equal(heap, a, b) for a, b in zip(left, right)))
    if isinstance(left, Ref) and isinstance(right, Ref):
        return heap.same(left, right)
    if isinstance(left, Ref) or isinstance(right, Ref):
        return False
    return bool(left == right)
