"""The orders `all`, `stable` and `independent`: depth first, over all moves or over those of a stable actor.

Two reductions can be put on top. Sleep sets (`independent`; Godefroid, "Partial-Order Methods for the Verification of
Concurrent Systems", 1996): after a step was explored, it sleeps in the branches beside it until a step is made that
depends on it, since until then the same execution would be found again. And states that were met before, up to
renaming, are not explored again (`canonical`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic

from everypath.concurrency.executions import Counts, Execution, Limits, TooLong
from everypath.concurrency.independence import Depends, Event, Places, asleep, still_asleep
from everypath.concurrency.system import Branch, Canonical, Move, Pending, State, System
from everypath.records import dataclass, field

Ranking = tuple[str, ...]
"""Processors in the order in which they are asked."""


class Selector(Generic[State]):
    """Which of the enabled moves are explored: all of them."""

    def select(
        self, state: State, moves: Sequence[Move], pending: Sequence[Pending], ranking: Ranking, steps: Stepper[State]
    ) -> tuple[Sequence[Move], Ranking]:
        """The moves to explore, and the ranking for what comes next."""
        return moves, ranking


Stepper = Callable[[Move], Sequence[Branch[State]]]
"""The branches of a move in the state at hand, made once."""


@dataclass(slots=True)
class _Frame(Generic[State]):
    state: State
    sleep: list[Event]
    ranking: Ranking
    pending: Sequence[Pending] = ()
    todo: list[Move] = field(default_factory=list)
    left_out: list[Move] = field(default_factory=list)
    """enabled moves that need not be explored, as long as every execution from here ends"""
    made: dict[Move, Sequence[Branch[State]]] = field(default_factory=dict)
    children: list[tuple[Event, State]] = field(default_factory=list)
    """of the move at hand, the next one last"""
    explored: list[Event] = field(default_factory=list)
    """of the move at hand"""
    key: Hashable = None


class Search(Generic[State]):
    """One search; iterate over `executions()` once."""

    def __init__(
        self,
        system: System[State],
        state: State,
        limits: Limits,
        counts: Counts,
        *,
        selector: Selector[State] | None = None,
        depends: Depends | None = None,
        canonical: Callable[[State], Canonical] | None = None,
    ) -> None:
        self._system = system
        self._limits = limits
        self._counts = counts
        self._selector: Selector[State] = selector or Selector()
        self._depends = depends
        self._canonical = canonical
        self._seen: dict[Hashable, frozenset[Hashable]] = {}
        self._open_keys: set[Hashable] = set()
        self._places = Places(system.policy)
        self._frames: list[_Frame[State]] = [_Frame(state, [], ())]
        self._events: list[Event] = []

    def executions(self) -> Iterator[Execution[State]]:
        """The executions, each complete."""
        execution = self._open(self._frames[0])
        if execution:
            yield execution
        while self._frames:
            frame = self._frames[-1]
            if not frame.children and not self._next_move(frame):
                self._leave()
                continue
            if self._limits.states is not None and self._counts.states >= self._limits.states:
                self._counts.complete = False
                return
            execution = self._enter(frame, *frame.children.pop())
            if execution:
                yield execution
                if self._counts.executions == self._limits.executions:
                    self._counts.complete = False
                    return

    def _leave(self) -> None:
        self._open_keys.discard(self._frames.pop().key)
        if self._frames:
            self._events.pop()

    def _next_move(self, frame: _Frame[State]) -> bool:
        """Turn to the next move of the frame; false if there is none."""
        # Only now that all its branches are explored does a move go to sleep.
        if self._depends:
            frame.sleep += frame.explored
        frame.explored = []
        while frame.todo:
            move = frame.todo.pop(0)
            sleeping = asleep(frame.sleep, move)
            if sleeping is None:
                continue
            branches = self._step(frame, move)
            events = [
                (self._places.event(move, branch, len(branches), frame.pending), branch.state)
                for branch in branches
                if branch.label not in sleeping
            ]
            if events:
                frame.children = events[::-1]
                return True
        return False

    def _step(self, frame: _Frame[State], move: Move) -> Sequence[Branch[State]]:
        branches = frame.made.get(move)
        if branches is None:
            branches = frame.made[move] = self._system.step(frame.state, move)
        return branches

    def _enter(self, frame: _Frame[State], event: Event, state: State) -> Execution[State] | None:
        frame.explored.append(event)
        sleep = still_asleep(frame.sleep, event, self._depends) if self._depends else []
        mover = event.move.processor
        # The processor that has just moved is asked first next time; see `Stable`.
        ranking = (mover, *(other for other in frame.ranking if other != mover)) if frame.ranking else ()
        reached = _Frame(state, sleep, ranking)
        if event.ended is not None:
            self._counts.ends += 1
            self._counts.executions += 1
            return Execution((*self._events, event), state, None, event.ended)
        self._counts.states += 1
        if self._canonical and self._met_before(reached, self._canonical(state), frame):
            self._counts.merged += 1
            return None
        self._frames.append(reached)
        self._events.append(event)
        return self._open(reached)

    def _met_before(self, frame: _Frame[State], canonical: Canonical, parent: _Frame[State]) -> bool:
        """Whether all that is to be explored from here was explored from an equal state, or is being explored.

        The equal state may have been explored with steps asleep that are awake now. Then it is explored once more, and
        only those steps sleep that were asleep both times (Godefroid's combination of sleep sets with a table of
        states).
        """
        names = {(canonical.tasks[event.task], event.label): event for event in frame.sleep}
        stored = self._seen.get(canonical.key)
        if stored is not None:
            if stored <= names.keys():
                if canonical.key in self._open_keys:
                    # Along a cycle the actors left out would never get their turn.
                    parent.todo += parent.left_out
                    parent.left_out = []
                return True
            frame.sleep = [event for name, event in names.items() if name in stored]
        self._seen[canonical.key] = frozenset(name for name in names if stored is None or name in stored)
        frame.key = canonical.key
        self._open_keys.add(canonical.key)
        return False

    def _open(self, frame: _Frame[State]) -> Execution[State] | None:
        """Look at a state just reached: return the execution if it ends here, otherwise line up its moves."""
        moves = self._system.enabled(frame.state)
        if not moves:
            self._counts.executions += 1
            return Execution(tuple(self._events), frame.state, self._system.outcome(frame.state))
        if len(self._events) == self._limits.length:
            self._counts.complete = False
            self._counts.executions += 1
            return Execution(tuple(self._events), frame.state, None, TooLong())
        frame.pending = self._system.pending(frame.state)
        chosen, frame.ranking = self._selector.select(
            frame.state, moves, frame.pending, frame.ranking, lambda move: self._step(frame, move)
        )
        # Everything that could be done here was explored elsewhere.
        if frame.sleep and all(asleep(frame.sleep, move) is None for move in chosen):
            self._counts.blocked += 1
            return None
        frame.todo = list(chosen)
        frame.left_out = [move for move in moves if move not in chosen]
        return None
