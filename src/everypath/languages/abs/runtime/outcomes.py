"""How an execution ended, in the form of test cases: values, objects, unhandled exceptions, who waits for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from everypath.cases import actors as suite
from everypath.concurrency.names import InitialReference, Name, Reference, TaskName
from everypath.errors import Span
from everypath.languages.abs.runtime.canonical import references
from everypath.languages.abs.runtime.compile import Guard
from everypath.languages.abs.runtime.machine import Machine, resting_place
from everypath.languages.abs.runtime.state import BLOCKED, WAITING, Failure, State, Task
from everypath.languages.abs.runtime.values import FAILURES, Data
from everypath.records import replace

ASSERTION = f"{FAILURES}AssertionFailException"
Naming = Callable[[Name], str]
"""Gives the names of objects and tasks: `str` for those of every execution, or `Labels`."""


def to_case(value: Any, name: Naming = str) -> suite.Value:
    """The value as a test case has it: objects and futures by their names."""
    if value.__class__ is Data:
        return _data_to_case(value, name)
    if isinstance(value, TaskName):
        return suite.FutureReference(name(value))
    if isinstance(value, Reference):
        return suite.ActorReference(name(value))
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return suite.Plain(value.numerator)
        return suite.Fraction(value.numerator, value.denominator)
    assert value is None or isinstance(value, (bool, int, float, str))
    return suite.Plain(value)


def _data_to_case(value: Data, name: Naming) -> suite.Value:
    """Data as a test case has it; along the last argument without recursion, since lists may be long."""
    line = []
    at: Any = value
    while at.__class__ is Data and at.arguments:
        line.append(at)
        at = at.arguments[-1]
    made = suite.DataValue(at.name) if at.__class__ is Data else to_case(at, name)
    for data in reversed(line):
        made = suite.DataValue(data.name, (*(to_case(argument, name) for argument in data.arguments[:-1]), made))
    return made


def turn_of(name: TaskName, name_of: Naming = str) -> suite.Turn:
    """A step of this task in the form of schedules; the main block runs on no actor."""
    return suite.Turn(name_of(name), name_of(name.receiver) if name.receiver is not None else "", name.label)


class Labels:
    """Short names for the objects and tasks of one state: the class and a number.

    The objects that the main block created come first, then those that they lead to, and so on: symmetric
    objects get the same numbers in executions that differ only in who created them.
    """

    def __init__(self, state: State) -> None:
        self._objects: dict[Name, str] = {}
        counts: dict[str, int] = {}
        for reference in _by_discovery(state):
            simple = reference.label.rpartition(".")[2]
            counts[simple] = counts.get(simple, 0) + 1
            self._objects[reference] = f"{simple}#{counts[simple]}"

    @property
    def objects(self) -> list[Reference]:
        """All objects, in the order of discovery."""
        return [name for name in self._objects if isinstance(name, Reference)]

    def __call__(self, name: Name) -> str:
        if isinstance(name, TaskName):
            return f"{self._objects[name.receiver]}.{name.label}" if name.receiver is not None else "the main block"
        return self._objects[name]


def _by_discovery(state: State) -> list[Reference]:
    order: dict[Reference, None] = {}
    for start in sorted(state.objects, key=lambda reference: (len(reference.path()), reference)):
        pending = [start]
        while pending:
            nearest, pending = pending, []
            for reference in nearest:
                if reference not in order and (reference is start or len(reference.path()) > 1):
                    order[reference] = None
                    pending += references(state.objects[reference].values)
    return list(order)


def outcome(machine: Machine, state: State) -> suite.ActorExpected:
    """How an execution of the main block ended, with short names; equal for executions that differ in names only."""
    labels = Labels(state)
    found = observed(machine, state, machine.main, labels, labels.objects)
    return replace(found, failures=tuple(sorted(found.failures, key=lambda failure: failure.task)))


def observed(
    machine: Machine, state: State, root: TaskName, name_of: Naming = str, objects: Iterable[Reference] = ()
) -> suite.ActorExpected:
    """Everything that can be observed at the end; `root` is the call under test, or the main task.

    Objects come as they were given at the start, then by how they were created, unless `objects` says otherwise.
    """
    result = state.futures.get(root)
    has_result = root in state.futures and not isinstance(result, Failure) and root.receiver is not None
    failures = []
    for name, failed in sorted(state.failed.items(), key=lambda item: (item[0], str(item[0]))):
        value, span = to_case(failed.value, name_of), failed.span
        failures.append(suite.Failure(name_of(name), value, span.file, span.line, failed.value.name == ASSERTION))
    return suite.ActorExpected(
        to_case(result, name_of) if has_result else None,
        tuple(_actor(machine, state, reference, name_of) for reference in objects or _in_order(state)),
        tuple(failures),
        _deadlock(machine, state, name_of) if state.tasks else None,
        state.printed(),
    )


def _in_order(state: State) -> list[Reference]:
    given = [reference for reference in state.objects if isinstance(reference, InitialReference)]
    created = [reference for reference in state.objects if not isinstance(reference, InitialReference)]
    return [*given, *sorted(created, key=lambda reference: (reference, str(reference)))]


def _actor(machine: Machine, state: State, reference: Reference, name_of: Naming) -> suite.ActorState:
    names = machine.compiled.classes[reference.label].fields
    fields = tuple((name, to_case(value, name_of)) for name, value in zip(names, state.objects[reference].values))
    return suite.ActorState(name_of(reference), reference.label, name_of(reference.cog), fields)


def _deadlock(machine: Machine, state: State, name_of: Naming) -> suite.Deadlock:
    """Who waits for what, and the cycle among them if there is one.

    Who could make a condition true is not known in general; whoever has made it false last is a good guess.
    """
    waits = []
    edges: dict[TaskName, TaskName] = {}
    for name, task in sorted(state.tasks.items(), key=lambda item: (name_of(item[0]), item[0])):
        span, reason, other = _wait(machine, state, task, name_of)
        turn = turn_of(name, name_of)
        waits.append(suite.Wait(turn.task, span.file, span.line, reason, turn.actor, turn.method))
        if other is not None:
            edges[name] = other
    return suite.Deadlock(tuple(waits), tuple(map(name_of, _cycle(edges))))


def _wait(machine: Machine, state: State, task: Task, name_of: Naming) -> tuple[Span, str, TaskName | None]:
    """Where a task waits, for what, and for which other task."""
    holder = state.holders.get(task.name.cog)
    if holder is not None and holder is not task.name:
        frame = task.frames[-1]
        guard = frame.code.guards.get(frame.piece) if task.status is WAITING else None
        span = guard.span if guard is not None else frame.code.span
        return span, f"its cog, which {name_of(holder)} keeps", holder
    if task.status is BLOCKED:
        assert task.waited is not None
        return resting_place(task.frames[-1]), f"the result of {name_of(task.waited)}", task.waited
    guard = machine.guard(task)
    missing = [f for f in machine.awaited(state, task) if f is not None and f not in state.futures]
    if missing:
        return guard.span, f"the result of {name_of(missing[0])}", missing[0]
    blamed = _blamed(machine, state, task, guard)
    last = "" if blamed is None else f", which {name_of(blamed)} has made so"
    return guard.span, f"a condition that stays false{last}", blamed


def _blamed(machine: Machine, state: State, task: Task, guard: Guard) -> TaskName | None:
    """The task that has not ended and whose call was the last to write a field that the condition looks at."""
    this = task.frames[-1].this
    if this is None:
        return None
    for bit in range(guard.fields.bit_length()):
        blamed = machine.writers.get((this, bit)) if guard.fields >> bit & 1 else None
        while blamed is not None and (blamed not in state.tasks or blamed is task.name):
            blamed = blamed.parent
        if blamed is not None:
            return blamed
    return None


def _cycle(edges: Mapping[TaskName, TaskName]) -> list[TaskName]:
    done: set[TaskName] = set()
    for start in edges:
        path: list[TaskName] = []
        at: TaskName | None = start
        while at is not None and at not in done:
            done.add(at)
            path.append(at)
            at = edges.get(at)
        if at in path:
            return path[path.index(at) :]
    return []
