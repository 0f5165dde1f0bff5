"""Models of slice methods; compiled by the front end, never imported."""

from __future__ import annotations

from typing import Any


def indices(self: Any, length: Any, /) -> Any:
    if length < 0:
        raise ValueError("length should not be negative")
    step = 1 if self.step is None else self.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    lower, upper = (-1, length - 1) if step < 0 else (0, length)
    start, stop = self.start, self.stop
    if start is None:
        start = upper if step < 0 else lower
    elif start < 0:
        start = start + length
        if start < lower:
            start = lower
    elif start > upper:
        start = upper
    if stop is None:
        stop = lower if step < 0 else upper
    elif stop < 0:
        stop = stop + length
        if stop < lower:
            stop = lower
    elif stop > upper:
        stop = upper
    return start, stop, step
