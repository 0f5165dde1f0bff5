"""How an execution of a closed program ended, and how that is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from everypath.concurrency.names import Name, Reference, TaskName
from everypath.errors import Span
from everypath.languages.abs.runtime.canonical import references
from everypath.languages.abs.runtime.compile import Guard
from everypath.languages.abs.runtime.machine import Machine, resting_place
from everypath.languages.abs.runtime.state import BLOCKED, WAITING, State, Task
from everypath.languages.abs.runtime.values import FAILURES, Data, shown
from everypath.records import dataclass

ASSERTION = f"{FAILURES}AssertionFailException"


@dataclass(frozen=True, slots=True)
class Uncaught:
    """An exception that a task ended with and that nobody was given."""

    task: str
    exception: str
    span: Span
    assertion: bool

    def __str__(self) -> str:
        what = "assertion failed" if self.assertion else f"uncaught {self.exception}"
        return f"{self.span}: {what} in {self.task}"


@dataclass(frozen=True, slots=True)
class Wait:
    """A task that can never go on: where it waits and for what."""

    task: str
    span: Span
    reason: str

    def __str__(self) -> str:
        return f"{self.span}: {self.task} waits for {self.reason}"


@dataclass(frozen=True, slots=True)
class Deadlock:
    """No task can go on and some have not ended."""

    waits: tuple[Wait, ...]
    cycle: tuple[str, ...]
    """tasks each of which waits for the next, the last for the first; empty when they wait for a condition"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an execution left behind."""

    output: str
    objects: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """each object with its fields as they are shown"""
    errors: tuple[Uncaught, ...]
    deadlock: Deadlock | None

    @property
    def clean(self) -> bool:
        """Whether nothing went wrong."""
        return not self.errors and self.deadlock is None


class Naming(Protocol):
    """How objects and tasks are called in a text."""

    def __getitem__(self, name: Name) -> str: ...


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

    def __getitem__(self, name: Name) -> str:
        if isinstance(name, TaskName):
            return f"{self._objects[name.receiver]}.{name.label}" if name.receiver is not None else "the main block"
        return self._objects[name]

    def value(self, value: object) -> str:
        """A value with the short names in it."""
        return shown_with(self._objects, value)


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


def shown_with(labels: Mapping[Name, str], value: object) -> str:
    """A value as text, objects by their labels and futures by what they are futures of."""
    if isinstance(value, TaskName):
        receiver = labels.get(value.receiver, "?") if value.receiver is not None else "main"
        return f"Fut({receiver}.{value.label})"
    if isinstance(value, Reference):
        return labels[value]
    if isinstance(value, Data) and not value.plain:
        return shown(_renamed(labels, value))
    return shown(value, True)


class _Shown(int):
    """A label inside data: shown as it is, without the quotes of a string."""

    text: str

    def __str__(self) -> str:
        return self.text


def _renamed(labels: Mapping[Name, str], value: object) -> object:
    if isinstance(value, Data):
        return Data(value.name, tuple(_renamed(labels, argument) for argument in value.arguments))
    if isinstance(value, Name):
        label = _Shown()
        label.text = shown_with(labels, value)
        return label
    return value


def outcome(machine: Machine, state: State) -> Outcome:
    """How the execution ended; nothing can go on in this state."""
    labels = Labels(state)
    objects = []
    for reference in labels.objects:
        names = machine.compiled.classes[reference.label].fields
        values = state.objects[reference].values
        objects.append((labels[reference], tuple((n, labels.value(v)) for n, v in zip(names, values))))
    errors = tuple(
        Uncaught(labels[name], labels.value(failed.value), failed.span, failed.value.name == ASSERTION)
        for name, failed in sorted(state.failed.items(), key=lambda item: (labels[item[0]], item[0]))
    )
    return Outcome(state.printed(), tuple(objects), errors, deadlock(machine, state, labels) if state.tasks else None)


Writers = Mapping[tuple[Reference, int], TaskName]
"""object and field -> the task that wrote it last"""


def deadlock(machine: Machine, state: State, labels: Naming, writers: Writers | None = None) -> Deadlock:
    """Who waits for what, and the cycle among them if there is one.

    Who could make a condition true is not known in general; whoever has made it false last is a good guess.
    """
    waits = []
    edges: dict[TaskName, TaskName] = {}
    for name, task in sorted(state.tasks.items(), key=lambda item: (labels[item[0]], item[0])):
        wait, other = _wait(machine, state, task, labels, writers or {})
        waits.append(wait)
        if other is not None:
            edges[name] = other
    return Deadlock(tuple(waits), tuple(labels[name] for name in _cycle(edges)))


def _wait(machine: Machine, state: State, task: Task, labels: Naming, writers: Writers) -> tuple[Wait, TaskName | None]:
    name = task.name
    holder = state.holders.get(name.cog)
    if holder is not None and holder is not name:
        frame = task.frames[-1]
        guard = frame.code.guards.get(frame.piece) if task.status is WAITING else None
        span = guard.span if guard is not None else frame.code.span
        return Wait(labels[name], span, f"its cog, which {labels[holder]} keeps"), holder
    if task.status is BLOCKED:
        assert task.waited is not None
        return Wait(labels[name], resting_place(task.frames[-1]), f"the result of {labels[task.waited]}"), task.waited
    guard = machine.guard(task)
    missing = [f for f in machine.awaited(state, task) if f is not None and f not in state.futures]
    if missing:
        return Wait(labels[name], guard.span, f"the result of {labels[missing[0]]}"), missing[0]
    blamed = _blamed(state, task, guard, writers)
    last = "" if blamed is None else f", which {labels[blamed]} has made so"
    return Wait(labels[name], guard.span, f"a condition that stays false{last}"), blamed


def _blamed(state: State, task: Task, guard: Guard, writers: Writers) -> TaskName | None:
    """The task that has not ended and whose call was the last to write a field that the condition looks at."""
    this = task.frames[-1].this
    if this is None:
        return None
    for bit in range(guard.fields.bit_length()):
        blamed = writers.get((this, bit)) if guard.fields >> bit & 1 else None
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
