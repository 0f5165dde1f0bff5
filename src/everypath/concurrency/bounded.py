"""A bound on how many tasks each processor takes from its queue, on top of any system of actors.

This is the task-level criterion, Definition 2 of "Test Case Generation of Actor Systems".
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic

from everypath.concurrency.stability import Actor, Described, Statics
from everypath.concurrency.system import Branch, Move, Pending, Policy, State, System
from everypath.errors import LimitReached
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Counted(Generic[State]):
    """A state, and how many tasks each processor has taken on the way to it."""

    state: State
    taken: Mapping[str, int]


class BoundedSwitches(Generic[State]):
    """The executions of a system up to the step in which a processor takes one task too many.

    A task that goes on after a blocking get was not in the queue. The processors in `free` are not bounded.
    """

    def __init__(self, system: System[State], most: int, free: frozenset[str] = frozenset()) -> None:
        self._system = system
        self._most = most
        self._free = free

    def initial(self, state: State) -> Counted[State]:
        """Nothing was taken yet."""
        return Counted(state, {})

    def enabled(self, state: Counted[State]) -> Sequence[Move]:
        """The moves possible now; whether the bound allows one is told by its step."""
        return self._system.enabled(state.state)

    def pending(self, state: Counted[State]) -> Sequence[Pending]:
        """All tasks that wait for something."""
        return self._system.pending(state.state)

    def step(self, state: Counted[State], move: Move) -> list[Branch[Counted[State]]]:
        """Continue the task, unless that is one too many: then the execution ends."""
        taken = state.taken
        if move.processor not in self._free and not self._holds(state.state, move):
            count = taken.get(move.processor, 0) + 1
            taken = {**taken, move.processor: count}
        # The step that goes over the bound is still made, so that the search sees what it touches; then the execution
        # ends.
        over = taken.get(move.processor, 0) > self._most
        branches = []
        for branch in self._system.step(state.state, move):
            ended = LimitReached("switch") if over else branch.ended
            branches.append(Branch(Counted(branch.state, taken), branch.footprint, branch.label, ended))
        # It ends in each of its branches alike, so one of them stands for all.
        return branches[:1] if over else branches

    def _holds(self, state: State, move: Move) -> bool:
        return any(pending.holding and pending.move == move for pending in self._system.pending(state))

    def outcome(self, state: Counted[State]) -> Hashable:
        """How the system ended."""
        return self._system.outcome(state.state)

    def policy(self, processor: str) -> Policy:
        """How the processor chooses."""
        return self._system.policy(processor)


class CountedActors(Generic[State]):
    """The description of the actors in such states."""

    def __init__(self, described: Described[State]) -> None:
        self._described = described

    @property
    def statics(self) -> Statics:
        """About the program."""
        return self._described.statics

    def actors(self, state: Counted[State]) -> Sequence[Actor]:
        """All actors, the oldest first."""
        return self._described.actors(state.state)
