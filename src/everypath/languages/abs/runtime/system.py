"""A program as a system of actors that the orders of `concurrency` can explore."""

from __future__ import annotations

import time
from collections.abc import Hashable

from everypath.concurrency.access import Access
from everypath.concurrency.names import TaskName
from everypath.concurrency.system import Branch, Canonical, Footprint, Move, Pending, Policy, Send
from everypath.errors import LimitReached
from everypath.languages.abs.runtime.canonical import Canoniser
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.running import NEVER, OutOfTime, Running
from everypath.languages.abs.runtime.state import BLOCKED, READY, WAITING, State, Task

OUTPUT = (Access("<output>", "text", True, True),)
"""All that is printed goes to one place, and its order is part of the outcome."""


class ActorSystem:
    """The executions of a program's main block."""

    def __init__(self, machine: Machine, seconds: float | None = None) -> None:
        self.machine = machine
        self._canoniser = Canoniser(machine)
        self._tasks: dict[str, TaskName] = {}
        self._moves: dict[TaskName, Move] = {}
        self._deadline = NEVER if seconds is None else time.monotonic() + seconds

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
        if time.monotonic() > self._deadline:
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
