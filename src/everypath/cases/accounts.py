"""What a suite says besides its cases: how paths ended, what became of what was wanted, of mutants, and where orders
alone decide."""

from __future__ import annotations

from everypath.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be done: where, what, and what to do about it."""

    kind: str
    """unsupported, unknown, assumption, defect, refused, timeout, cut, endless or note"""
    file: str
    line: int
    message: str


@dataclass(slots=True)
class Stats:
    """Every way a path ended, counted."""

    paths: int = 0
    cases: int = 0
    states: int = 0
    steps: int = 0
    cut: dict[str, int] = field(default_factory=lambda: dict.fromkeys("loop switch actor queue depth time".split(), 0))
    infeasible: int = 0
    duplicates: int = 0
    left_out: int = 0
    """cases that ran as predicted but that the selection does not need"""
    traces: int = 0
    """how often a guided search asked for a path to something that is wanted"""
    unsupported: list[Problem] = field(default_factory=list)
    concretised: list[Problem] = field(default_factory=list)
    """where a few values were tried in place of all"""
    unknown: int = 0
    decisions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("folded", "bounds", "witness", "smt"), 0))
    seconds: float = 0.0
    executions: int = 0
    """complete executions of a concurrent program that were explored"""
    blocked: int = 0
    """executions given up because they could only repeat others"""
    probes: int = 0
    """executions tried only to see whether they are new"""
    complete: bool = True
    """whether every order was covered"""


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
