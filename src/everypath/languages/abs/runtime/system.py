"""A program as a system of actors that the orders of `concurrency` can explore, and as Theorem 1 of "Test Case
Generation of Actor Systems" looks at it: what its methods may do, and who knows whom."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from everypath.concurrency.access import Access
from everypath.concurrency.names import Name, Reference, TaskName
from everypath.concurrency.stability import Actor, Method, Statics
from everypath.concurrency.system import Branch, Canonical, Footprint, Move, Pending, Policy, Send
from everypath.errors import LimitReached
from everypath.languages.abs.frontend.effects import MAIN, effects
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.canonical import Canoniser, mentioned
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.running import NEVER, OutOfTime, Running
from everypath.languages.abs.runtime.state import BLOCKED, READY, WAITING, Failure, State, Task
from everypath.logic.clock import now

OUTPUT = (Access("<output>", "text", True, True),)
"""All that is printed goes to one place, and its order is part of the outcome."""


class ActorSystem:
    """The executions of a program's main block."""

    def __init__(self, machine: Machine, seconds: float | None = None) -> None:
        self.machine = machine
        self._canoniser = Canoniser(machine)
        self._tasks: dict[str, TaskName] = {}
        self._moves: dict[TaskName, Move] = {}
        self._deadline = NEVER if seconds is None else now() + seconds

    def _move(self, name: TaskName) -> Move:
        found = self._moves.get(name)
        if found is None:
            found = self._moves[name] = Move(str(name.cog), str(name))
            self._tasks[found.task] = name
        return found

    def enabled(self, state: State) -> list[Move]:
        """The moves possible now, in the order in which their tasks were created."""
        return [self._move(name) for name in self.machine.moves(state)]

    def pending(self, state: State) -> list[Pending]:
        """All tasks that wait for something."""
        return [self._pending(state, task) for task in state.tasks.values() if not self._is_free(state, task)]

    def _is_free(self, state: State, task: Task) -> bool:
        return task.status is READY and task.name.cog not in state.holders

    def _pending(self, state: State, task: Task) -> Pending:
        move = self._move(task.name)
        if task.status is BLOCKED:
            return Pending(move, (), (str(task.waited),), True)
        if task.status is not WAITING:
            return Pending(move)
        frame = task.frames[-1]
        watches: tuple[Access, ...] = ()
        if frame.this is not None:
            fields = self.machine.compiled.classes[frame.this.label].fields
            mask = self.machine.guard(task).fields
            owner = str(frame.this)
            watches = tuple(Access(owner, name, True, False) for bit, name in enumerate(fields) if mask >> bit & 1)
        futures = tuple(str(future) for future in self.machine.awaited(state, task) if future is not None)
        return Pending(move, watches, futures)

    def step(self, state: State, move: Move) -> tuple[Branch[State]]:
        """Continue the task in a copy of the state."""
        if now() > self._deadline:
            raise OutOfTime
        after = state.fork()
        name = self._tasks[move.task]
        self.machine.running.deadline = self._deadline
        try:
            running = self.machine.step(after, name)
        except LimitReached as limit:
            return (Branch(after, Footprint(unknown=True), ended=limit),)
        finally:
            self.machine.running.deadline = NEVER
        return (Branch(after, self._footprint(after, name, running)),)

    def _footprint(self, state: State, name: TaskName, running: Running) -> Footprint:
        accesses: list[Access] = []
        classes = self.machine.compiled.classes
        for reference, instance in running.touched.items():
            touched = instance.read | instance.written
            if touched:
                fields, owner = classes[reference.label].fields, str(reference)
                for bit in range(touched.bit_length()):
                    if touched >> bit & 1:
                        reads, writes = bool(instance.read >> bit & 1), bool(instance.written >> bit & 1)
                        accesses.append(Access(owner, fields[bit], reads, writes))
        task = state.tasks.get(name)
        return Footprint(
            tuple(accesses),
            tuple(Send(str(sent), str(sent.cog)) for sent in running.sent),
            tuple(map(str, running.resolved)),
            tuple(map(str, running.gets)),
            tuple(map(str, running.misses)),
            tuple(str(made) for made in running.created if made.cog is made),
            task is not None and task.status is BLOCKED,
            running.killed,
            OUTPUT if running.texts else (),
        )

    def outcome(self, state: State) -> Hashable:
        """The final state up to renaming."""
        return self.canonical(state).key

    def policy(self, processor: str) -> Policy:
        """How the cog chooses among its tasks."""
        # A cog has the name of its first object, which begins with the name of its class.
        return self.machine.policies.get(processor.partition("@")[0], Policy.ANY)

    def canonical(self, state: State) -> Canonical:
        """The state up to renaming."""
        return self._canoniser.canonical(state)


_MAIN: Name = TaskName(None, 0, "main", None)
"""Has the name of the main task of every machine."""


class Description:
    """Tells what the orders `stable` and `independent` ask about a program and its states."""

    def __init__(self, program: Program) -> None:
        self._statics = statics_of(program)

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


def statics_of(program: Program, failures: bool = True) -> Statics:
    """What the program's text says about its methods, as stable actors are found by.

    A task that fails takes the others of its object along; without `failures` that is left out, as the paper does.
    """
    found = effects(program)
    return Statics(
        {Method(*key): frozenset(Method(*called) for called in calls) for key, calls in found.calls.items()},
        {Method(*key): fields for key, fields in found.reads.items()},
        {Method(*key): fields for key, fields in found.writes.items()},
        frozenset(Method(*key) for key in (found.blocking | found.failing if failures else found.blocking)),
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
        found |= _open_futures(state, _held(state, (), [name])) - {state.tasks[name].waited}
    return found


def _open_futures(state: State, values: Iterable[Any]) -> set[TaskName]:
    return {name for name in _mentioned(state, values) if isinstance(name, TaskName) and name not in state.futures}


def _mentioned(state: State, values: Iterable[Any]) -> Iterator[Name]:
    """The objects and futures that values mention, and those that the results of these futures do, each once."""
    seen: set[Name] = set()
    pending = mentioned(values)
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            yield name
            if isinstance(name, TaskName) and name in state.futures:
                result = state.futures[name]
                pending += mentioned([result.value if isinstance(result, Failure) else result])


def _known(state: State, values: Iterable[Any]) -> set[Reference]:
    """The objects that values mention, and those that the futures among them give or may come to give.

    What a task that still runs will return is not known: it may be whatever its own cog can get at.
    """
    found: set[Reference] = set()
    asked: set[Name] = set()
    pending = [values]
    while pending:
        for name in _mentioned(state, pending.pop()):
            if isinstance(name, Reference):
                found.add(name)
            elif name in state.tasks and name not in state.futures and name.cog not in asked:
                cog = name.cog
                asked.add(cog)
                members = [reference for reference in state.objects if reference.cog is cog]
                found.update(members)
                pending.append(_held(state, members, [task for task in state.tasks if task.cog is cog]))
    return found
