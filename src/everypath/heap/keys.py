"""Equality of keys of dicts and sets: by value, by identity, or by the fields that a generated `__eq__` compares."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.heap.equality import equal
from everypath.heap.heap import Heap
from everypath.heap.values import Ref, Value
from everypath.ir.instructions import GetField
from everypath.ir.program import Method
from everypath.logic import terms
from everypath.logic.terms import Term


def same_key(heap: Heap, known: Value, key: Value) -> bool | Term:
    """Whether two keys are equal; a comparison that the program writes itself is not run here."""
    if known is key:
        return True
    known, key = heap.settled(known), heap.settled(key)
    if isinstance(known, tuple) and isinstance(key, tuple):
        if len(known) != len(key):
            return False
        return terms.and_(*(same_key(heap, a, b) for a, b in zip(known, key)))
    method = _comparison(heap, known) or _comparison(heap, key)
    if method is None:
        return equal(heap, known, key)
    known, key = heap.resolve(known), heap.resolve(key)
    if known is key:
        return True
    enumerated = [isinstance(k, Ref) and k.cls in heap.inputs.enumerations for k in (known, key)]
    if all(enumerated):
        return False
    if any(enumerated):
        known, key = _plain(heap, known), _plain(heap, key)
        if not isinstance(known, Ref) and not isinstance(key, Ref):
            return equal(heap, known, key)
    if not (method.model and isinstance(known, Ref) and isinstance(key, Ref)):
        raise Unsupported("keys of a dict or set that define __eq__")
    if known.cls != key.cls or known.open or key.open:
        if known.open or key.open:
            raise Unsupported("keys of a dict or set whose class is not known")
        return False
    names = _compared(method)
    mine, theirs = heap.cells[known], heap.cells[key]
    if not all(name in mine and name in theirs for name in names):
        raise Unsupported("keys of a dict or set with fields that nothing has looked at")
    return terms.and_(*(same_key(heap, mine[name], theirs[name]) for name in names))


def _plain(heap: Heap, key: Value) -> Value:
    """The value of a member of an enumeration of numbers or texts."""
    if isinstance(key, Ref) and key.cls in heap.inputs.enumerations:
        if "_value_" not in heap.cells[key]:
            raise Unsupported("members of an enumeration as keys besides other values")
        return heap.cells[key]["_value_"]
    return key


def _comparison(heap: Heap, key: Value) -> Method | None:
    """The `__eq__` of an object that is a key."""
    if isinstance(key, Ref) and type(heap.cells[key]) is dict:
        return heap.inputs.program.find_method(heap.class_bound(key).bound, "__eq__")
    return None


def _compared(method: Method) -> list[str]:
    """The fields that a generated comparison looks at."""
    found = {
        instruction.name: None
        for block in method.blocks.values()
        for instruction in block.instructions
        if isinstance(instruction, GetField) and instruction.obj == 0
    }
    return list(found)
