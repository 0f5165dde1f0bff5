"""Which interleavings of two calls are worth enforcing, predicted from the traces of each call alone.

Section 4.4 of AutoConTest ("Coverage-Driven Test Code Generation for Concurrent Classes"). The coverage requirements
are the eleven access patterns that violate atomic-set serializability: between two accesses of one call, the outer one,
come one or two accesses of the other call to the same places.

1. Keep the accesses to places that both calls visit, once or twice for each code location (`_shared`).
2. Match pairs of the outer call's accesses with accesses of the other call (`_matches`): one place, patterns 1 to 5;
   two places, patterns 6 to 11.
3. Drop what the locks exclude, and choose where to switch (`_candidate`).

Cycles in the order of locks are predicted in the same way. Beyond the paper: write skew, in which each call reads what
the other one writes. No pattern within one call describes it, because neither call visits a place twice, yet both act
on what no longer holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations, permutations
from typing import Any, NamedTuple

from everypath.concurrency.access import Access, overlapping
from everypath.race.events import ACQUIRE, ENTER, EXIT, FAILED, NOTIFY, READ, RELEASE, UPDATE, WAIT, WRITE, Event

Naming = Callable[[Any], str | None]
"""The name of an object in the start state; None for one that the call made itself, which nobody else can reach."""

_READS = frozenset({READ, UPDATE, WAIT})
_WRITES = frozenset({WRITE, UPDATE, WAIT, NOTIFY})
_ACCESSES = _READS | _WRITES


class Step(NamedTuple):
    """One event before which a schedule could switch; `index` is how many of them the thread has before it."""

    index: int  # type: ignore[assignment]
    kind: int
    site: int
    access: Access | None
    """None for locks, and for memory that only this call can reach"""
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
        # An iterator that the call itself has made is its own affair: nobody else sees that it moves on.
        own = access is None and event.kind == UPDATE and hasattr(type(event.target), "__next__")
        steps.append(Step(index, READ if own else event.kind, event.site, access, lock, held, event.today))
    return tuple(steps)


R, W = "R", "W"
SINGLE = {1: (R, W, W), 2: (R, W, R), 3: (W, R, W), 4: (W, W, R), 5: (W, W, W)}
"""Outer access, the other call's access, outer access: all to the same place."""
DOUBLE = {(W, W): (6, 7), (W, R): (8, 9), (R, W): (10, 11)}
"""(what the outer call does to both places, what the other call does) -> two patterns: in the first one the other call
visits the places in the outer call's order, in the second one in the opposite order.
"""
MOST_REQUIREMENTS = 1_000
"""For each pair of calls; loops repeat the same few sites, and beyond this nothing new is asked for."""


class Requirement(NamedTuple):
    """A pattern at certain code locations; it is the same requirement in any test with these locations."""

    pattern: int
    first: int
    other: tuple[int, ...]
    second: int


class Candidate(NamedTuple):
    """Run the other call for `lead` steps, the outer one up to `stop`, the other one past `reach`, and then the
    rest.
    """

    lead: int
    stop: int
    reach: int
    today: bool


class Prediction(NamedTuple):
    """What the patterns give for one pair of calls, with and without regard to locks."""

    predicted: frozenset[Requirement]
    feasible: dict[Requirement, Candidate]
    deadlocks: frozenset[int]
    """steps of the outer call before which the other call should run to close a cycle of locks"""
    skews: frozenset[int]
    """the same for write skew: both calls rely on what the other one is about to change"""


def predict(outer: Sequence[Step], other: Sequence[Step]) -> Prediction:
    """The requirements in which `other` comes between two accesses of `outer`."""
    predicted: set[Requirement] = set()
    feasible: dict[Requirement, Candidate] = {}
    candidates: dict[tuple[int, int, int, int], Candidate | None] = {}
    ours, theirs = _shared(outer, other), _shared(other, outer)
    for requirement, first, second, entry, reach in _matches(ours, theirs):
        predicted.add(requirement)
        key = (first, second, entry, reach)
        if key not in candidates:
            candidates[key] = _candidate(outer, other, (first, second), (entry, reach))
        candidate = candidates[key]
        if candidate is not None:
            # A switch that today's interpreters can make shows more than one that needs a free-threaded build.
            known = feasible.get(requirement)
            if known is None or (candidate.today and not known.today):
                feasible[requirement] = candidate
        if len(predicted) >= MOST_REQUIREMENTS:
            break
    skews = frozenset(
        found.stop
        for mine, needed in _write_skews(_by_place(ours), _by_place(theirs))
        if (found := _candidate(outer, other, mine, needed)) is not None and not found.lead
    )
    return Prediction(frozenset(predicted), feasible, frozenset(_lock_cycles(outer, other)), skews)


def _matches(ours: Sequence[Step], theirs: Sequence[Step]) -> Iterator[tuple[Requirement, int, int, int, int]]:
    """(requirement, indices of both outer accesses, indices of the other call's first and last access)"""
    # Everything is looked up by place: pairs of our accesses times all of theirs would be cubic in the trace.
    singles = _by_place(theirs)
    doubles = _pairs(theirs)
    near = {mine: [place for place in singles if _meet(mine, place)] for mine in _by_place(ours)}
    for first, second in combinations(ours, 2):
        a, b = _of(first), _of(second)
        if a.same_place(b):
            for place in near[_place(first)]:
                if place in near[_place(second)]:
                    for step in singles[place]:
                        for pattern in _single(a, _of(step), b):
                            found = Requirement(pattern, first.site, (step.site,), second.site)
                            yield found, first.index, second.index, step.index, step.index
        else:
            yield from _doubles(first, second, near, doubles)


Place = tuple[str, object]
"""Owner and key of an access."""
Pairs = dict[tuple[Place, Place, str], list[tuple[Step, Step]]]


def _doubles(
    first: Step, second: Step, near: dict[Place, list[Place]], pairs: Pairs
) -> Iterator[tuple[Requirement, int, int, int, int]]:
    for (ours, theirs), numbers in DOUBLE.items():
        if not (_does(_of(first), ours) and _does(_of(second), ours)):
            continue
        for one in near[_place(first)]:
            for two in near[_place(second)]:
                for number, key in zip(numbers, ((one, two, theirs), (two, one, theirs))):
                    for c, d in pairs.get(key, ()):
                        found = Requirement(number, first.site, (c.site, d.site), second.site)
                        yield found, first.index, second.index, c.index, d.index


def _pairs(steps: Sequence[Step]) -> Pairs:
    """Two accesses of one call to different places that both read or both write, once for each pair of sites."""
    found: dict[tuple[Place, Place, str], dict[tuple[int, int], tuple[Step, Step]]] = {}
    for one, two in combinations(steps, 2):
        a, b = _of(one), _of(two)
        if a.same_place(b):
            continue
        for what in (R, W):
            if _does(a, what) and _does(b, what):
                known = found.setdefault((_place(one), _place(two), what), {})
                known.setdefault((one.site, two.site), (one, two))
    return {key: list(known.values()) for key, known in found.items()}


def _by_place(steps: Sequence[Step]) -> dict[Place, list[Step]]:
    found: dict[Place, list[Step]] = {}
    for step in steps:
        found.setdefault(_place(step), []).append(step)
    return found


def _place(step: Step) -> Place:
    access = _of(step)
    return access.owner, access.key


def _meet(one: Place, two: Place) -> bool:
    return one[0] == two[0] and overlapping(one[1], two[1])


def _single(first: Access, other: Access, second: Access) -> Iterator[int]:
    for number, (a, b, c) in SINGLE.items():
        if _does(first, a) and _does(other, b) and _does(second, c):
            yield number


def _does(access: Access, what: str) -> bool:
    return access.reads if what == R else access.writes


def _of(step: Step) -> Access:
    assert step.access is not None
    return step.access


def _shared(steps: Sequence[Step], others: Sequence[Step]) -> list[Step]:
    """The first and the last time that each site visits a place that the other call visits, too.

    The visits in between give the same requirements. An object that the call has made has no name yet, but once it is
    stored in a place, the other call can reach it there: later writes to such objects count as writes to the places
    that were stored to before.
    """
    theirs = {(step.access.owner, step.access.key) for step in others if step.access is not None}
    raced: dict[Access, bool] = {}
    first: dict[tuple[int, Access], Step] = {}
    last: dict[tuple[int, Access], Step] = {}
    stored: dict[Access, None] = {}
    for step in chain.from_iterable(_below(step, stored) for step in steps):
        access = step.access
        if access is None:
            continue
        if access.writes:
            stored[Access(access.owner, access.key, False, True)] = None
        if access not in raced:
            place = (access.owner, access.key)
            raced[access] = any(_meet(place, each) for each in theirs)
        if raced[access]:
            first.setdefault((step.site, access), step)
            last[step.site, access] = step
    return sorted({*first.values(), *last.values()}, key=lambda step: step.index)


def _below(step: Step, stored: dict[Access, None]) -> list[Step]:
    if step.access is not None or step.kind not in (WRITE, UPDATE):
        return [step]
    return [step._replace(access=access) for access in stored]


def _candidate(
    outer: Sequence[Step], other: Sequence[Step], ours: tuple[int, int], theirs: tuple[int, int]
) -> Candidate | None:
    """The last point between both accesses at which the locks let the other call get as far as it must.

    A point at which today's interpreters can switch is preferred. If the other call needs a lock of the outer one only
    on its way, it goes that part of the way before the outer call begins.
    """
    found: Candidate | None = None
    first, second = ours
    entry, reach = theirs
    # Backwards: the closer to the second access, the less can lead the outer call elsewhere before it gets there.
    for stop in range(second, first, -1):
        lead = _lead(outer, other, stop, reach)
        if lead is None or lead > entry:
            continue
        today = outer[stop].today and (lead == 0 or other[lead].today)
        if today:
            return Candidate(lead, stop, reach, True)
        if found is None or lead < found.lead:
            found = Candidate(lead, stop, reach, False)
    return found


def _lead(outer: Sequence[Step], other: Sequence[Step], stop: int, reach: int) -> int | None:
    """How far the other call must be before the outer one begins, so that no lock is in its way; None if one always
    is.
    """
    closed = outer[stop].held
    if not closed or not closed & acquired(other, reach):
        return 0
    if closed & other[reach].held:
        return None
    # The other call must have passed its last use of those locks, and given them back, before the outer one starts.
    lead = 1 + max(s.index for s in other[:reach] if s.kind == ACQUIRE and s.lock in closed)
    while lead < reach and closed & other[lead].held:
        lead += 1
    # And while it stands there, it must not hold a lock that the outer call needs before its switch.
    needed = acquired(outer, stop - 1)
    return lead if not closed & other[lead].held and not needed & other[lead].held else None


def _write_skews(
    ours: dict[Place, list[Step]], theirs: dict[Place, list[Step]]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of reads and writes in which each call reads a place that the other one writes.

    The outer call's read and write, and then the other call's.
    """
    for seen, changed in permutations(ours, 2):
        mine = _read_then_write(ours, [seen], [changed])
        if mine is None:
            continue
        relied = [place for place in theirs if _meet(place, changed)]
        spoilt = [place for place in theirs if _meet(place, seen)]
        needed = _read_then_write(theirs, relied, spoilt)
        if needed is not None:
            yield mine, needed


def _read_then_write(
    steps: dict[Place, list[Step]], read: Sequence[Place], written: Sequence[Place]
) -> tuple[int, int] | None:
    """The first read of some places and the last write of others, if the call does them in this order."""
    reads = [step.index for place in read for step in steps[place] if _of(step).reads]
    writes = [step.index for place in written for step in steps[place] if _of(step).writes]
    return (reads[0], writes[-1]) if reads and writes and reads[0] < writes[-1] else None


def acquired(steps: Sequence[Step], until: int) -> frozenset[str]:
    """The locks that a call takes on its way to a step."""
    return frozenset(s.lock for s in steps[: until + 1] if s.kind == ACQUIRE and s.lock is not None)


def _lock_cycles(outer: Sequence[Step], other: Sequence[Step]) -> Iterator[int]:
    """The steps before which the outer call should stop, so that each call holds a lock that the other one wants."""
    theirs = [(s.lock, s.held) for s in other if s.kind == ACQUIRE and s.lock is not None and s.held]
    for mine in outer:
        if mine.kind != ACQUIRE or mine.lock is None or not mine.held:
            continue
        for lock, held in theirs:
            # A lock that both hold keeps them apart: no deadlock then, whatever the order inside.
            gate = (mine.held & held) - {mine.lock, lock}
            if mine.lock in held and lock in mine.held and mine.lock != lock and not gate:
                yield _earliest_today(outer, lock, mine.index)
                break


def _earliest_today(outer: Sequence[Step], lock: str, wanted: int) -> int:
    """A point at which the call holds the first lock and today's interpreters can switch; else just before the
    second.
    """
    taken = max(s.index for s in outer[:wanted] if s.kind == ACQUIRE and s.lock == lock)
    return next((s.index for s in outer[taken + 1 : wanted] if s.today), wanted)
