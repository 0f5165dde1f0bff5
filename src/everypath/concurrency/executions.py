"""Executions as the orders give them: what was done, how it ended, and how to do it again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Generic

from everypath.concurrency.independence import Event, conflict
from everypath.concurrency.system import Choice, Schedule, State, System
from everypath.errors import Internal
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a search stops; None does not."""

    executions: int | None = None
    length: int | None = None
    """macro-steps of one execution; a longer one ends as `TooLong`, and `optimal` may then miss shorter ones too: it
    does not see the races beyond"""
    states: int | None = None
    """macro-steps of the whole search; then it ends, with what was found so far"""


@dataclass(frozen=True, slots=True)
class TooLong:
    """The execution was not finished: it reached the limit on its length."""


@dataclass(frozen=True, slots=True)
class Execution(Generic[State]):
    """One execution from the initial state to an end."""

    events: tuple[Event, ...]
    state: State
    outcome: Hashable
    """the system's outcome when nothing was enabled, else None"""
    ended: object = None
    """why the execution stopped although tasks could go on"""

    @property
    def schedule(self) -> Schedule:
        """What to follow to get here again."""
        return tuple(Choice(event.move, event.label) for event in self.events)


@dataclass(slots=True)
class Counts:
    """What a search did so far."""

    executions: int = 0
    states: int = 0
    """macro-steps explored whose branch did not end the execution"""
    ends: int = 0
    """branches that ended the execution, by a bound for example"""
    probes: int = 0
    """macro-steps made only to find out whether a reversal leads to something new"""
    blocked: int = 0
    """explorations given up because all that could be done next was explored elsewhere"""
    merged: int = 0
    """states not explored again because they were reached before"""
    complete: bool = True
    """false once a limit stopped the search or an execution"""


def unfaithful(choice: Choice, why: str) -> Internal:
    """A system broke its promise to behave the same after steps that do not depend on each other."""
    return Internal(f"task {choice.move.task} of {choice.move.processor} {why}")


def replay(system: System[State], state: State, schedule: Sequence[Choice]) -> list[State]:
    """Follow the schedule; the states after each of its macro-steps."""
    states = []
    for choice in schedule:
        state = follow(system, state, choice)
        states.append(state)
    return states


def follow(system: System[State], state: State, choice: Choice) -> State:
    """The state after one macro-step of a schedule."""
    if choice.move not in system.enabled(state):
        raise unfaithful(choice, "cannot run here, but the schedule says so")
    for branch in system.step(state, choice.move):
        if branch.label == choice.label:
            return branch.state
    raise unfaithful(choice, f"has no branch {choice.label!r} here, but the schedule says so")


def normal_form(events: Iterable[Event]) -> frozenset[tuple[Hashable, ...]]:
    """The execution up to exchanging neighbouring independent steps: the steps, and the order of those that depend.

    Two executions from the same state have the same normal form exactly if they are the same Mazurkiewicz trace.
    """
    counts: dict[str, int] = {}
    named: list[tuple[tuple[str, int, Hashable], Event]] = []
    form: set[tuple[Hashable, ...]] = set()
    for event in events:
        counts[event.task] = counts.get(event.task, 0) + 1
        name = (event.task, counts[event.task], event.label)
        form.add((name,))
        form.update((earlier, name) for earlier, other in named if conflict(other, event))
        named.append((name, event))
    return frozenset(form)
