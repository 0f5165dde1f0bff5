"""A running program as Theorem 1 of 002 looks at it: what its methods may do, and who knows whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from everypath.concurrency.names import Name, Reference, TaskName
from everypath.concurrency.stability import Actor, Method, Statics
from everypath.languages.abs.frontend.effects import MAIN, Effects, effects
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.canonical import mentioned
from everypath.languages.abs.runtime.state import Failure, State

_MAIN: Name = TaskName(None, 0, "main", None)
"""Has the name of the main task of every machine."""


class Description:
    """Tells what the orders `stable` and `independent` ask about a program and its states."""

    def __init__(self, program: Program) -> None:
        self._statics = statics(effects(program))

    @property
    def statics(self) -> Statics:
        """About the program."""
        return self._statics

    def actors(self, state: State) -> Sequence[Actor]:
        """All cogs, the oldest first."""
        members: dict[Name, list[Reference]] = {}
        for reference in state.objects:
            members.setdefault(reference.cog, []).append(reference)
        tasks: dict[Name, list[TaskName]] = {}
        for name in state.tasks:
            tasks.setdefault(name.cog, []).append(name)
        # The main block's cog stays in its place after its end: who takes turns counts from there.
        known = {str(_MAIN): _MAIN} | {str(cog): cog for cog in (*members, *tasks)}
        cogs = sorted(known.values(), key=lambda cog: (len(cog.path()), cog.path(), str(cog)))
        return [_actor(state, cog, members.get(cog, []), tasks.get(cog, [])) for cog in cogs]


def statics(found: Effects) -> Statics:
    """The effects of methods as the orders ask for them."""
    return Statics(
        {Method(*key): frozenset(Method(*called) for called in calls) for key, calls in found.calls.items()},
        {Method(*key): fields for key, fields in found.reads.items()},
        {Method(*key): fields for key, fields in found.writes.items()},
        frozenset(Method(*key) for key in found.blocking | found.failing),
    )


def _actor(state: State, cog: Name, members: Sequence[Reference], tasks: Sequence[TaskName]) -> Actor:
    return Actor(
        str(cog),
        frozenset(reference.label for reference in members),
        tuple((str(name), _method(name)) for name in tasks),
        frozenset(str(reference.cog) for reference in _known(state, _held(state, members, tasks))),
        frozenset(map(str, _looked_at(state, members, tasks))),
    )


def _method(name: TaskName) -> Method:
    return Method(name.receiver.label, name.label) if name.receiver is not None else Method(*MAIN)


def _held(state: State, members: Iterable[Reference], tasks: Iterable[TaskName]) -> Iterable[Any]:
    """The values of fields and variables."""
    for reference in members:
        yield from state.objects[reference].values
    for name in tasks:
        task = state.tasks[name]
        for frame in task.frames:
            yield frame.this
            yield from frame.slots
        yield task.waited


def _looked_at(state: State, members: Sequence[Reference], tasks: Iterable[TaskName]) -> set[TaskName]:
    """Unresolved futures in fields and variables, or in results that these give; what a task waits for in its own
    variables it does not look at before it is there."""
    found = _open_futures(state, _held(state, members, ()))
    for name in tasks:
        waited = state.tasks[name].waited
        found |= _open_futures(state, _held(state, (), [name])) - {waited}
    return {future for future in found if future is not None}


def _open_futures(state: State, values: Iterable[Any]) -> set[TaskName | None]:
    found: set[TaskName | None] = set()
    pending = list(mentioned(values))
    seen: set[Name] = set()
    while pending:
        name = pending.pop()
        if isinstance(name, TaskName) and name not in seen:
            seen.add(name)
            if name in state.futures:
                result = state.futures[name]
                pending += mentioned([result.value if isinstance(result, Failure) else result])
            else:
                found.add(name)
    return found


def _known(state: State, values: Iterable[Any]) -> set[Reference]:
    """The objects that values mention, and those that the futures among them give or may come to give.

    What a task that still runs will return is not known: it may be whatever its own cog can get at.
    """
    found: set[Reference] = set()
    seen: set[Name] = set()
    pending = list(mentioned(values))
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if isinstance(name, Reference):
            found.add(name)
        elif isinstance(name, TaskName):
            if name in state.futures:
                result = state.futures[name]
                pending += mentioned([result.value if isinstance(result, Failure) else result])
            elif name in state.tasks:
                cog = name.cog
                members = [reference for reference in state.objects if reference.cog is cog]
                found.update(members)
                pending += mentioned(_held(state, members, [task for task in state.tasks if task.cog is cog]))
    return found
