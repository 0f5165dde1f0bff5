"""One test under one schedule, judged: what the search, the shrinking and every replay have in common."""

from __future__ import annotations

from itertools import combinations

from everypath.concurrency.schedule import SERIAL, Leg, Plan, Point
from everypath.race.calls import NEXT_CALL
from everypath.race.running import Run
from everypath.race.search.call_runner import CallRunner, Test, Trial
from everypath.race.search.judge import Observation, verdict
from everypath.race.search.waiting import stuck
from everypath.records import dataclass


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
    """Run the schedule and, unless they are known, every serial order, and compare."""
    serial = serial_observations(runner, test) if known is None else known
    trial = runner.pair(test, plan, named=True)
    observed = trial.observation()
    return Examined(kind_of(trial.run, plan, observed, serial), trial, observed.settled(), serial)


def kind_of(run: Run, plan: Plan, observed: Observation, serial: Serial) -> str | None:
    """The kind of fault, None when some serial order looks the same.

    A schedule that is a serial order itself can only show a lock that one call alone gets wrong. Under any other
    schedule that is no news, and classes that are locks keep theirs on purpose.
    """
    kind = verdict(observed, serial)
    if kind == "deadlock" or (kind is None and len(plan) <= 2 and all(leg.until is None for leg in plan)):
        return stuck(run) or kind
    return kind


def serial_observations(runner: CallRunner, test: Test) -> Serial:
    """What every order of whole calls comes to; a call that has to wait goes on as soon as it can."""
    return tuple(runner.pair(test, plan).observation().settled() for plan in serial_plans(test))


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
