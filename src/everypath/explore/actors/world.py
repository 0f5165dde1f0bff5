"""The concurrent part of a symbolic state: tasks, queues, futures, and what the running macro-step has done.

All dictionaries and tuples are replaced, never changed, so that a copy of a state shares them.
"""

from __future__ import annotations

from typing import Protocol, cast

from everypath.concurrency.names import Name, Reference, TaskName
from everypath.errors import Span
from everypath.explore.outcomes import Cut
from everypath.explore.state import Chain, Frame, Interrupted, Mark, Segment, State
from everypath.heap.values import Data, Ref, Value
from everypath.logic import terms
from everypath.logic.terms import IntLike, StrLike, Term
from everypath.records import dataclass

READY = "ready"
"""In the queue, waiting for nothing but its turn."""
WAITING = "waiting"
"""In the queue, at an await."""
BLOCKED = "blocked"
"""Keeps its processor until a future has its result."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task that has not ended and does not run: where it goes on, and what it waits for."""

    name: TaskName
    this: Ref | None
    frame: Frame
    regs: tuple[Value, ...]
    next: Segment
    status: str = READY
    futures: tuple[TaskName, ...] = ()
    """whose results it awaits, or gets"""
    holds: bool = True
    """whether the condition that it awaits holds now"""
    again: Segment | None = None
    """computes the condition anew"""
    watches: tuple[str, ...] = ()
    """the fields that the condition may look at"""
    created: int = 0
    """how many objects and tasks it has created"""
    decisions: int = 0
    begun: bool = False
    """whether it has run before"""

    @property
    def watched(self) -> Ref:
        """The object whose fields the condition looks at.

        It is that of the innermost method, which need not be the task's: methods are called on other objects too.
        """
        owner = self.regs[0]
        assert isinstance(owner, Ref)
        return owner


@dataclass(frozen=True, slots=True)
class Failure:
    """The result of a task that an exception has ended."""

    exception: Data
    span: Span


class ActorSpace(Protocol):
    """What a world asks about the actors of its exploration; `operations.py` answers it."""

    def name(self, ref: Ref) -> Reference:
        """The name of an actor."""

    def callee(self, st: State, receiver: Value, place: str) -> Ref:
        """The actor that a message goes to."""

    def decide_class(self, st: State, ref: Ref) -> None:
        """Settle the class of an actor of the input."""

    def drawn(self, task: TaskName, index: int) -> Term:
        """The number that a task draws."""


class World:
    """Tasks, queues and results; the last attributes are about the macro-step that is running."""

    __slots__ = (
        "actors", "created", "dead", "draws", "excess", "failed", "gets", "holders", "met", "misses",
        "output", "over", "places", "printed", "probing", "queues", "recovering", "resolved", "results", "running",
        "sent", "start", "switches", "task", "tasks", "this", "todo", "told", "uncertain", "used",
    )  # fmt: skip

    def __init__(self, actors: ActorSpace) -> None:
        self.actors = actors
        """the operations of the exploration"""
        self.tasks: dict[TaskName, Task] = {}
        self.queues: dict[Name, tuple[TaskName, ...]] = {}
        self.holders: dict[Name, TaskName] = {}
        """processor -> the task that blocks it"""
        self.results: dict[TaskName, Value | Failure] = {}
        self.failed: dict[TaskName, Failure] = {}
        """failures that nobody has received"""
        self.dead: dict[Ref, None] = {}
        self.met: dict[Ref, None] = {}
        """all actors, in the order in which they appeared"""
        self.places: dict[object, int] = {}
        """place in the program -> actors that appeared there"""
        self.switches: dict[Name, int] = {}
        """processor -> tasks taken from its queue"""
        self.draws: dict[TaskName, tuple[Term, ...]] = {}
        """the random numbers of each task"""
        self.output: Chain[StrLike] = None
        self.used: frozenset[object] = frozenset()
        """unknown references that messages were sent to"""
        self.begin(None, None)

    def begin(self, task: Task | None, start: Chain[Mark | Interrupted]) -> None:
        """Begin a macro-step: nothing is done yet."""
        self.task = task
        """the running task as it was before"""
        self.running = task.name if task is not None else None
        self.this = task.this if task is not None else None
        """the object of the running task"""
        self.start = start
        """the trace so far"""
        self.created = 0
        self.sent: tuple[TaskName, ...] = ()
        self.resolved: tuple[TaskName, ...] = ()
        self.gets: tuple[TaskName, ...] = ()
        self.misses: tuple[TaskName, ...] = ()
        self.told: tuple[object, ...] = ()
        """what was decided and shows in no block: classes of actors that were sent something, conditions computed
        anew
        """
        self.printed = False
        self.uncertain = False
        """whether something that the step depends on is not known"""
        self.todo: tuple[TaskName, ...] = ()
        """waiting tasks whose conditions are to be computed anew"""
        self.probing: TaskName | None = None
        self.recovering: Failure | None = None
        """the failure of the running task, while its object decides whether to survive it"""
        self.over: Cut | None = None
        """the bound that the step has exceeded"""
        self.excess = 0
        """how often it has exceeded it"""

    def copy(self) -> World:
        """An independent world."""
        new = object.__new__(World)
        new.actors = self.actors
        new.tasks = self.tasks
        new.queues = self.queues
        new.holders = self.holders
        new.results = self.results
        new.failed = self.failed
        new.dead = self.dead
        new.met = self.met
        new.places = self.places
        new.switches = self.switches
        new.draws = self.draws
        new.output = self.output
        new.used = self.used
        new.running = self.running
        new.task = self.task
        new.this = self.this
        new.start = self.start
        new.created = self.created
        new.sent = self.sent
        new.resolved = self.resolved
        new.gets = self.gets
        new.misses = self.misses
        new.told = self.told
        new.printed = self.printed
        new.uncertain = self.uncertain
        new.todo = self.todo
        new.probing = self.probing
        new.recovering = self.recovering
        new.over = self.over
        new.excess = self.excess
        return new

    def put(self, task: Task) -> None:
        """Keep a task as it is now."""
        self.tasks = {**self.tasks, task.name: task}

    def remove(self, name: TaskName) -> None:
        """Forget a task that has ended."""
        self.tasks = {other: task for other, task in self.tasks.items() if other is not name}

    def enqueue(self, name: TaskName) -> None:
        """Put a task at the end of its processor's queue."""
        cog = name.cog
        self.queues = {**self.queues, cog: (*self.queues.get(cog, ()), name)}

    def dequeue(self, name: TaskName) -> None:
        """Take a task out of its processor's queue."""
        cog = name.cog
        self.queues = {**self.queues, cog: tuple(n for n in self.queues[cog] if n is not name)}

    def hold(self, name: TaskName) -> None:
        """Let the task block its processor."""
        self.holders = {**self.holders, name.cog: name}

    def release(self, cog: Name) -> None:
        """Let nobody block the processor any more."""
        self.holders = {other: task for other, task in self.holders.items() if other is not cog}

    def resolve(self, name: TaskName, result: Value | Failure) -> None:
        """Give the task its result."""
        self.results = {**self.results, name: result}
        self.resolved = (*self.resolved, name)
        if isinstance(result, Failure):
            self.failed = {**self.failed, name: result}

    def take(self, name: TaskName) -> Value | Failure:
        """The result, which is there, for the running task."""
        self.gets = (*self.gets, name)
        if name in self.failed:
            self.failed = {other: failure for other, failure in self.failed.items() if other is not name}
        return self.results[name]

    def random(self, st: State, below: IntLike) -> Term:
        """A number that the running task draws, from zero up to below the bound: an input like any other."""
        running = self.running
        assert running is not None
        before = self.draws.get(running, ())
        number = self.actors.drawn(running, len(before))
        self.draws = {**self.draws, running: (*before, number)}
        st.pc.assume(terms.and_(terms.le(0, number), terms.lt(number, below)))
        return number

    def print(self, text: StrLike) -> None:
        """Add to what the running task prints."""
        self.output = (text, self.output)
        self.printed = True


def world_of(st: State) -> World:
    """The world of a state of an actor program."""
    assert st.world is not None
    # Only actor programs have a concurrent part, and this is theirs.
    return cast(World, st.world)
