"""A range with two public ends; two threads that set it leave one end of each."""

from __future__ import annotations


class Span:
    """The numbers from `low` to `high`."""

    def __init__(self, low: int = 0, high: int = 0) -> None:
        self.low = low
        self.high = high

    def resize(self, low: int, high: int) -> None:
        """Set both ends."""
        if low > high:
            raise ValueError("the low end is above the high end")
        self.low = low
        self.high = high

    def collapse(self, to: int) -> None:
        """Leave a single number."""
        self.resize(to, to)


class SafeSpan:
    """The numbers from the first to the second of `ends`."""

    def __init__(self, low: int = 0, high: int = 0) -> None:
        self.ends = (low, high)

    def resize(self, low: int, high: int) -> None:
        """Set both ends."""
        if low > high:
            raise ValueError("the low end is above the high end")
        self.ends = (low, high)

    def collapse(self, to: int) -> None:
        """Leave a single number."""
        self.resize(to, to)
