"""What a failing run shows: which memory is raced for, where the switch fell, and whether it can happen today."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType

from everypath.concurrency.access import Access, dependent
from everypath.concurrency.schedule import Leg, Plan, Point
from everypath.race.events import SITES, Event, operation
from everypath.race.running import Raised, Run
from everypath.race.search.predict import predict
from everypath.race.search.traces import Naming, Step, counted, steps_of
from everypath.race.search.waiting import blocked, lock_name
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """The cause of a failing run as far as its events tell."""

    places: tuple[Access, ...]
    """the raced-for memory, the decisive place first"""
    locks: tuple[str, ...]
    """what the threads wait for in a deadlock"""
    site: int | None
    """the operation before which the other thread came in"""
    other: int | None
    """what the other thread did to the decisive place"""
    locked: tuple[bool, bool]
    """whether the divided call and the other one held a lock there"""
    today: bool
    plan: Plan
    """the same schedule with operations named by the source"""


def evidence(run: Run, plan: Plan, naming: Naming, strange: Sequence[tuple[int, int]] = ()) -> Evidence:
    """Look through a recorded run; `strange` are the calls (thread, number) whose endings need an explanation."""
    events = _by_thread(run)
    named = tuple(leg if leg.until is None else _named(leg, events[leg.thread]) for leg in plan)
    stops = [(leg.thread, found) for leg in plan if (found := _stop(leg, events[leg.thread])) is not None]
    today = all(events[thread][index].today for thread, index in stops)
    locks = tuple(lock_name(outcome.lock, outcome.site, naming) for _, outcome in blocked(run))
    interrupted = stops[0] if stops else _first_wait(run)
    if interrupted is None:
        return Evidence((), locks, None, None, (False, False), True, named)
    raced, mine = _raced(run, *interrupted, naming)
    places = tuple(dict.fromkeys((*_failing(run, interrupted[0], strange, naming), *raced)))
    other = _clashing(_between(run, *interrupted), places[:1], naming)
    locked = (bool(mine.held), other is not None and bool(other.held))
    return Evidence(places, locks, mine.site, other.site if other is not None else None, locked, today, named)


def _clashing(events: Iterable[Event], places: Sequence[Access], naming: Naming) -> Step | None:
    """The step that accesses one of the places; one that changes it is preferred to one that reads it."""
    steps = [s for s in steps_of(events, naming) if s.access is not None and any(map(s.access.same_place, places))]
    return next((s for s in steps if s.access is not None and s.access.writes), steps[0] if steps else None)


def _by_thread(run: Run) -> tuple[list[Event], list[Event]]:
    found: tuple[list[Event], list[Event]] = ([], [])
    for thread, event in run.events:
        if counted(event):
            found[thread].append(event)
    return found


def _first_wait(run: Run) -> tuple[int, int] | None:
    """The thread that had to wait while the other one ran and went on afterwards, and its events until then."""
    threads = [thread for thread, event in run.events if counted(event)]
    first = threads[0] if threads else 0
    before = next((i for i, thread in enumerate(threads) if thread != first), len(threads))
    return (first, before) if first in threads[before:] else None


def patterns(run: Run, plan: Plan, naming: Naming) -> tuple[int, ...]:
    """The numbers of the access patterns at the divided call's first stop."""
    events = _by_thread(run)
    for leg in plan:
        index = _stop(leg, events[leg.thread])
        if index is not None:
            mine = steps_of((e for t, e in run.events if t == leg.thread), naming)
            found = predict(mine, steps_of(_between(run, leg.thread, index), naming))
            return tuple(sorted({r.pattern for r, c in found.feasible.items() if c.stop >= index}))
    return ()


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


def _raced(run: Run, outer: int, index: int, naming: Naming) -> tuple[tuple[Access, ...], Step]:
    """The places on which the other thread's steps come between two of the divided call's steps, and the second one."""
    mine = steps_of((e for t, e in run.events if t == outer), naming)
    other = steps_of(_between(run, outer, index), naming)
    decisive = _decisive(mine[:index], mine[index:], other)
    second = decisive[0] if decisive and decisive[0].index >= index else mine[index]
    return tuple(dict.fromkeys(step.access for step in decisive if step.access is not None)), second


def _failing(run: Run, outer: int, strange: Sequence[tuple[int, int]], naming: Naming) -> list[Access]:
    """The raced-for place that a call which raised looked at last, in the innermost function that looked at any."""
    # The divided call is asked first: it is the one that was surprised.
    for thread, number in sorted(strange, key=lambda each: each[0] != outer):
        outcome = run.outcomes[thread][number]
        if not isinstance(outcome, Raised):
            continue
        mine = steps_of((e for t, e in run.events if t == thread), naming)
        theirs = _distinct(steps_of((e for t, e in run.events if t != thread), naming))
        clashing = {a for a in _distinct(mine) if any(dependent(a, b) for b in theirs)}
        raced = [step for step in mine if step.access in clashing]
        for file, function, line in _frames(outcome.error.__traceback__):
            near = [s for s in raced if _within(s.site, file, function) and SITES[s.site].line <= line]
            if near:
                last = max(near, key=lambda s: (SITES[s.site].line == line, s.index))
                return [last.access] if last.access is not None else []
    return []


def _frames(traceback: TracebackType | None) -> list[tuple[str, str, int]]:
    """(file, function, line) of each frame that an exception has passed, the innermost first."""
    found = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        found.append((code.co_filename, code.co_qualname, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found[::-1]


def _within(site: int, file: str, function: str) -> bool:
    return SITES[site].file == file and SITES[site].function == function


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
    theirs = _distinct(other)
    earlier = _first_on_each(before)
    hit = [step for access, step in _first_on_each(after).items() if any(dependent(access, b) for b in theirs)]
    twice = [step for step in hit if step.access is not None and _seen_before(step.access, earlier, theirs)]
    # Where the call goes on with an object of its own, the other one found that where the call had stored it.
    published = [step for access, step in earlier.items() if any(dependent(access, b) for b in theirs)]
    return [*twice, *(step for step in hit if step not in twice)] or published[::-1]


def _distinct(steps: Iterable[Step]) -> list[Access]:
    return list(dict.fromkeys(step.access for step in steps if step.access is not None))


def _first_on_each(steps: Sequence[Step]) -> dict[Access, Step]:
    found: dict[Access, Step] = {}
    for step in steps:
        if step.access is not None:
            found.setdefault(step.access, step)
    return found


def _seen_before(access: Access, earlier: Iterable[Access], theirs: Sequence[Access]) -> bool:
    return any(a.same_place(access) and any(dependent(a, b) or dependent(access, b) for b in theirs) for a in earlier)
