"""One test under one schedule, judged: what the search, the shrinking and every replay have in common."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from everypath.concurrency.schedule import SERIAL, Leg, Plan, Point
from everypath.race.calls import NEXT_CALL
from everypath.race.events import ACQUIRE, FAILED, RELEASE
from everypath.race.judge import Observation, verdict
from everypath.race.laboratory import Laboratory, Test, Trial
from everypath.race.running import Blocked, Run
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Examined:
    """The run, what it came to, what the orders without interleaving come to, and the kind of fault, if any."""

    kind: str | None
    trial: Trial
    observed: Observation
    serial: tuple[Observation, ...]


Serially = Callable[[Test], tuple[Observation, ...]]
"""The observations of all orders of a test in which no call is divided."""


def examine(laboratory: Laboratory, test: Test, plan: Plan, serially: Serially | None = None) -> Examined:
    """Run the schedule and every serial order, and compare."""
    serial = serially(test) if serially is not None else serial_observations(laboratory, test)
    trial = laboratory.pair(test, plan, named=True)
    observed = trial.observation()
    return Examined(stuck(trial.run) or verdict(observed, serial), trial, observed.settled(), serial)


def serial_observations(laboratory: Laboratory, test: Test) -> tuple[Observation, ...]:
    """What every order of whole calls comes to; a call that has to wait goes on as soon as it can."""
    return tuple(laboratory.pair(test, plan).observation().settled() for plan in serial_plans(test))


def serial_plans(test: Test) -> tuple[Plan, ...]:
    """All ways to merge the calls of both threads, call by call."""
    first, second = map(len, test.threads)
    if first <= 1 and second <= 1:
        return SERIAL
    plans = []
    for chosen in combinations(range(first + second), first):
        order = [0 if position in chosen else 1 for position in range(first + second)]
        plans.append(_by_calls(order))
    return tuple(plans)


def _by_calls(order: list[int]) -> Plan:
    """One leg per call, each up to the thread's next call; after each one the other may finish what it waited for."""
    done = [0, 0]
    legs: list[Leg] = []
    for thread in order:
        done[thread] += 1
        legs.append(Leg(thread, Point(*NEXT_CALL, done[thread])))
        if done[1 - thread]:
            legs.append(Leg(1 - thread, Point(*NEXT_CALL, done[1 - thread])))
    return tuple(legs)


def stuck(run: Run) -> str | None:
    """A thread that waits for a lock which its own call holds, or which a call that has ended did not give back."""
    for thread, outcomes in enumerate(run.outcomes):
        for outcome in outcomes:
            if isinstance(outcome, Blocked):
                holder = _holder(run, outcome)
                if holder == thread and any(lock is outcome.lock for lock in outcome.held):
                    return "deadlock"
                if holder is not None and not any(isinstance(each, Blocked) for each in run.outcomes[holder]):
                    return "lock-kept"
    return None


def _holder(run: Run, outcome: Blocked) -> int | None:
    """The thread whose call took the lock and still has it."""
    depth = [0, 0]
    for thread, event in run.events:
        if event.target is outcome.lock and event.kind in (ACQUIRE, RELEASE) and event.key != FAILED:
            depth[thread] += 1 if event.kind == ACQUIRE else -1
    # Whoever waits has asked for the lock as well, without getting it.
    waiting = next(t for t, outcomes in enumerate(run.outcomes) if outcome in outcomes)
    depth[waiting] -= 1
    return next((thread for thread in (0, 1) if depth[thread] > 0), None)
