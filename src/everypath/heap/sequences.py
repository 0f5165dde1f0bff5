"""Lists and arrays, whose input form has a symbolic length and elements that appear when looked at.

Indices play the role that references play for fields (section 3.4 of "A CLP Heap Solver for Test Case
Generation"): an element read at a symbolic index is one of the elements known so far, or another one.
"""

from __future__ import annotations

from everypath.errors import LimitReached
from everypath.heap.choice import decide
from everypath.heap.heap import Heap
from everypath.heap.values import InitialList, ListCell, OpenList, Ref, Value
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.terms import Term


class OutOfRange(Exception):
    """The index is outside the sequence."""


def normal_index(pc: PathCondition, index: Value, length: Value, negative: bool) -> Value:
    """The index counted from the front; raises OutOfRange when there is no such element."""
    if isinstance(index, Term) or isinstance(length, Term):
        if negative and decide(pc, terms.lt(index, 0)):
            index = terms.add(index, length)
            if decide(pc, terms.lt(index, 0)):
                raise OutOfRange
        elif not negative and decide(pc, terms.lt(index, 0)):
            raise OutOfRange
        if not decide(pc, terms.lt(index, length)):
            raise OutOfRange
        return index
    if index < 0 and negative:
        index += length
    if not 0 <= index < length:
        raise OutOfRange
    return index


def pick(pc: PathCondition, index: Value, size: int) -> int:
    """A concrete index below `size` for one that is in range, forking between those that are possible."""
    if not isinstance(index, Term):
        return int(index)
    known = pc.value(index)
    if known is not None:
        return int(known)
    for candidate in range(size - 1):
        if decide(pc, terms.eq(index, candidate)):
            return candidate
    return size - 1


def get(heap: Heap, pc: PathCondition, ref: Ref, index: Value, negative: bool) -> Value:
    """The element at the index."""
    cell = heap.cells[ref]
    index = normal_index(pc, index, cell.length, negative)
    if isinstance(cell, ListCell):
        return cell.items[pick(pc, index, len(cell.items))]
    place = _find(pc, cell, index)
    if place is not None:
        return cell.known[place][1]
    return _first_look(heap, ref, cell, index)


def put(heap: Heap, pc: PathCondition, ref: Ref, index: Value, value: Value, negative: bool) -> None:
    """Assign the element at the index."""
    cell = heap.cells[ref]
    index = normal_index(pc, index, cell.length, negative)
    if isinstance(cell, ListCell):
        at = pick(pc, index, len(cell.items))
        heap.cells[ref] = ListCell((*cell.items[:at], value, *cell.items[at + 1 :]), cell.length)
        return
    place = _find(pc, cell, index)
    known = cell.known
    if place is None:
        known = (*known, (index, value))
    else:
        known = (*known[:place], (known[place][0], value), *known[place + 1 :])
    heap.cells[ref] = OpenList(cell.name, cell.element, cell.length, known)


def append(heap: Heap, pc: PathCondition, ref: Ref, value: Value) -> None:
    """Add an element at the end."""
    cell = heap.cells[ref]
    if isinstance(cell, ListCell):
        heap.cells[ref] = ListCell((*cell.items, value), terms.add(cell.length, 1))
        return
    known = tuple((i, v) for i, v in cell.known if not _same(pc, i, cell.length))
    known = (*known, (cell.length, value))
    heap.cells[ref] = OpenList(cell.name, cell.element, terms.add(cell.length, 1), known)


def pop_last(heap: Heap, pc: PathCondition, ref: Ref) -> Value:
    """Remove and return the last element; raises OutOfRange when there is none."""
    cell = heap.cells[ref]
    last = normal_index(pc, terms.sub(cell.length, 1), cell.length, False)
    if isinstance(cell, ListCell):
        heap.cells[ref] = ListCell(cell.items[:-1], terms.sub(cell.length, 1))
        return cell.items[-1]
    place = _find(pc, cell, last)
    value = _first_look(heap, ref, cell, last) if place is None else cell.known[place][1]
    current = heap.cells[ref]
    dropped = len(current.known) - 1 if place is None else place
    known = current.known[:dropped] + current.known[dropped + 1 :]
    heap.cells[ref] = OpenList(cell.name, cell.element, last, known)
    return value


def items(heap: Heap, pc: PathCondition, ref: Ref) -> tuple[Value, ...]:
    """All elements; an input list gets an exact length for it, up to the bound."""
    cell = heap.cells[ref]
    if isinstance(cell, ListCell):
        return cell.items
    size = _exact_length(heap, pc, cell.length)
    places = [_find(pc, cell, i) for i in range(size)]
    elements = tuple(
        _first_look(heap, ref, heap.cells[ref], i) if place is None else cell.known[place][1]
        for i, place in enumerate(places)
    )
    heap.cells[ref] = ListCell(elements, cell.length)
    return elements


def replace(heap: Heap, ref: Ref, elements: tuple[Value, ...]) -> None:
    """Give the list new content."""
    old = heap.cells[ref]
    assert isinstance(old, ListCell)
    length = terms.add(old.length, len(elements) - len(old.items))
    heap.cells[ref] = ListCell(elements, length)


def _exact_length(heap: Heap, pc: PathCondition, length: Value) -> int:
    if not isinstance(length, Term):
        return int(length)
    known = pc.value(length)
    if known is not None:
        return int(known)
    bound = heap.inputs.fixed_length
    for size in range(bound + 1):
        if decide(pc, terms.eq(length, size)):
            return size
    raise LimitReached("loop", f"input collections longer than {bound} are not considered here (--lengths)")


def _find(pc: PathCondition, cell: OpenList, index: Value) -> int | None:
    for place, (known, _) in enumerate(cell.known):
        if known is index or (not isinstance(index, Term) and not isinstance(known, Term) and known == index):
            return place
    for place, (known, _) in enumerate(cell.known):
        if (isinstance(index, Term) or isinstance(known, Term)) and decide(pc, terms.eq(known, index)):
            return place
    return None


def _same(pc: PathCondition, left: Value, right: Value) -> bool:
    return bool(left is right or decide(pc, terms.eq(left, right)))


def _first_look(heap: Heap, ref: Ref, cell: OpenList, index: Value) -> Value:
    """The element that the input list held at this index from the start."""
    value = heap.inputs.fresh(cell.element, f"{cell.name}[{index}]")
    first = heap.first[ref]
    assert isinstance(first, InitialList)
    heap.remember(ref, InitialList(first.element, first.length, (*first.entries, (index, value))))
    heap.cells[ref] = OpenList(cell.name, cell.element, cell.length, (*cell.known, (index, value)))
    return value
