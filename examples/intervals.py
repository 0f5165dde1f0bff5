"""Closed integer intervals as a dataclass: overlap, merge and gap."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Interval:
    low: int
    high: int

    def contains(self, point: int) -> bool:
        return self.low <= point <= self.high

    def overlaps(self, other: Interval) -> bool:
        return self.low <= other.high and other.low <= self.high

    def merge(self, other: Interval) -> Interval:
        if not self.overlaps(other):
            raise ValueError("the intervals are apart")
        return Interval(min(self.low, other.low), max(self.high, other.high))


def gap(first: Interval, second: Interval) -> int:
    """The number of integers strictly between the two, zero when they touch or overlap."""
    if first.overlaps(second):
        return 0
    if first.high < second.low:
        return second.low - first.high - 1
    return first.low - second.high - 1
