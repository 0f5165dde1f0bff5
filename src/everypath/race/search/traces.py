"""A recorded call as the prediction sees it: numbered steps on named places of shared memory, with the locks held."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from everypath.concurrency.access import Access
from everypath.race.events import ACQUIRE, ENTER, EXIT, FAILED, NOTIFY, READ, RELEASE, UPDATE, WAIT, WRITE, Event

Naming = Callable[[Any], str | None]
"""The name of an object in the start state; None for one that the call made itself, which nobody else can reach."""

_READS = frozenset({READ, UPDATE, WAIT})
_WRITES = frozenset({WRITE, UPDATE, WAIT, NOTIFY})
_ACCESSES = _READS | _WRITES


class Step(NamedTuple):
    """One event at which a schedule could switch; `index` counts those of the thread before it."""

    index: int  # type: ignore[assignment]
    kind: int
    site: int
    access: Access | None
    """None for locks and for memory that only this call knows"""
    lock: str | None
    """the lock's name for acquire and release"""
    held: frozenset[str]
    today: bool


def counted(event: Event) -> bool:
    """Whether a schedule could switch before this event."""
    return event.kind not in (ENTER, EXIT)


def steps_of(events: Iterable[Event], name: Naming) -> tuple[Step, ...]:
    """The call's steps with the names of its start state."""
    steps = []
    for index, event in enumerate(filter(counted, events)):
        access = lock = None
        if event.kind in _ACCESSES:
            owner = name(event.target)
            if owner is not None:
                access = Access(owner, event.key, event.kind in _READS, event.kind in _WRITES)
        elif event.kind in (ACQUIRE, RELEASE) and event.key != FAILED:
            lock = name(event.target)
        held = frozenset(found for each in event.held if (found := name(each)) is not None)
        # Moving an iterator of one's own on changes nothing that another call could see.
        own = access is None and event.kind == UPDATE and hasattr(type(event.target), "__next__")
        steps.append(Step(index, READ if own else event.kind, event.site, access, lock, held, event.today))
    return tuple(steps)
