"""The one way to branch: an operation that needs a decision raises `Fork` with its alternatives.

The machine copies the state for each alternative, applies it, and executes the same instruction
again; an operation therefore asks all its questions before it changes anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from everypath.errors import LimitReached, SolverUnknown
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.terms import Term
from everypath.records import dataclass


class Alternative(Protocol):
    """One way to go on; `apply` returns False when it turns out to be impossible."""

    def apply(self, heap: object, pc: PathCondition) -> bool: ...


class Fork(Exception):
    """The current instruction can go on in more than one way."""

    def __init__(self, alternatives: Sequence[Alternative]) -> None:
        self.alternatives = alternatives


class Fixed(Fork):
    """The operation can go on with known values only: the alternatives are some of these, and `what` tells the user
    so.
    """

    def __init__(self, what: str, alternatives: Sequence[Alternative]) -> None:
        super().__init__(alternatives)
        self.what = what


@dataclass(slots=True, eq=False)
class Assume:
    """The condition holds; it is already known to be possible."""

    condition: Term

    def apply(self, heap: object, pc: PathCondition) -> bool:
        pc.assume(self.condition)
        return True


@dataclass(slots=True, eq=False)
class OnlyUnusual:
    """A condition holds that only infinite inputs or NaN fulfil."""

    condition: Term
    number: int
    """Which of the ways to fulfil it."""

    def apply(self, heap: object, pc: PathCondition) -> bool:
        return pc.assume_unusual(self.condition, self.number)


def only_unusual(pc: PathCondition, condition: Term) -> list[Alternative]:
    """The ways in which infinite inputs or NaN fulfil a condition that no others do."""
    return [OnlyUnusual(condition, number) for number, _ in enumerate(pc.unusual(condition))]


@dataclass(slots=True, eq=False)
class TooLarge:
    """An input collection is larger than the bound: this alternative ends as a loop cut."""

    name: str

    def apply(self, heap: object, pc: PathCondition) -> bool:
        raise LimitReached("loop", f"a larger {self.name} is not considered (--lengths)", wider=True)


@dataclass(slots=True, eq=False)
class Unsolved:
    """The solver could not tell whether this alternative is possible: the path ends as undecided."""

    problem: SolverUnknown

    def apply(self, heap: object, pc: PathCondition) -> bool:
        raise self.problem


def decide(pc: PathCondition, condition: bool | Term) -> bool:
    """The truth of the condition on this path; forks when both are possible."""
    if condition is True or condition is False:
        return condition
    assert isinstance(condition, Term)
    # A bit for each truth value that is possible: 1 for true, 2 for false, 3 for both.
    possible = pc.decide(condition)
    negation = terms.not_(condition)
    assert isinstance(negation, Term)
    if possible == 3:
        raise Fork((Assume(condition), Assume(negation)))
    holds, other = (condition, negation) if possible == 1 else (negation, condition)
    unusual = only_unusual(pc, other)
    if unusual:
        raise Fork((Assume(holds), *unusual))
    return possible == 1
