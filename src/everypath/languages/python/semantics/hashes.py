"""Hashes, of which only is known when two are equal: where that is, a dict asks the keys whether they are as well.

A token stands for the hash of a value: what it was computed from. Numbers are their own hash, except for -1;
fractions stand for theirs.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.heap.equality import as_int, is_float
from everypath.heap.heap import Heap
from everypath.heap.values import DictCell, Hash, Mixed, Ref, Value
from everypath.logic import terms
from everypath.logic.terms import Term

_ANY = object()
"""The hash of a collection without an order: it takes no code of the program to compare those."""
_made_of: dict[int, Value] = {}
"""hash of a tuple of known numbers -> what it is computed from"""
_MOST = 10_000
_COMMUTATIVE = frozenset("+ * ^ & |".split())


def token(heap: Heap, value: Value) -> Value:
    """What the hash of a value is computed from."""
    value = heap.resolve(value)
    if isinstance(value, float) and not value.is_integer():
        return value
    if isinstance(value, (bool, int, float)):
        return hash(value)
    if isinstance(value, tuple):
        return tuple(token(heap, part) for part in value)
    if isinstance(value, Ref):
        if value in heap.keyed.hashes:
            return heap.keyed.hashes[value]
        if isinstance(heap.cells[value], DictCell):
            return _ANY
    return value.of if isinstance(value, Hash) else value


def token_of_hash(value: Value) -> Value:
    """The token for what a `__hash__` method or `hash()` has given."""
    if isinstance(value, Hash):
        return value.of
    if isinstance(value, int):
        value = int(value)
        return _made_of.get(value, -2 if value == -1 else value if -(2**63) <= value < 2**63 else hash(value))
    return value


def same_hash(left: Value, right: Value) -> bool | Term:
    """Whether two tokens stand for the same number; different texts are taken to have different ones."""
    if left is right or left is _ANY or right is _ANY:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            return False
        return terms.and_(*(same_hash(a, b) for a, b in zip(left, right)))
    if isinstance(left, Mixed) and isinstance(right, Mixed):
        return _same_mix(left, right)
    if _is_number(left) and _is_number(right):
        return _same_number(as_int(left), as_int(right))
    if _is_text(left) and _is_text(right):
        return terms.str_eq(left, right)
    return type(left) is type(right) and not isinstance(left, Term) and bool(left == right)


def number(value: Hash) -> int | None:
    """The number itself, where it is the same in every run and made of known numbers only; else None."""
    found = _plain(value.of)
    if found is None:
        return None
    if isinstance(found, tuple) and len(_made_of) < _MOST:
        _made_of[hash(found)] = value.of
    return hash(found)


def _plain(of: Value) -> Value:
    if isinstance(of, tuple):
        parts = tuple(_plain(part) for part in of)
        return None if None in parts else parts
    return of if isinstance(of, (int, float)) else None


def mixed(op: str, left: Value, right: Value) -> Hash:
    """A number computed from hashes that are not known."""
    return Hash(Mixed(op, *(side.of if isinstance(side, Hash) else side for side in (left, right))))


def need_number(value: Hash) -> int:
    """The hash as a number, for operations that need to know it."""
    found = number(value)
    if found is None:
        raise Unsupported("a number made from the hash of a text or an object, which differs between runs")
    return found


def _same_mix(left: Mixed, right: Mixed) -> bool | Term:
    if left.op != right.op:
        return False
    straight = terms.and_(same_hash(left.left, right.left), same_hash(left.right, right.right))
    if left.op not in _COMMUTATIVE:
        return straight
    return terms.or_(straight, terms.and_(same_hash(left.left, right.right), same_hash(left.right, right.left)))


def _same_number(left: Value, right: Value) -> bool | Term:
    if is_float(left) or is_float(right):
        return terms.float_eq(left, right)
    collide = [
        terms.and_(terms.eq(a, -1), terms.eq(b, -2)) for a, b in ((left, right), (right, left)) if isinstance(a, Term)
    ]
    return terms.or_(terms.eq(left, right), *collide)


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, Term) and value.sort != "str")


def _is_text(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, Term) and value.sort == "str")
