"""What a failing run shows (the memory raced for, where the switch fell), and when two runs show the same fault.

Every fault fails in many interleavings. They are grouped by cause: the attribute below which the raced-for memory lies,
and the symptom; for memory that locks guard elsewhere, the function that gets the locks wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Sequence
from traceback import walk_tb
from typing import Any

from everypath.cases.races import KINDS, RaceFinding
from everypath.concurrency.access import WHOLE, Access, dependent
from everypath.concurrency.schedule import Leg, Plan, Point
from everypath.race.events import SITES, Event, operation
from everypath.race.running import SHARED, Raised, Run
from everypath.race.search.call_runner import Test
from everypath.race.search.examine import Examined, blocked, lock_name
from everypath.race.search.judge import strange
from everypath.race.search.predict import Naming, Step, counted, predict, steps_of
from everypath.records import dataclass, field


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
    # Without a planned stop a thread was interrupted where it had to wait.
    interrupted = stops[0] if stops else _first_wait(run)
    if interrupted is None:
        return Evidence((), locks, None, None, (False, False), True, named)
    raced, mine = _raced(run, *interrupted, naming)
    places = tuple(dict.fromkeys((*_failing(run, interrupted[0], strange, naming), *raced)))
    other = _clashing(_between(run, *interrupted), places[:1], naming)
    locked = (bool(mine.held), other is not None and bool(other.held))
    return Evidence(places, locks, mine.site, other.site if other is not None else None, locked, today, named)


def _clashing(events: Iterable[Event], places: Sequence[Access], naming: Naming) -> Step | None:
    """The step that accesses one of the places; one that changes it is preferred to one that only reads it."""
    steps = [s for s in steps_of(events, naming) if s.access is not None and any(map(s.access.same_place, places))]
    return next((s for s in steps if s.access is not None and s.access.writes), steps[0] if steps else None)


def _by_thread(run: Run) -> tuple[list[Event], list[Event]]:
    found: tuple[list[Event], list[Event]] = ([], [])
    for thread, event in run.events:
        if counted(event):
            found[thread].append(event)
    return found


def _first_wait(run: Run) -> tuple[int, int] | None:
    """The thread that had to wait while the other one ran and went on afterwards, and its number of events until
    then.
    """
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
    """The number of the event before which the leg stops; None if it is never reached."""
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
    """The places that the other thread touched between two steps of the divided call, and the second of these steps."""
    mine = steps_of((e for t, e in run.events if t == outer), naming)
    other = steps_of(_between(run, outer, index), naming)
    decisive = _decisive(mine[:index], mine[index:], other)
    second = decisive[0] if decisive and decisive[0].index >= index else mine[index]
    return tuple(dict.fromkeys(step.access for step in decisive if step.access is not None)), second


def _failing(run: Run, outer: int, strange: Sequence[tuple[int, int]], naming: Naming) -> list[Access]:
    """The raced-for place that a raising call looked at last, in the innermost function that looked at any."""
    # The divided call is asked first: it is the one that was surprised.
    for thread, number in sorted(strange, key=lambda each: each[0] != outer):
        outcome = run.outcomes[thread][number]
        if not isinstance(outcome, Raised):
            continue
        mine = steps_of((e for t, e in run.events if t == thread), naming)
        theirs = _first_on_each(steps_of((e for t, e in run.events if t != thread), naming))
        clashing = {a for a in _first_on_each(mine) if any(dependent(a, b) for b in theirs)}
        raced = [step for step in mine if step.access in clashing]
        for frame, line in reversed(list(walk_tb(outcome.error.__traceback__))):
            place = frame.f_code.co_filename, frame.f_code.co_qualname
            sites = ((s, SITES[s.site]) for s in raced)
            near = [s for s, site in sites if (site.file, site.function) == place and site.line <= line]
            if near:
                last = max(near, key=lambda s: (SITES[s.site].line == line, s.index))
                return [last.access] if last.access is not None else []
    return []


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
    """Steps of the resumed call on places that the other thread touched meanwhile, starting with those it had seen
    before.

    Each place counts once: a run that does not end has thousands of steps on a few places.
    """
    theirs = _first_on_each(other)
    earlier = _first_on_each(before)
    hit = [step for access, step in _first_on_each(after).items() if any(dependent(access, b) for b in theirs)]
    twice = [step for step in hit if step.access is not None and _seen_before(step.access, earlier, theirs)]
    # Where the call goes on with an object of its own, the other one found that where the call had stored it.
    published = [step for access, step in earlier.items() if any(dependent(access, b) for b in theirs)]
    return [*twice, *(step for step in hit if step not in twice)] or published[::-1]


def _first_on_each(steps: Iterable[Step]) -> dict[Access, Step]:
    found: dict[Access, Step] = {}
    for step in steps:
        if step.access is not None:
            found.setdefault(step.access, step)
    return found


def _seen_before(access: Access, earlier: Iterable[Access], theirs: Collection[Access]) -> bool:
    return any(a.same_place(access) and any(dependent(a, b) or dependent(access, b) for b in theirs) for a in earlier)


VALUE = "value"
"""The symptom of a result or state that no serial order gives."""
_SHARED_PATH = re.compile(rf"{SHARED}(\.\w+)?(?![\w])")
_INSIDE = re.compile(r"[\[({<]")


@dataclass(frozen=True, slots=True)
class Cause:
    """What tells faults apart.

    Memory that no lock ever guards is one fault for each thing that comes of it. Where locks do guard it, every
    function that gets this wrong is a fault of its own, whatever comes of it.
    """

    place: str
    """the attribute below which everything raced for lies, or the locks of a deadlock; empty if unknown"""
    culprit: str
    """the function that gets the locks wrong, empty where there are none"""
    symptom: str
    """the class of an exception, the kind of what never ends, or VALUE"""

    @property
    def key(self) -> tuple[str, str]:
        """The same for all runs of one fault."""
        return self.place, self.culprit or self.symptom


def cause_of(examined: Examined, found: Evidence, guarded: Container[str]) -> Cause:
    """The cause of a failing run; `guarded` is the memory that was seen accessed under a lock."""
    kind = examined.kind or ""
    place = _place(kind, found)
    alone = kind not in ("deadlock", "lock-kept") and (not place or place in guarded)
    return Cause(place, _culprit(found) if alone else "", _symptom(kind, examined, found))


def _culprit(found: Evidence) -> str:
    """Of the two functions, the one without a lock; if both are alike, the one that was divided."""
    site = found.other if found.locked == (True, False) and found.other is not None else found.site
    return SITES[site].function if site is not None else ""


def guarded_places(steps: Iterable[Step]) -> set[str]:
    """The memory that these steps access under a lock."""
    return {top(access_path(step.access)) for step in steps if step.access is not None and step.held}


def access_path(access: Access) -> str:
    """The object of an access, with the attribute if it is one."""
    return f"{access.owner}.{access.key}" if isinstance(access.key, str) and access.key != WHOLE else access.owner


def _place(kind: str, found: Evidence) -> str:
    if kind in ("deadlock", "lock-kept"):
        return " ".join(sorted({top(lock) for lock in found.locks}))
    return top(access_path(found.places[0])) if found.places else ""


def top(path: str) -> str:
    """The attribute of the shared object that leads to a place: `sut._data` for `sut._data['a'].count`.

    What hangs together below one attribute is one cause.
    """
    match = _SHARED_PATH.match(path)
    return match[0] if match else _INSIDE.split(path, maxsplit=1)[0]


def _symptom(kind: str, examined: Examined, found: Evidence) -> str:
    if kind in ("result", "state"):
        return VALUE
    if kind != "exception":
        return kind
    outer = next((leg.thread for leg in found.plan if leg.until is not None), 0)
    positions = sorted(strange(examined.observed, examined.serial), key=lambda each: each[0] != outer)
    outcomes = (examined.trial.run.outcomes[thread][number] for thread, number in positions)
    return next((type(each.error).__name__ for each in outcomes if isinstance(each, Raised)), kind)


@dataclass(slots=True)
class Group:
    """Failing runs of one fault; the best one so far stands for all of them."""

    name: str
    """the name under which the fault is reported; it never changes"""
    cause: Cause
    rank: tuple[Any, ...]
    kind: str
    test: Test
    plan: Plan
    seconds: float
    count: int = 1
    finding: RaceFinding | None = None
    """the finding as it was last reported"""
    stale: bool = True
    """whether a better run was found since"""
    pairs: set[tuple[str, str]] = field(default_factory=set)
    """the methods of all runs, each pair in the order of the alphabet"""

    def take(self, cause: Cause, rank: tuple[Any, ...], kind: str, test: Test, plan: Plan) -> None:
        """Take one more run of the same fault; the better one is kept."""
        self.count += 1
        # An exception shows more than a wrong value, whatever the sizes of the tests are.
        weaker = cause.symptom == VALUE != self.cause.symptom
        stronger = cause.symptom != VALUE == self.cause.symptom
        if cause.culprit:
            # The function is the fault then, and any symptom of it will do.
            weaker = stronger = False
        if stronger or (rank < self.rank and not weaker):
            self.cause, self.rank, self.kind, self.test, self.plan = cause, rank, kind, test, plan
            self.stale = True


def group_of(cause: Cause, groups: Sequence[Group]) -> Group | None:
    """The fault that a failing run belongs to; None if it is a new one.

    A wrong value and an exception about the same memory are one fault, noticed later or earlier.
    """
    for group in groups:
        if group.cause.key == cause.key:
            return group
    if cause.culprit:
        return None
    alike = (g for g in groups if g.cause.place == cause.place and not g.cause.culprit)
    return next((g for g in alike if VALUE in (cause.symptom, g.cause.symptom)), None)


def rank_of(kind: str, today: bool, test: Test, plan: Plan) -> tuple[Any, ...]:
    """The order in which runs of one fault are preferred: what happens today, what is worst, what is smallest."""
    calls = [source for thread in test.threads for source in thread]
    return not today, KINDS.index(kind), len(test.before), len(calls), len(plan), sum(map(len, calls))
