"""Models of set methods; compiled by the front end, never imported."""

# ruff: noqa: SIM110, RET503 - generator expressions would hide the loops that the models are about.
from __future__ import annotations

from typing import Any


def update(self: Any, *others: Any) -> Any:
    for other in others:
        for item in list(other):
            self.add(item)


def copy(self: Any) -> Any:
    return set(self)


def union(self: Any, *others: Any) -> Any:
    result = set(self)
    for other in others:
        for item in other:
            result.add(item)
    return result


def intersection(self: Any, other: Any, /) -> Any:
    result: set[Any] = set()
    for item in other:
        if item in self:
            result.add(item)
    return result


def difference(self: Any, other: Any, /) -> Any:
    result = set(self)
    for item in other:
        result.discard(item)
    return result


def symmetric_difference(self: Any, other: Any, /) -> Any:
    result = set(self)
    for item in set(other):
        if item in self:
            result.discard(item)
        else:
            result.add(item)
    return result


def issubset(self: Any, other: Any, /) -> Any:
    for item in self:
        if item not in other:
            return False
    return True


def issuperset(self: Any, other: Any, /) -> Any:
    for item in other:
        if item not in self:
            return False
    return True


def isdisjoint(self: Any, other: Any, /) -> Any:
    for item in other:
        if item in self:
            return False
    return True


def remove(self: Any, value: Any, /) -> Any:
    if value not in self:
        raise KeyError(value)
    self.discard(value)
