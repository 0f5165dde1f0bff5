"""Exploring an entry: a method symbolically; a main block over all orders of messages, a case for each outcome."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import cast

from everypath.cases.accounts import OrderDependence
from everypath.cases.actor_wording import dependence_message, finding_of, nothing_ended, observed_lines
from everypath.cases.actors import ActorCase, ActorExpected, ActorInputs, ActorSuite
from everypath.cases.model import Entry, Problem, SomeSuite
from everypath.concurrency.executions import Counts, Limits
from everypath.concurrency.orders import Order
from everypath.concurrency.system import Policy
from everypath.languages.abs.covering import Ways, is_inner, trace_of
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.explore import Found, Outcomes, explore_main, machine_for
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.replay import witnessed
from everypath.languages.abs.runtime.system import Description
from everypath.languages.abs.runtime.tracing import Lines, Tracing
from everypath.languages.abs.targets import actors_in
from everypath.languages.base import EntryPoint, Loaded
from everypath.logic.clock import now
from everypath.options import Options
from everypath.paths import QueuedTasks, bounds_of
from everypath.records import dataclass, replace

Progress = Callable[[int, int, int], None]
_FIRST_STATES = 10_000
"""Macro-steps after which the order `optimal` begins again and explores equal states once: a program with so many
executions has most likely far fewer states."""


def explore(loaded: Loaded, entry: EntryPoint, options: Options, suite: SomeSuite, progress: Progress) -> None:
    """Collect one case for every input and distinct outcome, over all orders of messages."""
    source = actors_in(loaded)
    target = source.target(entry.qualname)
    actors = cast("ActorSuite", suite)
    if entry.kind == "main":
        explore_closed(target.program, target.entry, options, actors, progress)
        return
    # The symbolic machine and the solver are much to load, and main blocks do without.
    from everypath.languages.abs.generation import generate_method

    cls = target.program.classes[entry.cls]
    generate_method(target.program, cls, entry.method, options, actors, progress, source.program)


def explore_closed(
    program: Program, entry: Entry, options: Options, suite: ActorSuite, progress: Progress | None = None
) -> None:
    """Explore the program's main block into the suite; an interrupt leaves in it what was found so far."""
    started = now()
    searches: list[Outcomes] = []
    try:
        _search(program, options, searches, progress, started)
    finally:
        _fill(program, entry, options, suite, searches)
        suite.stats.seconds = now() - started
    # A task that never gives up its cog is told with its place already.
    if not suite.cases and not searches[-1].cut:
        suite.problems.append(nothing_ended(entry, suite.stats))


@dataclass(frozen=True, slots=True)
class _Plan:
    """How one search goes."""

    order: Order
    merged: bool = False
    states: int | None = None
    share: float = 1.0
    """of the time that is left: one long execution after the other is slow where equal states would end them"""


def _plans(order: str, bounded: bool) -> tuple[_Plan, ...]:
    """The searches for an order, the next one made when the one before stopped at its number of states.

    With a bound, equal states that were reached with different counts are different.
    """
    if order == "optimal" and not bounded:
        return _Plan(Order.OPTIMAL, states=_FIRST_STATES, share=0.25), _Plan(Order.INDEPENDENT, merged=True)
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
            seconds=max(0.0, limits.time - (now() - started)) * plan.share,
            policies=policies_of(options),
            merged=plan.merged,
            seed=options.seed,
            described=Description(program) if needed else None,
            switches=switches,
            into=searches[-1],
            progress=show,
        )
        if plan.states is None or (found.counts.states < plan.states and not found.out_of_time):
            return


def _switches(options: Options) -> int | None:
    """The bound that somebody has set on tasks taken from a queue; the assumed one is for methods."""
    return None if "switches" in options.actors.assumed else options.actors.switches


def policies_of(options: Options) -> dict[str, Policy]:
    """The queue policies that the options set, by class."""
    return {name: Policy(kind) for name, kind in options.actors.policies}


def _fill(program: Program, entry: Entry, options: Options, suite: ActorSuite, searches: Sequence[Outcomes]) -> None:
    distinct: dict[Hashable, Found] = {}
    for search in searches:
        for found in search.found:
            key = _key(found.outcome)
            known = distinct.get(key)
            if known is None or len(found.schedule) < len(known.schedule):
                distinct[key] = found
    machine = machine_for(program, policies_of(options), options.seed)
    shortest_first = sorted(distinct.values(), key=lambda found: len(found.schedule))
    start = QueuedTasks(replace(bounds_of(options.limits), switches=_switches(options)))
    if shortest_first:
        ways = Ways(program)
        cases = (_case(machine, entry, found, number, ways) for number, found in enumerate(shortest_first, 1))
        suite.cases += [replace(case, start=start) for case in cases]
        taken = {branch for case in suite.cases for branch in case.covers}
        suite.branches = tuple(branch for branch in ways.of_main() if branch in taken or not is_inner(branch))
    _dependence(entry, suite)
    _count(entry, options, suite, searches)


def _key(ended: ActorExpected) -> Hashable:
    """Equal for equal outcomes; values as text, because long lists are nested too deeply to be hashed."""
    failures = tuple((failure.task, failure.file, failure.line) for failure in ended.failures)
    return (*observed_lines(ended, {}), failures, ended.deadlock)


def _case(machine: Machine, entry: Entry, found: Found, number: int, ways: Ways) -> ActorCase:
    """The outcome once more, along its shortest schedule, for everything that can be observed."""
    lines = Lines()
    schedule = (choice.move.task for choice in found.schedule)
    inputs, turns, expected = witnessed(machine, ActorInputs(), schedule, Tracing(machine, lines))
    case = ActorCase(
        id=f"{entry.module}::{entry.qualified}#{number}",
        entry=entry,
        inputs=inputs,
        expected=expected,
        schedule=turns,
        trace=trace_of(lines),
        covers=ways.taken(lines),
        executions=found.times,
        name=f"{entry.name}_{number}",
    )
    return replace(case, finding=finding_of(case))


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
