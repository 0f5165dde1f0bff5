"""A schedule of threads that can be followed again: who runs, and up to which of its operations."""

from __future__ import annotations

from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A thread's operation named by what the source says, so that it is found again after unrelated edits.

    `occurrence` counts from one the times that the thread reaches this operation.
    """

    function: str
    """qualified name, such as `Cache.get`"""
    operation: str
    """what the operation does and to what, such as `write self.n`"""
    occurrence: int = 1


@dataclass(frozen=True, slots=True)
class Leg:
    """Run the thread until just before an operation; None runs it until it ends or has to wait."""

    thread: int
    until: int | Point | None = None
    """the number of operations that the thread has done by then, counted from the start of its calls, or a point"""


Plan = tuple[Leg, ...]
"""Legs one after the other; then every thread that is not done runs on, the lowest number first.

A leg whose thread has to wait ends there; a leg whose thread waits already or is done is passed over.
"""

SERIAL: tuple[Plan, Plan] = ((Leg(0), Leg(1)), (Leg(1), Leg(0)))
"""The two orders without any preemption."""
