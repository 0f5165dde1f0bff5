"""Executions followed again by their schedules, and compared up to the order of independent steps."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from everypath.concurrency.independence import Event, conflict
from everypath.concurrency.system import Choice, State, System
from everypath.errors import Internal


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
        raise _unfaithful(choice, "cannot run here, but the schedule says so")
    for branch in system.step(state, choice.move):
        if branch.label == choice.label:
            return branch.state
    raise _unfaithful(choice, f"has no branch {choice.label!r} here, but the schedule says so")


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


def _unfaithful(choice: Choice, why: str) -> Internal:
    return Internal(f"task {choice.move.task} of {choice.move.processor} {why}")
