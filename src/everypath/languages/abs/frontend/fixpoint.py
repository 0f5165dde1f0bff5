"""Fixed points over who calls whom."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def grown(found: set[K], others: Iterable[K], belongs: Callable[[K], bool]) -> None:
    """Add every other key that belongs to those found, which `belongs` looks at, until none is left to add."""
    others = list(others)
    size = -1
    while len(found) != size:
        size = len(found)
        found.update(key for key in others if key not in found and belongs(key))


def reaching(found: Iterable[K], callers: Mapping[K, Iterable[K]]) -> frozenset[K]:
    """Everything from which one of the found can be reached, given who calls whom; the found included."""
    reached: set[K] = set()
    pending = list(found)
    while pending:
        key = pending.pop()
        if key not in reached:
            reached.add(key)
            pending.extend(callers.get(key, ()))
    return frozenset(reached)
