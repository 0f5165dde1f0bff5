"""Sleep sets: steps that need not be made next, because all that begins with them was explored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everypath.concurrency.independence import Event, conflict
from everypath.concurrency.system import Move


def still_asleep(
    sleep: Sequence[Event], event: Event, depends: Callable[[Event, Event], bool] = conflict
) -> list[Event]:
    """The steps that go on sleeping after this one: those that do not depend on it."""
    return [sleeper for sleeper in sleep if not depends(sleeper, event)]


def asleep(sleep: Sequence[Event], move: Move) -> set[object] | None:
    """The ways in which the move sleeps, by label; None if it sleeps in all of them."""
    labels = set()
    ways = 1
    for event in sleep:
        if event.task == move.task:
            labels.add(event.label)
            ways = event.ways
    return None if len(labels) >= ways else labels
