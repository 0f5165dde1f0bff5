"""Models of list methods; compiled by the front end, never imported."""

# ruff: noqa: SIM110, RET503 - generator expressions would hide the loops that the models are about.
from __future__ import annotations

from typing import Any


def index(self: Any, value: Any, start: Any = 0, stop: Any = None, /) -> Any:
    length = len(self)
    if start < 0:
        start = start + length
        if start < 0:
            start = 0
    if stop is None:
        stop = length
    elif stop < 0:
        stop = stop + length
    i = start
    while i < stop and i < len(self):
        if self[i] is value or self[i] == value:
            return i
        i = i + 1
    raise ValueError(f"{value!r} is not in list")


def count(self: Any, value: Any, /) -> Any:
    total = 0
    for item in self:
        if item is value or item == value:
            total = total + 1
    return total


def remove(self: Any, value: Any, /) -> Any:
    for i in range(len(self)):
        if self[i] is value or self[i] == value:
            del self[i]
            return
    raise ValueError("list.remove(x): x not in list")


def sort(self: Any, *, key: Any = None, reverse: Any = False) -> Any:
    # Insertion keeps equal items in order; an item moves left only past strictly larger (or smaller) ones.
    keys = []
    for item in self:
        keys.append(item if key is None else key(item))
    for i in range(1, len(self)):
        item = self[i]
        item_key = keys[i]
        j = i
        while j > 0 and (keys[j - 1] < item_key if reverse else item_key < keys[j - 1]):
            self[j] = self[j - 1]
            keys[j] = keys[j - 1]
            j = j - 1
        self[j] = item
        keys[j] = item_key
