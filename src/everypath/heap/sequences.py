"""Lists and arrays, whose input form has a symbolic length and elements that appear when looked at.

Indices play the role that references play for fields (section 3.4 of "A CLP Heap Solver for Test Case Generation"): an
element read at a symbolic index is one of the elements known so far, or another one. A disjunctive heap says that with
a conditional value; the others fork until it is known which.
"""

from __future__ import annotations

from everypath.errors import LimitReached
from everypath.heap.choice import decide
from everypath.heap.conditional import Guard, choose
from everypath.heap.heap import Heap
from everypath.heap.values import InitialList, ListCell, OpenList, Ref, Value
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.terms import IntLike, Term


class OutOfRange(Exception):
    """The index is outside the sequence."""


def normal_index(pc: PathCondition, index: IntLike, length: IntLike, negative: bool) -> IntLike:
    """The index counted from the front; raises OutOfRange when there is no such element."""
    # The questions that the language itself asks, in its order: each side of each of them is a path.
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


def pick(pc: PathCondition, index: IntLike, size: int) -> int:
    """A concrete index below `size` for one that is in range, forking between those that are possible."""
    if not isinstance(index, Term):
        return int(index)
    known = pc.value(index)
    if known is not None:
        return int(known)
    # The last one needs no question: the index is in range.
    for candidate in range(size - 1):
        if decide(pc, terms.eq(index, candidate)):
            return candidate
    return size - 1


def get(heap: Heap, pc: PathCondition, ref: Ref, index: IntLike, negative: bool) -> Value:
    """The element at the index."""
    cell = heap.sequence(ref)
    index = normal_index(pc, index, cell.length, negative)
    if isinstance(cell, ListCell):
        if heap.disjunctive and isinstance(index, Term):
            return _one_of(pc, index, cell.items)
        return cell.items[pick(pc, index, len(cell.items))]
    return _read(heap, pc, ref, cell, index)


def put(heap: Heap, pc: PathCondition, ref: Ref, index: IntLike, value: Value, negative: bool) -> None:
    """Assign the element at the index."""
    heap.before_change(ref)
    cell = heap.sequence(ref)
    index = normal_index(pc, index, cell.length, negative)
    if isinstance(cell, ListCell):
        heap.set_cell(ref, ListCell(_with_item(heap, pc, cell.items, index, value), cell.length))
        return
    if heap.disjunctive:
        # The newest entry goes to the front and hides older ones if the indices are equal. Only an older entry at the
        # very same term can go: it is certainly hidden.
        known = ((index, value), *(entry for entry in cell.known if entry[0] is not index))
    else:
        place = _find(pc, cell, index)
        known = cell.known
        if place is None:
            known = (*known, (index, value))
        else:
            known = (*known[:place], (known[place][0], value), *known[place + 1 :])
    heap.set_cell(ref, OpenList(cell.name, cell.element, cell.length, known))


def _with_item(
    heap: Heap, pc: PathCondition, items: tuple[Value, ...], index: IntLike, value: Value
) -> tuple[Value, ...]:
    if heap.disjunctive and isinstance(index, Term):
        return tuple(choose(_is(pc, index, at), value, item) for at, item in enumerate(items))
    at = pick(pc, index, len(items))
    return (*items[:at], value, *items[at + 1 :])


def append(heap: Heap, pc: PathCondition, ref: Ref, value: Value) -> None:
    """Add an element at the end."""
    heap.before_change(ref)
    cell = heap.sequence(ref)
    if isinstance(cell, ListCell):
        heap.set_cell(ref, ListCell((*cell.items, value), terms.add(cell.length, 1)))
        return
    known = cell.known
    # A list may have been longer once: an entry behind its end must not become an element again.
    if not heap.disjunctive:
        known = tuple((i, v) for i, v in known if not _same(pc, i, cell.length))
    known = ((cell.length, value), *known)
    heap.set_cell(ref, OpenList(cell.name, cell.element, terms.add(cell.length, 1), known))


def pop_last(heap: Heap, pc: PathCondition, ref: Ref) -> Value:
    """Remove and return the last element; raises OutOfRange when there is none."""
    heap.before_change(ref)
    cell = heap.sequence(ref)
    last = normal_index(pc, terms.sub(cell.length, 1), cell.length, False)
    if isinstance(cell, ListCell):
        heap.set_cell(ref, ListCell(cell.items[:-1], terms.sub(cell.length, 1)))
        return cell.items[-1]
    # Read before it is removed, so that the input is known to have held it.
    value = _read(heap, pc, ref, cell, last)
    known = _open(heap, ref).known
    if not heap.disjunctive:
        place = _find(pc, _open(heap, ref), last)
        assert place is not None
        known = known[:place] + known[place + 1 :]
    heap.set_cell(ref, OpenList(cell.name, cell.element, last, known))
    return value


def _open(heap: Heap, ref: Ref) -> OpenList:
    cell = heap.cells[ref]
    assert isinstance(cell, OpenList)
    return cell


def items(heap: Heap, pc: PathCondition, ref: Ref) -> tuple[Value, ...]:
    """All elements; an input list gets an exact length for it, up to the bound."""
    cell = heap.sequence(ref)
    if isinstance(cell, ListCell):
        return cell.items
    size = _exact_length(heap, pc, cell.length)
    # Elements are read one by one: each read may add an entry to the cell.
    if heap.disjunctive:
        elements = tuple(_read(heap, pc, ref, _open(heap, ref), i) for i in range(size))
    else:
        # All questions come before the first new element.
        places = [_find(pc, cell, i) for i in range(size)]
        elements = tuple(
            _first_look(heap, ref, _open(heap, ref), i) if place is None else cell.known[place][1]
            for i, place in enumerate(places)
        )
    heap.set_cell(ref, ListCell(elements, cell.length))
    return elements


def replace(heap: Heap, ref: Ref, elements: tuple[Value, ...]) -> None:
    """Give the list new content."""
    heap.before_change(ref)
    old = heap.cells[ref]
    assert isinstance(old, ListCell)
    length = terms.add(old.length, len(elements) - len(old.items))
    heap.set_cell(ref, ListCell(elements, length))


def _exact_length(heap: Heap, pc: PathCondition, length: IntLike) -> int:
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


def _is(pc: PathCondition, left: IntLike, right: IntLike) -> Guard:
    """Whether two indices are equal, as far as that is cheaply known."""
    equal = terms.eq(left, right)
    known = pc.value(equal)
    return equal if known is None else bool(known)


def _one_of(pc: PathCondition, index: Term, items: tuple[Value, ...]) -> Value:
    low, high = pc.interval(index)
    first, last = max(0, low or 0), len(items) - 1 if high is None else min(high, len(items) - 1)
    result = items[last]
    for at in range(last - 1, first - 1, -1):
        result = choose(_is(pc, index, at), items[at], result)
    return result


def _read(heap: Heap, pc: PathCondition, ref: Ref, cell: OpenList, index: IntLike) -> Value:
    """The element of an input list at an index in range."""
    if not heap.disjunctive:
        place = _find(pc, cell, index)
        return _first_look(heap, ref, cell, index) if place is None else cell.known[place][1]
    # The newest entry for a place comes first, as in the access history of the heap solver.
    guards: list[tuple[Guard, Value]] = []
    for known, value in cell.known:
        guard = _is(pc, known, index)
        if guard is not False:
            guards.append((guard, value))
        if guard is True:
            break
    else:
        guards.append((True, _first_look(heap, ref, cell, index)))
    result = guards[-1][1]
    for guard, value in reversed(guards[:-1]):
        result = choose(guard, value, result)
    return result


def _find(pc: PathCondition, cell: OpenList, index: IntLike) -> int | None:
    for place, (known, _) in enumerate(cell.known):
        # What is known to be equal is looked for first, so that no question is asked in vain.
        if known is index or (not isinstance(index, Term) and not isinstance(known, Term) and known == index):
            return place
    for place, (known, _) in enumerate(cell.known):
        if (isinstance(index, Term) or isinstance(known, Term)) and decide(pc, terms.eq(known, index)):
            return place
    return None


def _same(pc: PathCondition, left: IntLike, right: IntLike) -> bool:
    return left is right or decide(pc, terms.eq(left, right))


def _first_look(heap: Heap, ref: Ref, cell: OpenList, index: IntLike) -> Value:
    """The element that the input list held at this index from the start."""
    assert ref.origin is not None
    value = heap.inputs.part(ref.origin, index, cell.element, f"{cell.name}[{index}]")
    first = heap.first[ref]
    assert isinstance(first, InitialList)
    heap.remember(ref, InitialList(first.element, first.length, (*first.entries, (index, value))))
    # At the end: in a disjunctive heap the initial content is older than every write.
    heap.set_cell(ref, OpenList(cell.name, cell.element, cell.length, (*cell.known, (index, value))))
    return value
