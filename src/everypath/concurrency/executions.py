"""Executions as the orders give them: what was done, how it ended, and how to do it again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic

from everypath.concurrency.independence import Event
from everypath.concurrency.system import Choice, Schedule, State
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
