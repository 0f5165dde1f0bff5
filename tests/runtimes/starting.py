"""Actor cases made by hand or by exploring the program, for tests."""

from __future__ import annotations

from everypath.cases.actors import (
    ActorCase,
    ActorInputs,
    ActorReference,
    ActorState,
    DataValue,
    Fraction,
    FutureReference,
    Plain,
    Task,
    Turn,
    Value,
)
from everypath.cases.model import Entry
from everypath.concurrency.orders import Order, explore
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.machine import deep_calls
from everypath.languages.abs.runtime.outcomes import observed
from everypath.languages.abs.runtime.replay import machine_of, state_for, steps
from everypath.languages.abs.runtime.system import ActorSystem

MAIN = ActorInputs()
NIL = DataValue("ABS.StdLib.Nil")
UNIT = DataValue("ABS.StdLib.Unit")


def value(given: object) -> Value:
    """A value of a case from a plain one."""
    if isinstance(given, list):
        made = NIL
        for element in reversed(given):
            made = DataValue("ABS.StdLib.Cons", (value(element), made))
        return made
    if isinstance(given, Plain | Fraction | DataValue | ActorReference | FutureReference):
        return given
    assert given is None or isinstance(given, bool | int | float | str)
    return Plain(given)


def actor(name: str, cls: str, processor: str | None = None, **fields: object) -> ActorState:
    """An actor at the start, in a processor of its own unless one is named."""
    return ActorState(name, cls, processor or name, tuple((f, value(v)) for f, v in fields.items()))


def call(receiver: str, method: str, **arguments: object) -> Task:
    """A task in a queue; its name follows from the rest."""
    return Task("", receiver, method, tuple((a, value(v)) for a, v in arguments.items()))


def every_case(program: Program, inputs: ActorInputs = MAIN, order: Order = Order.INDEPENDENT) -> list[ActorCase]:
    """One case for every execution that the order explores."""
    machine = machine_of(program)
    system = ActorSystem(machine)
    first = inputs.tasks[0] if inputs.tasks else None
    state, tasks = state_for(machine, inputs)
    if first is not None:
        named = tuple(Task(n, t.actor, t.method, t.arguments) for n, t in zip(tasks, inputs.tasks))
        inputs = ActorInputs(inputs.actors, named, inputs.futures, inputs.draws)
    with deep_calls():
        schedules = [[c.move.task for c in e.schedule] for e in explore(system, state, order)]
    cls = next((a.cls for a in inputs.actors if first is not None and a.name == first.actor), "")
    name, kind = (first.method, "method") if first is not None else ("main", "main")
    entry = Entry(program.modules[0], "a.abs", cls.rpartition(".")[2] or None, name, kind, 1)
    cases = []
    for number, schedule in enumerate(schedules, 1):
        state, tasks = state_for(machine, inputs)
        turns: tuple[Turn, ...] = tuple(step.turn for step in steps(machine, state, schedule))
        expected = observed(machine, state, next(iter(tasks.values())))
        name = f"case_{number}"
        cases.append(ActorCase(f"{entry.qualified}/{number}", entry, inputs, expected, schedule=turns, name=name))
    return cases
