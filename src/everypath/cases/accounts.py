"""What a suite says besides its cases: what became of what was wanted, of mutants, and where orders alone decide."""

from __future__ import annotations

from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something that a selection asks for: a branch, a line, a local path, the end of a mutant."""

    item: str
    verdict: str
    """covered, infeasible (no path has it, which is proved up to the bounds) or not reached; of a mutant killed,
    survived or not run"""
    case: str = ""
    """the first case that has it"""
    reason: str = ""
    """which bound the proof is about, or which limit kept the search away"""


@dataclass(frozen=True, slots=True)
class Mutated:
    """A program with one small fault, and what tests did with it."""

    owner: str
    """the qualified name of the function with the fault"""
    line: int
    change: str
    killed_by: tuple[str, ...]
    """ids of the cases that fail with it"""
    tried: bool = True
    """whether there was time to run all of the cases that execute the place"""


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
