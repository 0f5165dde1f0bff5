"""What a path has changed: the output heap of a summary case, as far as summaries can hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from everypath.explore.search.summaries.model import Write
from everypath.explore.state import State
from everypath.heap.solver import SolverHeap
from everypath.heap.values import (
    Access,
    BoundMethod,
    Cell,
    DictCell,
    InitialList,
    InputFunction,
    ListCell,
    OneOf,
    OpenList,
    Ref,
    Unknown,
    Value,
)
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.logic.terms import Term

PLAIN = (type(None), bool, int, float, str, bytes, ClassRef, FunctionRef, NativeRef)
Lists = tuple[tuple[Ref, Cell], ...]


def effects(state: State) -> tuple[tuple[Write, ...], Lists] | None:
    """The assigned fields, and the input lists with other content; None for changes that summaries do not hold."""
    heap = state.heap
    writes = _logged(heap) if isinstance(heap, SolverHeap) else _changes(heap.cells, heap.first)
    if writes is None or state.orders is not None or heap.keyed.answers:
        return None
    if any(not isinstance(before, (dict, InitialList)) for before in heap.first.values()):
        return None
    lists = tuple((r, cell) for r, cell in heap.cells.items() if r.input and _list_changed(cell, heap.first[r]))
    return writes, lists


def elements(lists: Lists) -> Iterator[Value]:
    """What changed lists hold."""
    for _, cell in lists:
        if isinstance(cell, ListCell):
            yield from cell.items
        elif isinstance(cell, OpenList):
            yield from (value for _, value in cell.known)


def _logged(heap: SolverHeap) -> tuple[Write, ...] | None:
    """The assignments to fields in their order, which matters where it is open what is the same object."""
    found: list[Write] = []
    for name, newest in heap.log.items():
        writes: list[Write] = []
        entry: Access | None = newest
        while entry is not None:
            if entry.write:
                if not isinstance(entry.ref, Ref):
                    return None
                writes.append(Write(entry.ref, name, entry.value))
            entry = entry.before
        found += reversed(writes)
    return tuple(found)


def _changes(cells: Mapping[Ref, Cell], first: Mapping[Ref, object]) -> tuple[Write, ...] | None:
    """The fields of input objects that differ from what they were."""
    found: list[Write] = []
    for ref, before in first.items():
        cell = cells[ref]
        if isinstance(before, dict):
            assert isinstance(cell, dict)
            if before.keys() - cell.keys():
                return None
            found += [Write(ref, n, value) for n, value in cell.items() if n not in before or before[n] is not value]
        elif not isinstance(before, InitialList):
            return None
    return tuple(found)


def _list_changed(cell: Cell, before: object) -> bool:
    if not isinstance(before, InitialList):
        return False
    if isinstance(cell, ListCell):
        held = dict(before.entries)
        return cell.length is not before.length or any(held.get(i) is not item for i, item in enumerate(cell.items))
    assert isinstance(cell, OpenList)
    initial = {(index, id(value)) for index, value in before.entries}
    return cell.length is not before.length or any((i, id(value)) not in initial for i, value in cell.known)


def is_plain(value: Value) -> bool:
    """Whether a value is a constant."""
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(is_plain, value)))


def is_portable(value: Value, cells: Mapping[Ref, Cell], known: set[Ref]) -> bool:
    """Whether a caller can have the value, too: made of inputs, plain values and new objects."""
    if isinstance(value, InputFunction):
        return False
    if isinstance(value, (*PLAIN, Term, Unknown)):
        return True
    if isinstance(value, tuple):
        return all(is_portable(item, cells, known) for item in value)
    if isinstance(value, OneOf):
        return all(is_portable(item, cells, known) for item in value.values())
    if isinstance(value, BoundMethod):
        return is_portable(value.receiver, cells, known)
    return isinstance(value, Ref) and _is_portable_object(value, cells, known)


def _is_portable_object(ref: Ref, cells: Mapping[Ref, Cell], known: set[Ref]) -> bool:
    if ref.input:
        return ref.origin is not None
    if ref in known:
        return True
    if ref.name:
        # A member of an enumeration, which is the same object for everybody.
        return False
    known.add(ref)
    cell = cells.get(ref)
    if isinstance(cell, dict):
        held: Sequence[Value] = [*cell.values()]
    elif isinstance(cell, ListCell):
        held = cell.items
    elif isinstance(cell, DictCell) and not cell.open:
        held = [item for entry in cell.entries for item in entry]
    else:
        return False
    return all(is_portable(item, cells, known) for item in held)
