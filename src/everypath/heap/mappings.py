"""Dicts and sets, whose input form learns key by key what it contains.

An open dict holds the keys that are known to be in it and those that are known not to be; asking for another one forks.
Only operations that need all entries close it: they decide how many further keys there are, up to the bound.
"""

from __future__ import annotations

from everypath.heap.choice import Alternative, Fixed, Fork, TooLarge
from everypath.heap.heap import Heap
from everypath.heap.values import Hash, InitialDict, Ref, Value
from everypath.ir import types as t
from everypath.ir.types import Type
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.printing import written
from everypath.records import dataclass


@dataclass(slots=True, eq=False)
class Has:
    """The input dict has contained the key from the start."""

    ref: Ref
    key: Value

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        _enter(heap, self.ref, _held(heap, self.key))
        return True


@dataclass(slots=True, eq=False)
class Lacks:
    """The input dict does not contain the key."""

    ref: Ref
    key: Value

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        cell = heap.mapping(self.ref)
        heap.cells[self.ref] = cell.replace(absent=(*cell.absent, self.key))
        return True


@dataclass(slots=True, eq=False)
class Close:
    """The input dict contains just this many keys besides those already known."""

    ref: Ref
    extra: int

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        # One after the other, because each further key must differ from the ones before it, too.
        for _ in range(self.extra):
            cell = heap.mapping(self.ref)
            key: Value = f"extra{cell.initial + 1}"
            if cell.name not in heap.inputs.keywords:
                key = heap.inputs.fresh(_plain_key(cell.key or t.ANY), f"{cell.name}.keys[{cell.initial}]")
            others = [*(k for k, _ in cell.entries), *cell.absent, *heap.inputs.keywords.get(cell.name, ())]
            if not all(pc.add(terms.not_(heap.inputs.knowledge.same_key(heap, key, other))) for other in others):
                return False
            _enter(heap, self.ref, key)
        heap.cells[self.ref] = heap.mapping(self.ref).replace(open=False)
        return True


def find(heap: Heap, pc: PathCondition, ref: Ref, key: Value) -> int | None:
    """The place of the key among the entries, None when the dict does not contain it."""
    cell = heap.mapping(ref)
    is_key = heap.inputs.knowledge.is_key
    for place, (known, _) in enumerate(cell.entries):
        if is_key(heap, pc, known, key):
            return place
    if not cell.open:
        return None
    for known in (*cell.absent, *heap.inputs.keywords.get(cell.name, ())):
        if is_key(heap, pc, known, key):
            return None
    if isinstance(key, Hash):
        # No input can be made to hold a number that only the run itself knows.
        return None
    if (made := _never_held(heap, key)) is not None:
        said = f"{cell.name} is taken not to hold an object of {made.cls} that was made later"
        raise Fixed(said, (Lacks(ref, key),))
    raise Fork((Has(ref, key), Lacks(ref, key)))


def _never_held(heap: Heap, key: Value) -> Ref | None:
    """An object in the key that no input can hold: it was made by the code, and nothing else equals it."""
    if isinstance(key, tuple):
        return next((made for part in key if (made := _never_held(heap, part)) is not None), None)
    if not _is_made(heap, key):
        return None
    assert isinstance(key, Ref)
    if not heap.inputs.knowledge.equals_by_fields(heap, key):
        return key
    return next((made for part in heap.fields(key).values() if (made := _never_held(heap, part)) is not None), None)


def _held(heap: Heap, key: Value) -> Value:
    """The key as an input holds it: in place of an object that the code has made, another one that equals it."""
    if isinstance(key, tuple):
        return tuple(_held(heap, part) for part in key)
    if not _is_made(heap, key):
        return key
    assert isinstance(key, Ref)
    fields = {name: _held(heap, value) for name, value in heap.fields(key).items()}
    equal = heap.new_object(key.cls, fields)
    heap.remember(equal, dict(fields))
    return equal


def _is_made(heap: Heap, key: Value) -> bool:
    """Whether a value is an object that was no input."""
    if not isinstance(key, Ref) or key.input or key.cls in heap.inputs.enumerations:
        return False
    return type(heap.cells.get(key)) is dict and key not in heap.first


def put(heap: Heap, pc: PathCondition, ref: Ref, key: Value, value: Value) -> None:
    """Assign the key."""
    place = find(heap, pc, ref, key)
    cell = heap.mapping(ref)
    if place is None:
        heap.cells[ref] = cell.replace(entries=(*cell.entries, (key, value)))
    else:
        entry = (cell.entries[place][0], value)
        heap.cells[ref] = cell.replace(entries=(*cell.entries[:place], entry, *cell.entries[place + 1 :]))


def remove(heap: Heap, ref: Ref, place: int) -> Value:
    """Delete the entry at the place and return its value."""
    cell = heap.mapping(ref)
    key, value = cell.entries[place]
    heap.cells[ref] = cell.replace(
        entries=cell.entries[:place] + cell.entries[place + 1 :],
        absent=(*cell.absent, key),
        initial=cell.initial - (place < cell.initial),
    )
    return value


def entries(heap: Heap, pc: PathCondition, ref: Ref) -> tuple[tuple[Value, Value], ...]:
    """All entries in order; an open input dict is first decided to have an exact number of entries, up to the bound."""
    cell = heap.mapping(ref)
    if cell.open:
        room = max(0, heap.inputs.fixed_length - cell.initial)
        sizes: tuple[Alternative, ...] = (*(Close(ref, extra) for extra in range(room + 1)), TooLarge(ref.name))
        declared = cell.key or t.ANY
        plain = _plain_key(declared)
        hinted = cell.name.partition("[")[0] in heap.inputs.keyed
        if room and (hinted or plain != declared) and cell.name not in heap.inputs.keywords:
            known = "" if hinted or declared == t.ANY else f", not all of {declared}"
            raise Fixed(f"only {plain} is tried for the keys of {cell.name}{known}", sizes)
        raise Fork(sizes)
    return cell.entries


def _enter(heap: Heap, ref: Ref, key: Value) -> None:
    cell = heap.mapping(ref)
    shown = written(key) if isinstance(key, (int, str, bytes)) else str(key)
    value = heap.inputs.fresh(cell.value, f"{cell.name}[{shown}]") if cell.value is not None else True
    # Keys found late belong in front of those that the program added: they were there before the call.
    place = cell.initial
    heap.cells[ref] = cell.replace(
        entries=(*cell.entries[:place], (key, value), *cell.entries[place:]), initial=place + 1
    )
    first = heap.first[ref]
    assert isinstance(first, InitialDict)
    heap.remember(ref, InitialDict(first.kind, (*first.entries, (key, value))))


def _plain_key(key: Type) -> Type:
    """The type of the keys that an input dict or set may hold besides those that the program asks for.

    Keys must be told apart when the collection gets its size, so they are of one plain type.
    """
    if isinstance(key, t.UnionType):
        return next((option for option in key.options if option in (t.STR, t.INT, t.BOOL)), _plain_key(key.options[-1]))
    if t.has_samples_only(key):
        return t.INT
    if isinstance(key, t.TupleType):
        return t.TupleType(tuple(map(_plain_key, (*key.elements, *([key.rest] if key.rest is not None else [])))))
    return t.INT if key in (t.ANY, t.FLOAT, t.BYTES, t.NONE) or isinstance(key, t.FunctionType) else key
