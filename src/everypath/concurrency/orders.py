"""The orders by name: which executions of a system of actors are explored.

All of them explore the same tree of macro-steps. `all` takes every move, `stable` only those of an actor that may go
first without a loss (Theorem 1 of "Test Case Generation of Actor Systems"), `independent` adds sleep sets, and
`optimal` begins with one execution and adds just those that reverse a race which it has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Generic

from everypath.concurrency.executions import Counts, Execution, Limits
from everypath.concurrency.independence import Depends, Event, conflict
from everypath.concurrency.optimal import Optimal
from everypath.concurrency.search import Ranking, Search, Selector, Stepper
from everypath.concurrency.stability import (
    Actor,
    Described,
    Method,
    WithoutStable,
    awaits_nobody,
    commits,
    temporarily_stable,
)
from everypath.concurrency.system import Canonical, Move, Pending, Policy, State, System


class Order(Enum):
    """How many of the equivalent executions are explored."""

    ALL = "all"
    """every execution"""
    STABLE = "stable"
    """a temporarily stable actor goes first (Theorem 1 of "Test Case Generation of Actor Systems")"""
    INDEPENDENT = "independent"
    """in addition, independent steps are not tried in both orders, as far as sleep sets see it"""
    OPTIMAL = "optimal"
    """every distinguishable execution once"""
    ROUND_ROBIN = "round-robin"
    """actors take turns in the order of their appearance: a few executions out of many, for a quick look"""


def explore(
    system: System[State],
    state: State,
    order: Order = Order.OPTIMAL,
    *,
    limits: Limits | None = None,
    counts: Counts | None = None,
    described: Described[State] | None = None,
    static: bool = False,
    without_stable: WithoutStable = WithoutStable.EVERY,
    canonical: Callable[[State], Canonical] | None = None,
) -> Iterator[Execution[State]]:
    """The executions from the state; `counts` is kept up to date while they are taken.

    `described` is what stable actors are found by; `stable` needs it, and `independent` without it is `all` with sleep
    sets. With `static`, sleep sets go by what methods may touch instead of what their steps touched.

    With `canonical`, equal states are explored once: every final state is reached, but not every execution. `optimal`
    does not allow it: it learns of a race only from an execution with both of its steps, and an execution that joins an
    earlier one stops before that.
    """
    limits, counts = limits or Limits(), counts if counts is not None else Counts()
    if order is Order.OPTIMAL:
        if canonical is not None:
            raise ValueError("the order optimal does not merge states; use independent")
        return Optimal(system, state, limits, counts).executions()
    if order is Order.ROUND_ROBIN:
        if described is None:
            raise ValueError("taking turns needs a description of the actors")
        return Search(system, state, limits, counts, selector=Turns(described), canonical=canonical).executions()
    selector: Stable[State] | None = None
    if order is not Order.ALL and described is not None:
        selector = Stable(system, described, without_stable)
    if selector is None and (order is Order.STABLE or static):
        raise ValueError("stable actors and static independence need a description of the actors")
    depends: Depends | None = None
    if order is Order.INDEPENDENT:
        depends = selector.depends_by_methods if selector and static else conflict
    return Search(system, state, limits, counts, selector=selector, depends=depends, canonical=canonical).executions()


class Turns(Selector[State], Generic[State]):
    """The moves of the first actor after the one that moved last."""

    def __init__(self, described: Described[State]) -> None:
        self._described = described

    def select(
        self, state: State, moves: Sequence[Move], pending: Sequence[Pending], ranking: Ranking, steps: Stepper[State]
    ) -> tuple[Sequence[Move], Ranking]:
        """All moves of the actor whose turn it is; the ranking says who moved last."""
        processors = [actor.processor for actor in self._described.actors(state)]
        after = processors.index(ranking[0]) + 1 if ranking else 0
        for processor in (*processors[after:], *processors[:after]):
            mine = [move for move in moves if move.processor == processor]
            if mine:
                return mine, ranking or (processor,)
        return moves, ranking


class Stable(Selector[State], Generic[State]):
    """The moves of the first temporarily stable actor.

    New actors are asked first, then the one that moved last, then the others in the order of their last moves. The
    actor that has just moved tends to be stable still, so that one actor runs as long as it can, and few actors are
    asked.
    """

    def __init__(self, system: System[State], described: Described[State], without_stable: WithoutStable) -> None:
        self._system = system
        self._described = described
        self._without_stable = without_stable
        self._methods: dict[str, Method] = {}

    def depends_by_methods(self, first: Event, second: Event) -> bool:
        """Whether the steps depend on each other as far as the program's text tells."""
        # What was seen to conflict counts in any case: the text says nothing about futures and queues.
        if conflict(first, second):
            return True
        if first.move.processor != second.move.processor:
            return False
        return not self._described.statics.independent(self._methods[first.task], self._methods[second.task])

    def select(
        self, state: State, moves: Sequence[Move], pending: Sequence[Pending], ranking: Ranking, steps: Stepper[State]
    ) -> tuple[Sequence[Move], Ranking]:
        """Theorem 1, with the actors in the order of the ranking."""
        actors = {actor.processor: actor for actor in self._described.actors(state)}
        for actor in actors.values():
            self._methods.update(actor.tasks)
        new = [processor for processor in actors if processor not in ranking]
        ranking = (*reversed(new), *ranking)
        enabled = frozenset([move.task for move in moves])
        for processor in ranking:
            mine = [move for move in moves if move.processor == processor]
            if mine and self._goes_first(actors[processor], list(actors.values()), mine, pending, enabled, steps):
                return mine, ranking
        # As the paper's figures have it; its examples are compared with this.
        if self._without_stable is WithoutStable.OLDEST:
            oldest = next(processor for processor in actors if any(move.processor == processor for move in moves))
            return [move for move in moves if move.processor == oldest], ranking
        return moves, ranking

    def _goes_first(
        self,
        actor: Actor,
        actors: list[Actor],
        moves: Sequence[Move],
        pending: Sequence[Pending],
        enabled: frozenset[str],
        steps: Stepper[State],
    ) -> bool:
        """Whether no outcome is lost if only this actor moves now: the conditions of Theorem 1."""
        statics = self._described.statics
        ordered = self._system.policy(actor.processor) is not Policy.ANY
        if not temporarily_stable(actor, actors, statics, ordered):
            return False
        if not awaits_nobody(actor, pending, enabled, statics):
            return False
        watched = frozenset().union(*(other.futures for other in actors if other is not actor))
        return all(commits(self._system, steps(move), watched) for move in moves)
