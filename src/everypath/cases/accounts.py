"""What a suite says besides its cases: what became of that which was wanted, and where orders alone decide."""

from __future__ import annotations

from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something that a selection asks for: a branch, a line, a local path."""

    item: str
    verdict: str
    """covered, infeasible (no path has it, which is proved up to the bounds) or not reached"""
    case: str = ""
    """the first case that has it"""
    reason: str = ""
    """which bound the proof is about, or which limit kept the search away"""


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
