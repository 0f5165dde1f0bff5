"""States up to renaming: which states are the same except for the names of their objects and tasks.

Each object and task has a shape: a number for its content without names, and the names in it. Names are ordered by
colour refinement (Weisfeiler and Leman, 1968): a colour starts as the number and, for a few rounds, takes in the
colours of the names inside and of those that mention it. Where colours do not tell names apart, the path of their
creation does; then two equal states may get different keys, which costs time but is never wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from everypath.concurrency.names import Name, Reference, TaskName
from everypath.concurrency.system import Canonical, Policy
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.state import Failure, Instance, State, Task
from everypath.languages.abs.runtime.values import Data, Raised

_NAME = "<name>"
_ROUNDS = 3
"""How many steps around an object its place among the others is looked at; more steps tell more objects apart."""

Shape = tuple[int, tuple[Name, ...]]
"""A number for the content of something without its names, and the names in it."""


class Canoniser:
    """Makes the keys of states; remembers what it has found out about parts that states share."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._numbers: dict[Hashable, int] = {}
        # A random number depends on the name of the task that asks for it, so names must not be exchanged.
        self._named = any("X.random(" in line for line in machine.compiled.source)

    def canonical(self, state: State) -> Canonical:
        """The key of a state, and the numbers of its tasks in that key."""
        shapes = self._shapes(state)
        order = self._order(shapes)
        numbers: dict[Name, int] = {name: number for number, name in enumerate(order)}
        parts = [(shapes[name][0], tuple(numbers.get(n, -1) for n in shapes[name][1])) for name in order]
        failed = frozenset(
            (name.label, numbers.get(name.receiver, -1) if name.receiver is not None else -1, self._future(value))
            for name, value in state.failed.items()
        )
        queues: Hashable = ()
        if self._machine.policies:
            queues = frozenset(
                tuple(numbers[name] for name in queue)
                for cog, queue in state.queues.items()
                if self._machine.policy(cog) is not Policy.ANY
            )
        held = frozenset(numbers[name] for name in state.holders.values())
        key = (tuple(parts), failed, queues, held, state.printed(), tuple(map(str, order)) if self._named else ())
        return Canonical(key, {str(name): numbers[name] for name in state.tasks})

    def _shapes(self, state: State) -> dict[Name, Shape]:
        """Objects, tasks, and the results that any of them still knows."""
        shapes: dict[Name, Shape] = {}
        for reference, instance in state.objects.items():
            shapes[reference] = instance.shape or self._object(instance)
            if reference in state.dead:
                shapes[reference] = (self._number(("dead", shapes[reference][0])), shapes[reference][1])
        for name, task in state.tasks.items():
            shapes[name] = task.shape or self._task(task)
        pending = [name for _, names in shapes.values() for name in names if name not in shapes]
        while pending:
            other = pending.pop()
            if other not in shapes and isinstance(other, TaskName):
                shapes[other] = self._future(state.futures.get(other))
                pending.extend(shapes[other][1])
        return shapes

    def _number(self, content: Hashable) -> int:
        return self._numbers.setdefault(content, len(self._numbers))

    def _object(self, instance: Instance) -> Shape:
        names: list[Name] = [instance.reference.cog]
        values = tuple(_content(value, names) for value in instance.values)
        instance.shape = shape = (self._number((instance.reference.label, values)), tuple(names))
        return shape

    def _task(self, task: Task) -> Shape:
        names: list[Name] = []
        content: list[Hashable] = [task.status, task.drawn, task.unused]
        for frame in task.frames:
            content += [id(frame.code), frame.piece, _content(frame.this, names)]
            content += [_content(value, names) for value in frame.slots]
        content.append(_content(task.waited, names))
        task.shape = shape = (self._number(("task", *content)), tuple(names))
        return shape

    def _future(self, value: Any) -> Shape:
        names: list[Name] = []
        failed = value.__class__ is Failure
        content = _content(value.value if failed else value, names)
        return self._number(("failed" if failed else "future", content)), tuple(names)

    def _order(self, shapes: dict[Name, Shape]) -> list[Name]:
        """All names, ordered by what they stand for; the path of creation counts only where that does not decide."""
        colours: dict[Name, int] = {name: number for name, (number, _) in shapes.items()}
        distinct = len(set(colours.values()))
        for _ in range(_ROUNDS):
            if distinct == len(colours):
                break
            colours = {
                name: hash((colours[name], tuple(colours.get(n, -1) for n in names)))
                for name, (_, names) in shapes.items()
            }
            around: dict[Name, int] = {}
            for name, (_, names) in shapes.items():
                for position, other in enumerate(names):
                    # A sum, because the order in which others know it does not matter.
                    around[other] = around.get(other, 0) + hash((colours[name], position))
            colours = {name: hash((colour, around.get(name, 0))) for name, colour in colours.items()}
            distinct = len(set(colours.values()))
        if distinct == len(colours):
            return sorted(shapes, key=colours.__getitem__)
        return sorted(shapes, key=lambda name: (colours[name], name))


def _content(value: Any, names: list[Name]) -> Hashable:
    """A value with its names taken out and put into the list."""
    if isinstance(value, Name):
        names.append(value)
        return _NAME
    if value.__class__ is Data and not value.plain:
        parts: list[Hashable] = []
        # Along the last argument without recursion: lists may be long.
        while value.__class__ is Data and not value.plain:
            parts.append(value.name)
            parts.extend(_content(argument, names) for argument in value.arguments[:-1])
            value = value.arguments[-1]
        return (*parts, _content(value, names))
    if isinstance(value, Raised):
        return ("raised", _content(value.value, names))
    result: Hashable = value
    return result


def mentioned(values: Iterable[Any]) -> list[Name]:
    """The objects and futures that values mention."""
    names: list[Name] = []
    for value in values:
        _content(value, names)
    return names


def references(values: Iterable[Any]) -> list[Reference]:
    """The objects that values mention."""
    return [name for name in mentioned(values) if isinstance(name, Reference)]
