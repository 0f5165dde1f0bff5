"""All outcomes of a closed program's main block, over all schedules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from everypath.concurrency.bounded import BoundedSwitches, CountedActors
from everypath.concurrency.executions import Counts, Execution, Limits
from everypath.concurrency.orders import Order, explore
from everypath.concurrency.stability import Described
from everypath.concurrency.system import Policy, Schedule
from everypath.errors import BadInput, LimitReached
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.compile import compile_program
from everypath.languages.abs.runtime.machine import TURNS, Machine, deep_calls
from everypath.languages.abs.runtime.outcomes import Outcome, outcome
from everypath.languages.abs.runtime.running import OutOfTime
from everypath.languages.abs.runtime.state import State
from everypath.languages.abs.runtime.system import ActorSystem
from everypath.records import dataclass, field


@dataclass(slots=True)
class Found:
    """One distinct outcome and the shortest schedule that was seen to lead to it."""

    outcome: Outcome
    schedule: Schedule
    times: int = 1
    """explored executions that ended so"""


@dataclass(slots=True)
class Outcomes:
    """What exploring found."""

    found: list[Found] = field(default_factory=list)
    """the outcomes, in the order in which they were first seen"""
    counts: Counts = field(default_factory=Counts)
    cut: list[LimitReached] = field(default_factory=list)
    """executions given up because a task did not come to an end"""
    complete: bool = True
    """whether every schedule was covered"""
    out_of_time: bool = False
    too_long: int = 0
    """executions given up because they reached the limit on their length"""
    seconds: float = 0.0


def machine_for(
    program: Program, policies: Mapping[str, Policy] | None = None, seed: int = 0, turns: int = TURNS
) -> Machine:
    """A machine for a program that has a main block; classes are named as the user names them."""
    if program.main is None:
        raise BadInput("the program has no main block: add `{ ... }` at the end of a module")
    named: dict[str, Policy] = {}
    for name, policy in (policies or {}).items():
        cls = program.named_class(name)
        if cls is None:
            classes = sorted(c.rpartition(".")[2] for c in program.classes if c.rpartition(".")[0] in program.modules)
            raise BadInput(f"there is no class `{name}`; classes are {', '.join(classes) or 'none'}")
        named[cls.name] = policy
    return Machine(compile_program(program), named, seed, turns)


def explore_main(
    program: Program,
    order: Order = Order.OPTIMAL,
    limits: Limits | None = None,
    *,
    seconds: float | None = None,
    policies: Mapping[str, Policy] | None = None,
    merged: bool = True,
    seed: int = 0,
    turns: int = 1_000_000,
    described: Described[State] | None = None,
    switches: int | None = None,
    into: Outcomes | None = None,
    progress: Callable[[Counts, int], None] | None = None,
) -> Outcomes:
    """Every distinct outcome of the main block, once; `merged` explores equal states once.

    `into` is filled while the search goes on, so that an interrupt leaves in it what was found; `progress` hears of
    every execution and how many outcomes there are. `described` tells what the order `stable` needs. `switches`
    bounds the tasks that one cog takes from its queue; it does not go together with `merged`.
    """
    system = ActorSystem(machine_for(program, policies, seed, turns), seconds)
    result = into if into is not None else Outcomes()
    if merged and order is not Order.ALL:
        order = Order.INDEPENDENT
    seen: dict[object, Found] = {}
    started = time.monotonic()
    with deep_calls():
        try:
            searched = (
                explore(
                    system,
                    system.machine.initial(),
                    order,
                    limits=limits,
                    counts=result.counts,
                    described=described,
                    canonical=system.canonical if merged else None,
                )
                if switches is None
                else _bounded(system, order, limits, result.counts, described, switches)
            )
            for execution in searched:
                _record(system, execution, seen, result)
                if progress is not None:
                    progress(result.counts, len(seen))
        except OutOfTime:
            result.out_of_time = True
        except KeyboardInterrupt:
            result.complete = False
            raise
        finally:
            result.found = list(seen.values())
            result.complete = result.complete and not result.out_of_time and result.counts.complete and not result.cut
            result.seconds = time.monotonic() - started
    return result


def _bounded(
    system: ActorSystem,
    order: Order,
    limits: Limits | None,
    counts: Counts,
    described: Described[State] | None,
    switches: int,
) -> Iterator[Execution[State]]:
    """The executions in which no cog takes more tasks from its queue; the main block's own is not bounded."""
    bounded = BoundedSwitches(system, switches, frozenset([str(system.machine.main)]))
    start = bounded.initial(system.machine.initial())
    actors = CountedActors(described) if described is not None else None
    for found in explore(bounded, start, order, limits=limits, counts=counts, described=actors):
        yield Execution(found.events, found.state.state, found.outcome, found.ended)


def _record(system: ActorSystem, execution: Execution[State], seen: dict[object, Found], result: Outcomes) -> None:
    if isinstance(execution.ended, LimitReached):
        result.cut.append(execution.ended)
        return
    if execution.outcome is None:
        result.complete = False
        result.too_long += 1
        return
    known = seen.get(execution.outcome)
    if known is None:
        seen[execution.outcome] = Found(outcome(system.machine, execution.state), execution.schedule)
    else:
        known.times += 1
        if len(execution.events) < len(known.schedule):
            known.schedule = execution.schedule
