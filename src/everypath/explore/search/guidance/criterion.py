"""What a selection criterion is to a guided search: which waiting states are still wanted, and which of them first.

The paper pairs a termination criterion with a selection criterion and generates traces for the two (Algorithm 1 of
"Test Case Generation by Symbolic Execution"). Here a trace is asked for by its beginning: each waiting state has
executed one that is feasible, and the criterion says whether the abstraction of the program knows a continuation that
is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from everypath.explore.state import Interrupted, Mark, State
from everypath.ir.instructions import Label, Throw
from everypath.ir.program import Method
from everypath.records import dataclass

Element = Mark | Interrupted
Memo = Any
"""What a criterion remembers about the trace of a state; only the criterion itself looks into it."""

Rank = tuple[int, ...]
"""What is compared of states: the smallest comes first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Something wanted, and what became of it."""

    item: str
    found: str
    """covered, infeasible or not reached"""
    reason: str = ""


class Criterion(Protocol):
    """A selection criterion under way."""

    def begin(self, state: State) -> Memo:
        """What there is to remember about a state that has executed nothing."""

    def follow(self, memo: Memo, elements: Iterable[Element], state: State) -> Memo:
        """What there is to remember after these further elements of the trace."""

    def wants(self, memo: Memo, state: State) -> bool:
        """Whether a path that goes on from here may have something wanted that no path has yet."""

    def nearness(self, memo: Memo, state: State) -> Rank:
        """How far such a path may be from something wanted; a trace is asked for from the nearest state."""

    def direction(self, memo: Memo, state: State) -> Rank:
        """How far the trace that is being followed may be from something more, or else from its end; it goes where
        that is least.
        """

    def items(self, memo: Memo, state: State) -> tuple[str, ...]:
        """The wanted items on a path that has ended."""

    def learn(self, memo: Memo, state: State) -> None:
        """A path has become a case."""

    def lost(self, memo: Memo, state: State, reason: str, bound: bool) -> None:
        """A path ends here without a case; what it might have come to is not reached, or not within a bound."""

    @property
    def size(self) -> int:
        """Grows whenever something becomes wanted that was not."""

    @property
    def satisfied(self) -> bool:
        """Whether nothing is wanted any more."""

    def verdicts(self) -> list[Verdict]:
        """Everything that was wanted, when the search is over."""


def rethrowing(method: Method) -> set[Label]:
    """Blocks that only pass on what a handler did not want: nobody wrote them, so nobody looks for a way there."""
    caught = {handler.exception for handler in method.handlers}
    return {
        label
        for label, block in method.blocks.items()
        if not block.instructions and isinstance(block.terminator, Throw) and block.terminator.exception in caught
    }
