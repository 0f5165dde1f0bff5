"""Questions about an object graph: what refers to what, in which order objects can be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from everypath.cases.model import Heap, HeapState, Pointer, Value, parts


def targets(state: HeapState) -> list[str]:
    """The objects that an object refers to directly, repetitions included."""
    return [value.id for value in parts(state) if isinstance(value, Pointer)]


def reachable(roots: Iterable[Value], heap: Heap) -> list[str]:
    """Every object reachable from the roots, a parent before its children."""
    order: dict[str, None] = {}
    stack = [root.id for root in reversed(list(roots)) if isinstance(root, Pointer)]
    while stack:
        current = stack.pop()
        if current not in order and current in heap:
            order[current] = None
            stack.extend(reversed(targets(heap[current])))
    return list(order)


def children_first(roots: Iterable[Value], heap: Heap) -> list[str]:
    """Every reachable object after those it refers to, except where a cycle forbids it."""
    order: list[str] = []
    entered: set[str] = set()
    for root in [value.id for value in roots if isinstance(value, Pointer)]:
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


def owners(heap: Heap) -> Counter[str]:
    """How often other objects refer to each object."""
    return Counter(target for state in heap.values() for target in targets(state))
