"""A state of execution: objects, tasks and results. What a step does not touch is shared with the state before it."""

from __future__ import annotations

from typing import Any

from everypath.concurrency.names import Name, Reference, TaskName
from everypath.errors import Span
from everypath.languages.abs.runtime.compile import MethodCode
from everypath.languages.abs.runtime.values import Data
from everypath.records import dataclass, field


class Instance:
    """An object's fields; changed only in the step that made this copy."""

    __slots__ = ("read", "reference", "shape", "values", "written")

    def __init__(self, reference: Reference, values: list[Any]) -> None:
        self.reference = reference
        self.values = values
        self.read = 0
        """the fields that the step has looked at, as bits"""
        self.written = 0
        self.shape: Any = None
        """what canonical.py remembers about it"""

    def copy(self) -> Instance:
        """A copy for a step that may change it."""
        return Instance(self.reference, self.values.copy())


class Frame:
    """A method that has begun: the piece at which it goes on, and its variables; before it begins, its arguments."""

    __slots__ = ("code", "piece", "slots", "this")

    def __init__(self, code: MethodCode, this: Reference | None, slots: list[Any], piece: int = 0) -> None:
        self.code = code
        self.this = this
        self.slots = slots
        self.piece = piece

    def copy(self) -> Frame:
        """A copy for a step that continues it."""
        return Frame(self.code, self.this, self.slots.copy(), self.piece)


READY, WAITING, BLOCKED = "ready", "waiting", "blocked"
"""Can go on; has released its cog until a guard holds; keeps its cog until a future is resolved."""


class Task:
    """A task that has not ended."""

    __slots__ = ("created", "drawn", "frames", "name", "shape", "status", "steps", "unused", "waited")

    def __init__(self, name: TaskName, frames: list[Frame], unused: bool = False) -> None:
        self.name = name
        self.frames = frames
        self.status = READY
        self.waited: TaskName | None = None
        """the future of a blocking `get`"""
        self.created = 0
        """objects and tasks that it has created"""
        self.steps = 0
        self.drawn = 0
        """random numbers that it has asked for"""
        self.unused = unused
        """whether nobody has its future"""
        self.shape: Any = None

    def copy(self) -> Task:
        """A copy for a step that continues it."""
        made = Task(self.name, [frame.copy() for frame in self.frames], self.unused)
        made.status, made.waited = self.status, self.waited
        made.created, made.steps, made.drawn = self.created, self.steps, self.drawn
        return made


@dataclass(frozen=True, slots=True)
class Failure:
    """What a task ended with instead of a result."""

    value: Data
    span: Span


Output = tuple["Output", tuple[str, ...]] | None
"""Printed texts, the newest first."""


@dataclass(slots=True)
class State:
    """Everything that the rest of an execution depends on, and what it has shown so far."""

    objects: dict[Reference, Instance] = field(default_factory=dict)
    tasks: dict[TaskName, Task] = field(default_factory=dict)
    """in the order of their creation"""
    queues: dict[Name, dict[TaskName, None]] = field(default_factory=dict)
    """cog -> its tasks that do not hold it, in the order in which they came or came back; empty queues are missing"""
    holders: dict[Name, TaskName] = field(default_factory=dict)
    """cog -> the task that blocks it"""
    futures: dict[TaskName, Any] = field(default_factory=dict)
    """results of tasks that have ended; a Failure for an exception"""
    dead: dict[Reference, None] = field(default_factory=dict)
    failed: dict[TaskName, Failure] = field(default_factory=dict)
    """tasks that ended with an exception which nobody has received yet"""
    output: Output = None
    own: set[Name] = field(default_factory=set)
    """the cogs whose queue is shared with no other state, and so may be changed in place"""

    def fork(self) -> State:
        """A copy that can be changed without changing this one."""
        self.own.clear()
        return State(
            self.objects.copy(),
            self.tasks.copy(),
            self.queues.copy(),
            self.holders.copy(),
            self.futures.copy(),
            self.dead.copy(),
            self.failed.copy(),
            self.output,
        )

    def compact(self) -> None:
        """Forget what was deleted: a dictionary keeps deleted entries, and Python skips each of them on every walk."""
        self.tasks = self.tasks.copy()
        self.queues = {cog: queue.copy() for cog, queue in self.queues.items()}
        self.own = set(self.queues)

    def enqueue(self, cog: Name, task: TaskName) -> None:
        """Put a task that comes, or comes back, at the end of a queue."""
        queue = self.queues.get(cog)
        if queue is None:
            self.own.add(cog)
            self.queues[cog] = {task: None}
        elif cog in self.own:
            queue[task] = None
        else:
            self.own.add(cog)
            self.queues[cog] = {**queue, task: None}

    def dequeue(self, cog: Name, task: TaskName) -> None:
        """Take a task out of a queue."""
        queue = self.queues[cog]
        if len(queue) == 1:
            del self.queues[cog]
            return
        if cog not in self.own:
            self.own.add(cog)
            queue = self.queues[cog] = queue.copy()
        del queue[task]

    def printed(self) -> str:
        """All that was printed."""
        parts: list[tuple[str, ...]] = []
        at = self.output
        while at is not None:
            parts.append(at[1])
            at = at[0]
        return "".join(text for texts in reversed(parts) for text in texts)
