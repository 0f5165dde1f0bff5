"""Results that depend on nothing but the order of messages."""

from __future__ import annotations

from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class OrderDependence:
    """The same input, different outcomes: the two shortest schedules."""

    first: str
    """id of a case"""
    second: str
    message: str
    """what differs, such as `this.r is 6 or 3`"""
    file: str
    line: int
