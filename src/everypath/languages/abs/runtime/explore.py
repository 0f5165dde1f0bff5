"""Executes programs: one schedule of a main block, all schedules for their distinct outcomes, or those of a test."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from everypath.cases.actors import ActorExpected, ActorInputs, ActorState, Task
from everypath.concurrency.bounded import BoundedSwitches, CountedActors
from everypath.concurrency.executions import Counts, Execution, Limits
from everypath.concurrency.names import TaskName
from everypath.concurrency.orders import Order, explore
from everypath.concurrency.stability import Described
from everypath.concurrency.system import Policy, Schedule
from everypath.errors import BadInput, EverypathError, LimitReached
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.compile import compile_program
from everypath.languages.abs.runtime.machine import TURNS, Machine, deep_calls
from everypath.languages.abs.runtime.outcomes import ASSERTION, outcome
from everypath.languages.abs.runtime.replay import machine_of, state_for
from everypath.languages.abs.runtime.running import OutOfTime
from everypath.languages.abs.runtime.state import State
from everypath.languages.abs.runtime.system import ActorSystem
from everypath.logic.clock import now
from everypath.records import dataclass, field

Choose = Callable[[Machine, State], TaskName | None]

_WINDOW = 64
"""A random choice is made among at most this many tasks of one cog, those that have waited longest."""
_TIDY = 256
"""The number of steps after which what deleted tasks leave behind is removed."""


def first(machine: Machine, state: State) -> TaskName | None:
    """The task that was created first, of those that can go on."""
    return next(machine.moves(state), None)


def at_random(seed: int) -> Choose:
    """One of the cogs, then one of its tasks; the same choices for the same seed."""
    source = random.Random(seed)

    def choose(machine: Machine, state: State) -> TaskName | None:
        cogs = [*state.queues, *(cog for cog in state.holders if cog not in state.queues)]
        source.shuffle(cogs)
        for cog in cogs:
            holder = state.holders.get(cog)
            names = [holder] if holder is not None else islice(state.queues[cog], None)
            found = list(islice((name for name in names if machine.may_go_on(state, name)), _WINDOW))
            if found:
                return source.choice(found)
        return None

    return choose


def run(
    machine: Machine, choose: Choose = first, steps: int | None = None, show: Callable[[str], None] | None = None
) -> tuple[State, int]:
    """Run the main block to its end, or this many steps; the last state and the number of steps.

    What is printed goes to `show` as it comes.
    """
    state = machine.initial()
    done = 0
    with deep_calls():
        while steps is None or done < steps:
            name = choose(machine, state)
            if name is None:
                break
            machine.step(state, name)
            done += 1
            if show is not None and state.output is not None:
                show(state.printed())
                state.output = None
            if done % _TIDY == 0:
                state.compact()
    return state, done


@dataclass(slots=True)
class Found:
    """One distinct outcome, and the shortest schedule known to lead to it."""

    outcome: ActorExpected
    schedule: Schedule
    times: int = 1
    """how many explored executions ended like this"""


@dataclass(slots=True)
class Outcomes:
    """What the exploration found."""

    found: list[Found] = field(default_factory=list)
    """the outcomes, in the order in which they were first seen"""
    counts: Counts = field(default_factory=Counts)
    cut: list[LimitReached] = field(default_factory=list)
    """executions given up because a task does not seem to end"""
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
    """Every distinct outcome of the main block, once; with `merged`, equal states are explored once.

    `into` is filled while the search goes on, so that an interrupt leaves in it what was found; `progress` is told of
    every execution and of the number of outcomes. `described` is what the order `stable` needs. `switches` bounds the
    tasks that one cog takes from its queue; it cannot be combined with `merged`.
    """
    system = ActorSystem(machine_for(program, policies, seed, turns), seconds)
    result = into if into is not None else Outcomes()
    # `optimal` cannot merge states (see `concurrency/orders.py`), so sleep sets take its place.
    if merged and order is not Order.ALL:
        order = Order.INDEPENDENT
    seen: dict[object, Found] = {}
    started = now()
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
            result.seconds = now() - started
    return result


def _bounded(
    system: ActorSystem,
    order: Order,
    limits: Limits | None,
    counts: Counts,
    described: Described[State] | None,
    switches: int,
) -> Iterator[Execution[State]]:
    """The executions in which no cog takes more tasks than this from its queue; the main block's cog is not bounded."""
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


STATES = 20_000
"""The most macro-steps for one test."""


class Trial:
    """A program with tests."""

    def __init__(self, program: Program) -> None:
        self._machine = machine_of(program)

    def failing(self, cls: str, method: str, seconds: float) -> str | None:
        """Why a test, a method of an object without fields, is not sure to pass; None if it always passes."""
        inputs = ActorInputs((ActorState("test", cls, "test", ()),), (Task("", "test", method, ()),))
        state, _ = state_for(self._machine, inputs)
        system = ActorSystem(self._machine, seconds)
        counts = Counts()
        ends = 0
        started = now()
        try:
            with deep_calls():
                for execution in explore(
                    system,
                    state,
                    Order.INDEPENDENT,
                    limits=Limits(states=STATES),
                    counts=counts,
                    canonical=system.canonical,
                ):
                    if execution.outcome is None:
                        return "a task does not seem to end"
                    wrong = _wrong(execution.state)
                    if wrong is not None:
                        return wrong
                    ends += 1
        except OutOfTime:
            return f"there are too many orders to try them all in {max(1, round(now() - started))} s"
        except EverypathError as error:
            return str(error)
        if not counts.complete:
            return "there are too many orders to try them all"
        return None if ends else "it would never end"


def _wrong(state: State) -> str | None:
    if any(failure.value.name == ASSERTION for failure in state.failed.values()):
        return "what it asserts depends on the order of messages"
    if state.failed:
        return "in some order of messages a task fails"
    return "in some order of messages tasks wait for ever" if state.tasks else None
