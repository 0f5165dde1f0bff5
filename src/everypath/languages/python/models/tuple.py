"""Models of tuple methods; compiled by the front end, never imported."""

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
    while i < stop and i < length:
        if self[i] is value or self[i] == value:
            return i
        i = i + 1
    raise ValueError("tuple.index(x): x not in tuple")


def count(self: Any, value: Any, /) -> Any:
    total = 0
    for item in self:
        if item is value or item == value:
            total = total + 1
    return total
