"""One test under one schedule, judged, and who waits for what at its end; used by the search and by every replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any

from everypath.concurrency.schedule import SERIAL, Leg, Plan, Point
from everypath.race.control.locks import ControlledLock, ControlledRLock
from everypath.race.events import ACQUIRE, FAILED, RELEASE, SITES
from everypath.race.observe.call_parts import call_count
from everypath.race.running import DIVISIONS, GENERATORS, NEXT_CALL, Blocked, Outcome, Raised, Returned, Run
from everypath.race.search.call_runner import CallRunner, Test, Trial
from everypath.race.search.judge import Observation, signature, verdict
from everypath.race.search.predict import Naming
from everypath.race.subject.trials import on_purpose
from everypath.records import dataclass


def blocked(run: Run) -> Iterator[tuple[int, Blocked]]:
    """The threads that wait for ever, each with what it waits for."""
    for thread, outcomes in enumerate(run.outcomes):
        for outcome in outcomes:
            if isinstance(outcome, Blocked):
                yield thread, outcome


def stuck(run: Run) -> str | None:
    """The kind of fault if a thread waits for a lock that its own call holds, or that an ended call has kept."""
    for thread, outcome in blocked(run):
        if _holds(outcome, outcome.lock):
            return "deadlock"
        holder = _holder(run, thread, outcome)
        if holder == 1 - thread and all(each != holder for each, _ in blocked(run)):
            return "lock-kept"
    return None


def wait_lines(run: Run, naming: Naming | None) -> list[str]:
    """One line for each thread that waits: what it holds meanwhile, what it waits for, and who has that."""
    return [_line(run, thread, outcome, naming) for thread, outcome in blocked(run)]


def lock_name(lock: Any, site: int, naming: Naming | None) -> str:
    """The lock as it is reached from the shared object, or as the source names it."""
    return (naming(lock) if naming is not None else None) or SITES[site].text


def _line(run: Run, thread: int, outcome: Blocked, naming: Naming | None) -> str:
    wanted = lock_name(outcome.lock, outcome.site, naming)
    held = [name for lock in outcome.held if (name := _held_name(run, lock, naming)) is not None]
    holds = f"holds {' and '.join(dict.fromkeys(held))} and " if held else ""
    return f"{'AB'[thread]} {holds}waits for {wanted}{_why(run, thread, outcome)}"


def _why(run: Run, thread: int, outcome: Blocked) -> str:
    if type(outcome.lock) not in (ControlledLock, ControlledRLock):
        return ", and nobody is left to wake it up"
    holder = _holder(run, thread, outcome)
    if holder is None:
        return ""
    if holder == thread:
        return ", which it holds itself"
    waits = any(each == holder for each, _ in blocked(run))
    return f", which {'AB'[holder]} {'holds' if waits else 'took and did not give back'}"


def _held_name(run: Run, lock: Any, naming: Naming | None) -> str | None:
    site = next((e.site for _, e in run.events if e.kind == ACQUIRE and e.target is lock), None)
    return lock_name(lock, site, naming) if site is not None else None


def _holder(run: Run, waiting: int, outcome: Blocked) -> int | None:
    """The thread whose calls took the lock and still have it."""
    if _holds(outcome, outcome.lock):
        return waiting
    other = 1 - waiting
    balance = [0, 0]
    for thread, event in run.events:
        if event.target is outcome.lock and event.kind in (ACQUIRE, RELEASE) and event.key != FAILED:
            balance[thread] += 1 if event.kind == ACQUIRE else -1
    # Whoever waits has asked for the lock as well, without getting it; it may also have released what others took.
    return other if balance[other] > 0 and balance[other] + balance[waiting] > 1 else None


def _holds(outcome: Blocked, lock: Any) -> bool:
    return any(each is lock for each in outcome.held)


@dataclass(frozen=True, slots=True)
class Examined:
    """The run, what it came to, what the orders without interleaving come to, and the kind of fault, if any."""

    kind: str | None
    trial: Trial
    observed: Observation
    serial: tuple[Observation, ...]


Serial = tuple[Observation, ...]
"""The observations of all orders of a test in which no call is divided."""


def examine(runner: CallRunner, test: Test, plan: Plan, known: Serial | None = None) -> Examined:
    """Run the schedule, and every serial order unless they are known, and compare."""
    serial = serial_observations(runner, test) if known is None else known
    parts = part_counts(test)
    trial = runner.pair(test, plan, named=True)
    observed = trial.observation().settled()
    if part_counts(test) != parts:
        serial = serial_observations(runner, test)
    return Examined(kind_of(trial.run, plan, observed, serial), trial, observed, serial)


def kind_of(run: Run, plan: Plan, observed: Observation, serial: Serial) -> str | None:
    """The kind of fault; None if some serial order looks the same.

    A schedule that is itself a serial order can only show a lock that one call alone gets wrong. Under any other
    schedule that is no news, and classes that are locks keep theirs on purpose. If an assertion fails in every order,
    the calls are not what the class allows, such as releasing something that is not held.
    """
    kind = None if all(map(_breaks_an_assertion, serial)) else verdict(observed, serial)
    if kind == "deadlock" or (kind is None and len(plan) <= 2 and all(leg.until is None for leg in plan)):
        return stuck(run) or kind
    return kind


def _breaks_an_assertion(order: Observation) -> bool:
    return f"raised {AssertionError.__name__}" in chain(*order.outcomes)


def serial_observations(runner: CallRunner, test: Test) -> Serial:
    """What every order of whole calls comes to; a call that has to wait goes on as soon as it can."""
    return tuple(runner.pair(test, plan).observation().settled() for plan in serial_orders(runner, test))


def part_counts(test: Test) -> tuple[int, ...]:
    """The number of parts that the calls of each thread are known to have; runs can show that there are more."""
    return tuple(sum(map(call_count, sources)) for sources in test.threads)


def serial_orders(runner: CallRunner, test: Test) -> tuple[Plan, ...]:
    """The orders of whole calls that can explain a run.

    Code that goes through a generator may see elements come and go, but must not fail because of that. So an order that
    divides a generator counts only if all calls come back. Likewise, while a function that a call was given runs, or
    between the rounds of one that repeats another, others may change the object; the call may refuse to go on then, but
    must not break.
    """
    sources = set(chain(*test.threads))
    if sources.isdisjoint(GENERATORS) and sources.isdisjoint(DIVISIONS):
        return merged_orders(test)
    whole = [runner.pair(test, plan).run.outcomes for plan in SERIAL]
    # These runs have shown how many parts there are.
    plans = merged_orders(test)
    allowed = _all_return if not sources.isdisjoint(GENERATORS) else partial(_none_breaks, whole)
    return (*SERIAL, *(plan for plan in plans if allowed(runner.pair(test, plan).run)))


def _all_return(run: Run) -> bool:
    return all(isinstance(outcome, Returned) for outcome in chain(*run.outcomes))


def _none_breaks(whole: Sequence[Sequence[Sequence[Outcome]]], run: Run) -> bool:
    """Whether each call comes back, raises something on purpose, or ends as it does when no call is divided."""
    for thread, outcomes in enumerate(run.outcomes):
        for number, outcome in enumerate(outcomes):
            fine = isinstance(outcome, Returned) or (isinstance(outcome, Raised) and on_purpose(outcome.error))
            if not fine and all(signature(outcome) != signature(each[thread][number]) for each in whole):
                return False
    return True


def merged_orders(test: Test) -> tuple[Plan, ...]:
    """All ways to merge the calls of both threads, call by call."""
    first, second = part_counts(test)
    if first <= 1 and second <= 1:
        return SERIAL
    positions = range(first + second)
    orders = ([0 if each in chosen else 1 for each in positions] for chosen in combinations(positions, first))
    return tuple(map(_by_calls, orders))


def _by_calls(order: list[int]) -> Plan:
    """One leg for each call, up to the thread's next call; after each, the other thread may finish what it waited
    for.
    """
    done = [0, 0]
    legs: list[Leg] = []
    for thread in order:
        done[thread] += 1
        legs.append(Leg(thread, Point(*NEXT_CALL, done[thread])))
        if done[1 - thread]:
            legs.append(Leg(1 - thread, Point(*NEXT_CALL, done[1 - thread])))
    return tuple(legs)
