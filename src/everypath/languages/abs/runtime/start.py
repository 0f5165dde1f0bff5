"""Starts from the inputs of a test case instead of a main block: actors with given fields, tasks in their queues."""

from __future__ import annotations

from everypath.cases import actors as suite
from everypath.concurrency.names import InitialReference, Reference, TaskName
from everypath.errors import BadInput
from everypath.languages.abs.frontend.program import Class
from everypath.languages.abs.frontend.program import Program as Program  # also for those who only replay
from everypath.languages.abs.runtime.case_values import from_case
from everypath.languages.abs.runtime.compile import compile_program
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.running import slots_for
from everypath.languages.abs.runtime.state import Frame, Instance, State, Task


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
