"""One concrete heap at the end of a path: equal inputs become one object, conditional values are chosen.

The same assignment gives the numbers and says which references are equal, and the heap's theory has accepted it:

1. The classes of equal references become one object each, with all that was seen through any of them.
2. References that the assignment leaves open are kept apart, and null where that is possible: a small, separate heap.
3. The writes to each field are carried out in their order on these objects, which gives the final heap.
"""

from __future__ import annotations

from collections.abc import Mapping

from everypath.heap.closure import NULL
from everypath.heap.references import References
from everypath.heap.store import ClassBound, without_null
from everypath.heap.values import UNBOUND, Access, InitialList, ListCell, OpenList, Ref, Unknown
from everypath.ir.types import NONE, DataType
from everypath.logic.terms import Model


def concrete(heap: References, log: Mapping[str, Access], model: Model) -> References:
    """A copy of the heap in which nothing is open; the model agrees with the heap's theory.

    `log` holds, for each field that was written, the last access to it.
    """
    solved = heap.copy()
    solved.pc = heap.pc
    closure = heap.closed(model)
    alone: list[Unknown] = []
    for root, members in list(closure.classes()):
        if root is NULL:
            for member in members:
                solved.bind[member] = None
        elif heap.data_type(members[0]) is not None:
            _unite_data(solved, members)
        elif len(members) > 1 or members[0] in heap.named:
            _unite(solved, members)
        else:
            alone += members
    _keep_apart(solved, alone)
    for unknown, ref in heap.named.items():
        solved.bind.setdefault(unknown, ref)
    # Back to the initial fields of the united objects; the writes then happen once more, this time on known objects.
    # The cells of the path hold what was written through one name only.
    for ref, content in solved.first.items():
        if type(content) is dict:
            solved.cells[ref] = {name: value for name, value in content.items() if value is not UNBOUND}
    for name, last in log.items():
        _replay(solved, name, last, model)
    return solved


def _replay(heap: References, name: str, last: Access, model: Model) -> None:
    """Carry out the writes to a field, which for this model are on known objects."""
    writes: list[Access] = []
    entry: Access | None = last
    while entry is not None:
        if entry.write:
            writes.append(entry)
        entry = entry.before
    for write in reversed(writes):
        target = heap.chosen(write.ref, model)
        assert isinstance(target, Ref)
        fields = heap.fields(target).copy()
        fields.pop(name, None)
        # A write of UNBOUND is a deletion. The value itself stays conditional; whoever reads it asks `chosen`.
        if heap.chosen(write.value, model) is not UNBOUND:
            fields[name] = write.value
        heap.cells[target] = fields


def _keep_apart(heap: References, alone: list[Unknown]) -> None:
    """Inputs that were compared only and are equal to no other: null where that is possible, else an object."""
    for unknown in alone:
        if NONE not in heap.options(unknown):
            continue
        # A truth value for "is null" that the assignment makes false, or a reference that is null and must be another
        # one, speaks against null; otherwise null is the smallest choice.
        if unknown in heap.nulls or _differs_from_null(heap, unknown):
            heap.narrow(unknown, without_null(heap.options(unknown)))
        else:
            heap.bind[unknown] = None


def _differs_from_null(heap: References, unknown: Unknown) -> bool:
    """Whether the input was compared with an input that is null, and is therefore something else."""
    others = [b if a is unknown else a for a, b in heap.aliased if unknown is a or unknown is b]
    return any(other in heap.bind and heap.bind[other] is None for other in others)


def _unite_data(heap: References, members: list[Unknown]) -> None:
    """Make inputs of a data type equal that must be, because they were read from the same field of one object."""
    # The member about which most is known keeps its value.
    keeper = next((m for m in members if m in heap.bind), members[0])
    if keeper not in heap.bind:
        types = [type for type in map(heap.data_type, members) if type is not None]
        possible = [set(heap.inputs.constructors(type)) for type in types]
        shared = tuple(name for name in heap.inputs.constructors(types[0]) if all(name in names for names in possible))
        heap.narrow(keeper, (DataType(types[0].name, types[0].arguments, shared),))
    for member in members:
        if member is not keeper:
            heap.bind.setdefault(member, heap.bind.get(keeper, keeper))


def _unite(heap: References, members: list[Unknown]) -> None:
    """Make all members of a class one object."""
    refs = [heap.named[m] for m in members if m in heap.named]
    if not refs:
        # References that were only compared have no object yet. The one with the fewest possible classes says most
        # about what the object can be.
        keeper = min(members, key=lambda m: len(heap.possible(m)))
        if NONE in heap.options(keeper):
            heap.narrow(keeper, without_null(heap.options(keeper)))
        refs = [heap.allocate_input(keeper)]
    kept = refs[0]
    for ref in refs[1:]:
        _absorb(heap, kept, ref)
    for member in members:
        heap.bind[member] = kept


def _absorb(heap: References, kept: Ref, ref: Ref) -> None:
    """Make one object of two references: put together what was seen through each of them."""
    mine, theirs = heap.cells[kept], heap.cells[ref]
    if type(mine) is dict:
        # What was seen through the kept one wins; where both were looked at, the closure has found the values equal.
        heap.remember(kept, {**heap.first_fields(ref), **heap.first_fields(kept)})
        _meet_bounds(heap, kept, ref)
    elif kept.cls == "list":
        if isinstance(mine, OpenList):
            known = theirs.known if isinstance(theirs, OpenList) else ()
            united = OpenList(mine.name, mine.element, mine.length, (*mine.known, *known))
            heap.cells[kept] = theirs if isinstance(theirs, ListCell) else united
        first, other = heap.first[kept], heap.first[ref]
        assert isinstance(first, InitialList) and isinstance(other, InitialList)
        heap.remember(kept, InitialList(first.element, first.length, (*first.entries, *other.entries)))
    heap.bind[ref] = kept


def _meet_bounds(heap: References, kept: Ref, ref: Ref) -> None:
    # The tighter bound counts, and a class that is excluded for one reference is excluded for the object.
    mine, theirs = heap.class_bound(kept), heap.class_bound(ref)
    if mine.exact or theirs.exact:
        exact = mine if mine.exact else theirs
        heap.restrict(kept, ClassBound(exact.bound, exact=True))
        return
    lower = mine if heap.inputs.program.is_subclass(mine.bound, theirs.bound) else theirs
    heap.restrict(kept, ClassBound(lower.bound, (*mine.excluded, *theirs.excluded)))
