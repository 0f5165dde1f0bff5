"""What a selection asks for, item by item, and what became of it."""

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
