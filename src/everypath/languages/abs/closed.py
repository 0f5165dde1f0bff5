"""Closed programs: a main block over all orders of messages, one case for each distinct outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from everypath.cases.actor_wording import dependence_message, finding_of
from everypath.cases.actors import ActorCase, ActorInputs, ActorSuite
from everypath.cases.model import Entry, OrderDependence, Problem
from everypath.concurrency.executions import Counts, Limits
from everypath.concurrency.orders import Order
from everypath.concurrency.system import Policy, Schedule
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.described import Description
from everypath.languages.abs.runtime.explore import Found, Outcomes, explore_main, machine_for
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.outcomes import Outcome
from everypath.languages.abs.runtime.replay import observed, steps
from everypath.options import Options
from everypath.paths import QueuedTasks, bounds_of
from everypath.records import dataclass, replace

Progress = Callable[[int, int, int], None]
_FIRST_STATES = 10_000
"""Macro-steps after which the order `optimal` begins again and explores equal states once: a program with so many
executions has most likely far fewer states."""


def explore_closed(
    program: Program, entry: Entry, options: Options, suite: ActorSuite, progress: Progress | None = None
) -> None:
    """Explore the program's main block into the suite; an interrupt leaves in it what was found so far."""
    started = time.monotonic()
    searches: list[Outcomes] = []
    try:
        _search(program, options, searches, progress, started)
    finally:
        _fill(program, entry, options, suite, searches)
        suite.stats.seconds = time.monotonic() - started


@dataclass(frozen=True, slots=True)
class _Plan:
    """How one search goes."""

    order: Order
    merged: bool = False
    states: int | None = None


def _plans(order: str, bounded: bool) -> tuple[_Plan, ...]:
    """The searches for an order, the next one made when the one before stopped at its number of states.

    With a bound, equal states that were reached with different counts are different.
    """
    if order == "optimal" and not bounded:
        return _Plan(Order.OPTIMAL, states=_FIRST_STATES), _Plan(Order.INDEPENDENT, merged=True)
    return (_Plan(Order(order)),)


def _search(
    program: Program, options: Options, searches: list[Outcomes], progress: Progress | None, started: float
) -> None:
    limits = options.limits

    def show(counts: Counts, outcomes: int) -> None:
        if progress is not None:
            progress(counts.executions, outcomes, counts.ends)

    switches = _switches(options)
    for plan in _plans(options.actors.order, switches is not None):
        searches.append(Outcomes())
        needed = plan.order not in (Order.ALL, Order.OPTIMAL) and not plan.merged
        found = explore_main(
            program,
            plan.order,
            Limits(limits.paths, limits.depth, plan.states),
            seconds=max(0.0, limits.time - (time.monotonic() - started)),
            policies=policies_of(options),
            merged=plan.merged,
            seed=options.seed,
            described=Description(program) if needed else None,
            switches=switches,
            into=searches[-1],
            progress=show,
        )
        if found.out_of_time or plan.states is None or found.counts.states < plan.states:
            return


def _switches(options: Options) -> int | None:
    """The bound that somebody has set on tasks taken from a queue; the assumed one is for methods."""
    return None if "switches" in options.actors.assumed else options.actors.switches


def policies_of(options: Options) -> dict[str, Policy]:
    """The queue policies that the options set, by class."""
    return {name: Policy(kind) for name, kind in options.actors.policies}


def _fill(program: Program, entry: Entry, options: Options, suite: ActorSuite, searches: Sequence[Outcomes]) -> None:
    distinct: dict[Outcome, Found] = {}
    for search in searches:
        for found in search.found:
            known = distinct.get(found.outcome)
            if known is None or len(found.schedule) < len(known.schedule):
                distinct[found.outcome] = found
    machine = machine_for(program, policies_of(options), options.seed)
    shortest_first = sorted(distinct.values(), key=lambda found: len(found.schedule))
    start = QueuedTasks(replace(bounds_of(options.limits), switches=_switches(options)))
    for number, found in enumerate(shortest_first, 1):
        suite.cases.append(replace(_case(machine, entry, found, number), start=start))
    _dependence(entry, suite)
    _count(entry, options, suite, searches)


def _case(machine: Machine, entry: Entry, found: Found, number: int) -> ActorCase:
    """The outcome once more, along its shortest schedule, for everything that can be observed."""
    state = machine.initial()
    drew = machine.running.drew = []
    turns = tuple(taken.turn for taken in steps(machine, state, _tasks(found.schedule)))
    machine.running.drew = None
    case = ActorCase(
        id=f"{entry.module}::{entry.qualified}#{number}",
        entry=entry,
        inputs=ActorInputs(draws=_by_task(drew)),
        expected=observed(machine, state, machine.main),
        schedule=turns,
        executions=found.times,
        name=f"{entry.name}_{number}",
    )
    return replace(case, finding=finding_of(case))


def _by_task(drew: Sequence[tuple[str, int]]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Random numbers, so that the case does not depend on how they are made."""
    given: dict[str, tuple[int, ...]] = {}
    for task, number in drew:
        given[task] = (*given.get(task, ()), number)
    return tuple(given.items())


def _tasks(schedule: Schedule) -> list[str]:
    return [choice.move.task for choice in schedule]


def _dependence(entry: Entry, suite: ActorSuite) -> None:
    """More than one outcome: the two shortest, those without a finding of their own before others."""
    if len(suite.cases) > 1:
        first, second = sorted(suite.cases, key=lambda case: case.finding is not None)[:2]
        message = dependence_message(first, second)
        suite.dependences.append(OrderDependence(first.id, second.id, message, entry.file, entry.line))


def _count(entry: Entry, options: Options, suite: ActorSuite, searches: Sequence[Outcomes]) -> None:
    """The last search counts: those before were given up for it."""
    last, stats = searches[-1], suite.stats
    counts = last.counts
    stats.paths = stats.executions = counts.executions
    stats.cases = len(suite.cases)
    stats.states = counts.states
    stats.steps = counts.states + counts.probes
    stats.blocked, stats.probes, stats.duplicates = counts.blocked, counts.probes, counts.merged
    stats.complete = last.complete
    stats.cut["time"] = int(last.out_of_time)
    stats.cut["depth"] = last.too_long
    for limit in last.cut:
        stats.cut[limit.kind] = stats.cut.get(limit.kind, 0) + 1
    for limit in {(limit.span, limit.message): limit for limit in last.cut if limit.kind == "loop"}.values():
        suite.problems.append(Problem("cut", limit.span.file or entry.file, limit.span.line, limit.message))
    if counts.executions >= options.limits.paths and not last.complete:
        message = f"stopped after {counts.executions} executions; --paths allows more"
        suite.problems.append(Problem("cut", entry.file, entry.line, message))
    given = [name for name in ("actors", "queue", "poll") if name not in options.actors.assumed]
    unused = [f"--{name}" for name in given if getattr(options.actors, name)]
    if unused:
        message = f"{' and '.join(unused)}: without effect on a main block, only on methods"
        suite.problems.append(Problem("note", entry.file, entry.line, message))
