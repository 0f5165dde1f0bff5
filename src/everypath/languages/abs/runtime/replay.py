"""Replays test cases: begins with their actors and queues, and follows their schedules exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import Any

from everypath.cases import actors as suite
from everypath.concurrency.names import InitialReference, Reference, TaskName
from everypath.errors import BadInput
from everypath.languages.abs.frontend.program import Class, Program
from everypath.languages.abs.runtime.compile import compile_program
from everypath.languages.abs.runtime.machine import Machine, deep_calls
from everypath.languages.abs.runtime.outcomes import observed, to_case, turn_of
from everypath.languages.abs.runtime.running import Running, slots_for
from everypath.languages.abs.runtime.state import BLOCKED, READY, WAITING, Failure, Frame, Instance, State, Task
from everypath.languages.abs.runtime.values import CONSTANTS, Data, whole
from everypath.records import dataclass, replace

_FEW = 5
"""Names in a message."""


def from_case(value: suite.Value, actor: Callable[[str], Reference], future: Callable[[str], TaskName]) -> Any:
    """The value as programs have it; objects and futures are found by their names."""
    line = []
    at = value
    while isinstance(at, suite.DataValue) and at.arguments:
        line.append(at)
        at = at.arguments[-1]
    made: Any
    match at:
        case suite.Plain(value=atom):
            made = atom
        case suite.Fraction(top=top, bottom=bottom):
            made = whole(Fraction(top, bottom))
        case suite.ActorReference(name=name):
            made = actor(name)
        case suite.FutureReference(task=task):
            made = future(task)
        case suite.DataValue(constructor=constructor):
            made = CONSTANTS.get(constructor) or Data(constructor)
    for data in reversed(line):
        made = Data(data.constructor, (*(from_case(a, actor, future) for a in data.arguments[:-1]), made))
    return made


class InitialFuture(TaskName):
    """A future that is there from the start and belongs to no task of the case, named by the way to it."""

    __slots__ = ("way",)

    def __init__(self, way: str) -> None:
        super().__init__(None, 0, "future", None)
        self.way = way

    def _described(self) -> str:
        return self.way


def machine_of(program: Program) -> Machine:
    """A machine that takes any task next, for a program with or without a main block."""
    return Machine(compile_program(program))


def state_for(machine: Machine, inputs: suite.ActorInputs) -> tuple[State, dict[str, TaskName]]:
    """The state in which the case begins, and its tasks by their names, the call under test first.

    Inputs without tasks are those of the main block. BadInput when they do not fit the program.
    """
    machine.running.draws = dict(inputs.draws)
    if not inputs.tasks:
        if machine.compiled.main is None:
            raise BadInput("the case has no call, and the program has no main block")
        return machine.initial(), {str(machine.main): machine.main}
    return _Start(machine, inputs).result()


class _Start:
    """Builds one state."""

    def __init__(self, machine: Machine, inputs: suite.ActorInputs) -> None:
        self.machine = machine
        self.inputs = inputs
        self.objects: dict[str, Reference] = {}
        self.tasks: dict[str, TaskName] = {}
        self.futures: dict[str, TaskName] = {}
        self.state = State()

    def result(self) -> tuple[State, dict[str, TaskName]]:
        """Everything named first, because values mention each other."""
        for actor in self.inputs.actors:
            self._class(actor.cls)
            self.objects[actor.name] = InitialReference(actor.name, actor.cls)
        for actor in self.inputs.actors:
            if actor.processor != actor.name:
                self.objects[actor.name].cog = self._object(actor.processor).cog
        names = [
            TaskName(None, number, task.method, self._object(task.actor))
            for number, task in enumerate(self.inputs.tasks)
        ]
        for name, task in zip(names, self.inputs.tasks):
            if task.name and task.name != str(name):
                raise BadInput(f"task `{task.name}` of the case is called `{name}` now: the case does not fit")
            self.tasks[str(name)] = name
        for actor in self.inputs.actors:
            self._fill(actor)
        for name, task in zip(names, self.inputs.tasks):
            self._queue(name, task)
        for future, value in self.inputs.futures:
            self.state.futures[self._future(future)] = self._value(value)
        return self.state, self.tasks

    def _class(self, name: str) -> Class:
        found = self.machine.compiled.program.classes.get(name)
        if found is None:
            raise BadInput(f"the program has no class `{name}`, which the case uses")
        return found

    def _object(self, name: str) -> Reference:
        found = self.objects.get(name)
        if found is None:
            raise BadInput(f"the case mentions an actor `{name}` that is not among its inputs")
        return found

    def _future(self, name: str) -> TaskName:
        found = self.tasks.get(name) or self.futures.get(name)
        if found is None:
            found = self.futures[name] = InitialFuture(name)
        return found

    def _value(self, value: suite.Value) -> object:
        return from_case(value, self._object, self._future)

    def _fill(self, actor: suite.ActorState) -> None:
        fields = self.machine.compiled.classes[actor.cls].fields
        given = dict(actor.fields)
        if set(given) != set(fields):
            wrong = sorted(set(given) ^ set(fields))
            raise BadInput(f"fields of `{actor.cls}` and of `{actor.name}` in the case differ: {', '.join(wrong)}")
        reference = self.objects[actor.name]
        self.state.objects[reference] = Instance(reference, [self._value(given[name]) for name in fields])

    def _queue(self, name: TaskName, task: suite.Task) -> None:
        receiver = self._object(task.actor)
        method = self._class(receiver.label).method(task.method)
        if method is None:
            raise BadInput(f"class `{receiver.label}` has no method `{task.method}`, which the case calls")
        expected = [v.name for v in method.parameters]
        given = dict(task.arguments)
        if set(given) != set(expected):
            raise BadInput(
                f"parameters of `{receiver.label}.{task.method}` are ({', '.join(expected)}), "
                f"the case gives ({', '.join(given)})"
            )
        arguments = tuple(self._value(given[parameter]) for parameter in expected)
        code = self.machine.compiled.classes[receiver.label].methods[task.method]
        slots = slots_for(code.slots, arguments) if code.native is None else list(arguments)
        self.state.tasks[name] = Task(name, [Frame(code, receiver, slots)])
        self.state.enqueue(receiver.cog, name)


class Misfit(BadInput):
    """A schedule asks for a step that cannot be taken."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What one macro-step did."""

    turn: suite.Turn
    sent: tuple[suite.Turn, ...]
    created: tuple[str, ...]
    text: str
    """what it printed"""
    end: str
    """`returns`, `fails`, `waits` (its processor is free), `blocks` (it keeps its processor) or `pauses`"""
    value: suite.Value | None
    """the result, or the exception"""


def follow(machine: Machine, state: State, schedule: Sequence[suite.Turn]) -> State:
    """The state after all steps of the schedule, which is the given one, changed."""
    for _ in steps(machine, state, (turn.task for turn in schedule)):
        pass
    return state


def steps(
    machine: Machine, state: State, schedule: Iterable[str], watching: AbstractContextManager[object] | None = None
) -> Iterator[Taken]:
    """Take the steps of a schedule, given by the names of tasks, one at a time; changes the state.

    Misfit when a task is not there or cannot go on.
    """
    watching = watching or nullcontext()
    machine.writers = {}
    for number, wanted in enumerate(schedule, 1):
        name = next((name for name in state.tasks if str(name) == wanted), None)
        if name is None or not machine.may_go_on(state, name):
            raise Misfit(f"step {number} of the schedule: {_misfit(machine, state, wanted, name)}")
        with deep_calls(), watching:
            running = machine.step(state, name)
        for reference, instance in running.touched.items():
            for bit in range(instance.written.bit_length()):
                if instance.written >> bit & 1:
                    machine.writers[reference, bit] = name
        yield _taken(state, name, running)


def witnessed(
    machine: Machine,
    inputs: suite.ActorInputs,
    schedule: Iterable[str],
    watching: AbstractContextManager[object] | None = None,
) -> tuple[suite.ActorInputs, tuple[suite.Turn, ...], suite.ActorExpected]:
    """Run a schedule, given by the names of tasks, for a case of it: its inputs with the random numbers that the
    run was given, its turns and its outcome."""
    state, tasks = state_for(machine, inputs)
    drew: list[tuple[str, int]] = []
    machine.running.drew = drew
    try:
        turns = tuple(taken.turn for taken in steps(machine, state, schedule, watching))
    finally:
        machine.running.drew = None
    draws: dict[str, tuple[int, ...]] = {}
    for task, number in drew:
        draws[task] = (*draws.get(task, ()), number)
    found = observed(machine, state, next(iter(tasks.values())))
    return replace(inputs, draws=tuple(draws.items())), turns, found


def _misfit(machine: Machine, state: State, wanted: str, name: TaskName | None) -> str:
    possible = [str(other) for other in machine.moves(state)]
    more = [f"{len(possible) - _FEW} others"] if len(possible) > _FEW else []
    instead = f"; these can go on: {', '.join(possible[:_FEW] + more)}" if possible else "; no task can go on"
    if name is None:
        return f"there is no task `{wanted}`{instead}"
    task = state.tasks[name]
    holder = state.holders.get(name.cog)
    if task.status is BLOCKED:
        why = f"it waits for the result of `{task.waited}`"
    elif holder is not None:
        why = f"`{holder}` keeps its cog"
    elif task.status is WAITING:
        why = f"what it awaits at {machine.guard(task).span} does not hold"
    else:
        why = "its cog takes another task first"
    return f"`{wanted}` cannot go on: {why}{instead}"


def _taken(state: State, name: TaskName, running: Running) -> Taken:
    task = state.tasks.get(name)
    value: suite.Value | None = None
    if task is not None:
        end = {WAITING: "waits", BLOCKED: "blocks", READY: "pauses"}[task.status]
    else:
        found = running.result
        end = "fails" if isinstance(found, Failure) else "returns"
        value = to_case(found.value if isinstance(found, Failure) else found)
    return Taken(
        turn_of(name),
        tuple(map(turn_of, running.sent)),
        tuple(map(str, running.created)),
        "".join(running.texts),
        end,
        value,
    )
