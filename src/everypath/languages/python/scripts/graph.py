"""Questions about an object graph: what refers to what, and which parts are plain data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from everypath.cases.model import (
    Heap,
    HeapState,
    Literal,
    ObjectState,
    Pointer,
    StandInState,
    StreamState,
    TupleValue,
    UnusedState,
    Value,
    Written,
    parts,
)
from everypath.languages.python.scripts.literals import literal


def pointers(value: Value) -> Iterator[str]:
    """The objects that a value refers to directly, through tuples."""
    if isinstance(value, Pointer):
        yield value.id
    elif isinstance(value, TupleValue):
        for item in value.items:
            yield from pointers(item)


def targets(state: HeapState) -> list[str]:
    """The objects that an object refers to directly, repetitions included."""
    return [target for value in parts(state) for target in pointers(value)]


def reachable(roots: Iterable[Value], heap: Heap) -> list[str]:
    """Every object reachable from the roots, a parent before its children, the first root's before the second's."""
    order: dict[str, None] = {}
    stack = [target for root in reversed(list(roots)) for target in reversed(list(pointers(root)))]
    while stack:
        current = stack.pop()
        if current in order or current not in heap:
            continue
        order[current] = None
        stack.extend(reversed(targets(heap[current])))
    return list(order)


def children_first(roots: Iterable[Value], heap: Heap) -> list[str]:
    """Every reachable object after those it refers to, except where a cycle forbids it."""
    order: list[str] = []
    entered: set[str] = set()
    for root in [target for value in roots for target in pointers(value)]:
        stack: list[tuple[str, bool]] = [(root, False)]
        while stack:
            current, left = stack.pop()
            if left:
                order.append(current)
            elif current not in entered and current in heap:
                entered.add(current)
                stack.append((current, True))
                stack.extend((target, False) for target in reversed(targets(heap[current])))
    return order


def owners(heap: Heap) -> dict[str, Counter[str]]:
    """For each object, how often each other object refers to it."""
    found: dict[str, Counter[str]] = {}
    for owner, state in heap.items():
        for target in targets(state):
            found.setdefault(target, Counter())[owner] += 1
    return found


def on_cycle(start: str, heap: Heap) -> bool:
    """Whether an object can reach itself."""
    seen: set[str] = set()
    stack = targets(heap[start])
    while stack:
        current = stack.pop()
        if current == start:
            return True
        if current not in seen and current in heap:
            seen.add(current)
            stack.extend(targets(heap[current]))
    return False


def is_nan(value: Value) -> bool:
    """Whether the value is not-a-number, which equals nothing."""
    return isinstance(value, Literal) and isinstance(value.value, float) and math.isnan(value.value)


def plain(value: Value, heap: Heap, named: Iterable[str] = (), above: frozenset[str] = frozenset()) -> bool:
    """Whether `==` with a literal says all there is about the value: no objects, no identities, no nan."""
    match value:
        case Literal():
            return not is_nan(value)
        case Written():
            return True
        case TupleValue(items=items):
            return all(plain(item, heap, named, above) for item in items)
        case Pointer(id=target):
            state = heap.get(target)
            if state is None or target in above or target in named:
                return False
            if isinstance(state, (ObjectState, StandInState, StreamState, UnusedState)):
                return False
            return all(plain(part, heap, named, above | {target}) for part in parts(state))
    return False


def same_literal(one: Value, other: Value) -> bool:
    """Whether two values are the same literal, of the same type."""
    if isinstance(one, TupleValue) and isinstance(other, TupleValue):
        return len(one.items) == len(other.items) and all(map(same_literal, one.items, other.items))
    if not isinstance(one, Literal) or not isinstance(other, Literal):
        return isinstance(one, Written) and one == other
    return type(one.value) is type(other.value) and literal(one.value) == literal(other.value)
