"""Memory in which a fork leaves plain values for the process that it is a fork of.

A pipe would wake the other process at every value. What a fork has left here is there whatever becomes of it.
"""

from __future__ import annotations

import marshal
import mmap
from collections.abc import Iterator
from typing import Any

_HEAD = 4
"""Bytes that tell the length of a record; a length of zero ends the records."""


class SharedRecords:
    """Values in the order in which they were appended, as far as there is room for them."""

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, size)
        self._end = 0
        self._seen = 0

    def clear(self) -> None:
        """Forget all records, before the fork."""
        self._memory[:_HEAD] = bytes(_HEAD)
        self._end = self._seen = 0

    def append(self, value: Any) -> bool:
        """Leave a value; whether there was room for it."""
        data = marshal.dumps(value)
        start, end = self._end + _HEAD, self._end + _HEAD + len(data)
        if end + _HEAD > len(self._memory):
            return False
        self._memory[start : end + _HEAD] = data + bytes(_HEAD)
        # The length comes last, so that a record is whole or not there.
        self._memory[self._end : start] = len(data).to_bytes(_HEAD, "little")
        self._end = end
        return True

    def has_grown(self) -> bool:
        """Whether there is a record that was not there when this was asked last."""
        before, self._seen = self._seen, sum(1 for _ in self)
        return self._seen > before

    def __iter__(self) -> Iterator[Any]:
        at = 0
        while length := int.from_bytes(self._memory[at : at + _HEAD], "little"):
            yield marshal.loads(self._memory[at + _HEAD : at + _HEAD + length])
            at += _HEAD + length
