"""Hashes of values, of which a path may only know when two are equal.

The number that `hash("a")` gives differs between runs, so no test may depend on it. What a dict needs is whether two
hashes are equal, and that follows from what each was computed from, its token: a text or object is its own token, a
tuple's token holds those of its elements, and whatever an operator makes of hashes is a `Mixed`. Equal tokens
stand for equal hashes. Unequal ones are taken to stand for different hashes, except for numbers: an integer is its own
hash, but -1 has that of -2. A dict compares the keys themselves where their hashes are equal, see `keys`.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.heap.equality import as_int, is_float, is_text
from everypath.heap.heap import Heap
from everypath.heap.values import DictCell, Hash, LanguageValue, Measured, Mixed, Ref, Value
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term

_ANY = LanguageValue()
"""The token of a set, which equals every other token: comparing sets needs no code of the program."""
_made_of: dict[int, Value] = {}
"""hash of a tuple of known numbers -> its token, since a `__hash__` method gives back the number alone"""
_MOST = 10_000
"""So many of these are remembered."""
_COMMUTATIVE = frozenset("+ * ^ & |".split())


def token(heap: Heap, value: Value) -> Value:
    """The token of a value's hash."""
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
    """The token of a hash that a `__hash__` method or `hash()` has returned."""
    if isinstance(value, Hash):
        return value.of
    if isinstance(value, int):
        value = int(value)
        return _made_of.get(value, -2 if value == -1 else value if -(2**63) <= value < 2**63 else hash(value))
    return value


def same_hash(left: Value, right: Value) -> bool | Term:
    """Whether two tokens stand for the same hash; different texts are taken to have different hashes."""
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
    if is_text(left) and is_text(right):
        return terms.str_eq(left, right)
    if isinstance(left, Measured):
        return left.equals(right)
    if isinstance(right, Measured):
        return right.equals(left)
    return type(left) is type(right) and not isinstance(left, Term) and bool(left == right)


def number(value: Hash) -> int | None:
    """The hash itself, if it is the same number in every run: if it is made of known numbers only."""
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
    """What an operator makes of a hash that is not known and something else."""
    return Hash(Mixed(op, *(side.of if isinstance(side, Hash) else side for side in (left, right))))


def need_number(value: Hash) -> int:
    """The hash as a number, for an operation that cannot do without it."""
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


def _same_number(left: IntLike, right: IntLike) -> bool | Term:
    if is_float(left) or is_float(right):
        return terms.float_eq(left, right)
    collide = [
        terms.and_(terms.eq(a, -1), terms.eq(b, -2)) for a, b in ((left, right), (right, left)) if isinstance(a, Term)
    ]
    return terms.or_(terms.eq(left, right), *collide)


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, Term) and value.sort != "str")
