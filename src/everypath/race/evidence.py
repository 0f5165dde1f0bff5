"""What a failing run shows: which memory is raced for, where the switch fell, and whether it can happen today."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from everypath.concurrency.access import Access, dependent
from everypath.concurrency.schedule import Leg, Plan, Point
from everypath.race.events import SITES, Event, operation
from everypath.race.predict import predict
from everypath.race.running import Blocked, Run
from everypath.race.traces import Step, counted, steps_of
from everypath.records import dataclass

Naming = Callable[[Any], str | None]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The cause of a failing run as far as its events tell."""

    places: tuple[Access, ...]
    """the raced-for memory, the decisive place first"""
    locks: tuple[str, ...]
    """what the threads wait for in a deadlock"""
    site: int | None
    """the operation before which the other thread came in"""
    today: bool
    plan: Plan
    """the same schedule with operations named by the source"""


def evidence(run: Run, plan: Plan, naming: Naming) -> Evidence:
    """Look through a recorded run."""
    events = ([e for t, e in run.events if t == 0 and counted(e)], [e for t, e in run.events if t == 1 and counted(e)])
    named = tuple(leg if leg.until is None else _named(leg, events[leg.thread]) for leg in plan)
    stops = [(leg.thread, found) for leg in plan if (found := _stop(leg, events[leg.thread])) is not None]
    today = all(events[thread][index].today for thread, index in stops)
    locks = tuple(_lock_name(o, naming) for thread in run.outcomes for o in thread if isinstance(o, Blocked))
    interrupted = stops[0] if stops else _first_wait(run)
    if interrupted is None:
        return Evidence((), locks, None, True, named)
    places, site = _raced(run, *interrupted, naming)
    return Evidence(places, locks, site, today, named)


def _first_wait(run: Run) -> tuple[int, int] | None:
    """The thread that had to wait while the other one ran and went on afterwards, and its events until then."""
    threads = [thread for thread, event in run.events if counted(event)]
    first = threads[0] if threads else 0
    before = next((i for i, thread in enumerate(threads) if thread != first), len(threads))
    return (first, before) if first in threads[before:] else None


def patterns(run: Run, plan: Plan, naming: Naming) -> tuple[int, ...]:
    """The numbers of the access patterns at the divided call's first stop."""
    events = ([e for t, e in run.events if t == 0 and counted(e)], [e for t, e in run.events if t == 1 and counted(e)])
    for leg in plan:
        index = _stop(leg, events[leg.thread])
        if index is not None:
            mine = steps_of((e for t, e in run.events if t == leg.thread), naming)
            found = predict(mine, steps_of(_between(run, leg.thread, index), naming))
            return tuple(sorted({r.pattern for r, c in found.feasible.items() if c.stop >= index}))
    return ()


def _lock_name(outcome: Blocked, naming: Naming) -> str:
    return naming(outcome.lock) or SITES[outcome.site].text


def _stop(leg: Leg, events: Sequence[Event]) -> int | None:
    """The number of the event before which the leg stops; None when it is never reached."""
    if isinstance(leg.until, Point):
        seen = 0
        for index, event in enumerate(events):
            if SITES[event.site].function == leg.until.function and operation(event) == leg.until.operation:
                seen += 1
                if seen == leg.until.occurrence:
                    return index
        return None
    return leg.until if leg.until is not None and leg.until < len(events) else None


def _named(leg: Leg, events: Sequence[Event]) -> Leg:
    index = _stop(leg, events)
    if index is None:
        return Leg(leg.thread)
    event = events[index]
    function, what = SITES[event.site].function, operation(event)
    occurrence = sum(SITES[e.site].function == function and operation(e) == what for e in events[: index + 1])
    return Leg(leg.thread, Point(function, what, occurrence))


def _raced(run: Run, outer: int, index: int, naming: Naming) -> tuple[tuple[Access, ...], int]:
    """The places on which the other thread's steps come between two of the divided call's steps."""
    mine = steps_of((e for t, e in run.events if t == outer), naming)
    other = steps_of(_between(run, outer, index), naming)
    decisive = _decisive(mine[:index], mine[index:], other)
    site = decisive[0].site if decisive and decisive[0].index >= index else mine[index].site
    return tuple(dict.fromkeys(step.access for step in decisive if step.access is not None)), site


def _between(run: Run, outer: int, index: int) -> list[Event]:
    """What the other thread did after the outer one stopped and before it went on."""
    count, found = 0, []
    for thread, event in run.events:
        if thread == outer:
            count += counted(event)
            if count > index and counted(event):
                break
        elif count >= index:
            found.append(event)
    return found


def _decisive(before: Sequence[Step], after: Sequence[Step], other: Sequence[Step]) -> list[Step]:
    """Steps of the resumed call on places that the other thread touched in between: those seen before come first.

    Each place counts once: a run that does not end has thousands of steps on a few places.
    """
    theirs = list(dict.fromkeys(step.access for step in other if step.access is not None))
    earlier = _first_on_each(before)
    hit = [step for access, step in _first_on_each(after).items() if any(dependent(access, b) for b in theirs)]
    twice = [step for step in hit if step.access is not None and _seen_before(step.access, earlier, theirs)]
    # Where the call goes on with an object of its own, the other one found that where the call had stored it.
    published = [step for access, step in earlier.items() if any(dependent(access, b) for b in theirs)]
    return [*twice, *(step for step in hit if step not in twice)] or published[::-1]


def _first_on_each(steps: Sequence[Step]) -> dict[Access, Step]:
    found: dict[Access, Step] = {}
    for step in steps:
        if step.access is not None:
            found.setdefault(step.access, step)
    return found


def _seen_before(access: Access, earlier: Iterable[Access], theirs: Sequence[Access]) -> bool:
    return any(a.same_place(access) and any(dependent(a, b) or dependent(access, b) for b in theirs) for a in earlier)
