"""The interface of a system of actors that takes macro-steps: all that the orders know about what they explore.

A *processor* (an actor, a cog, an event loop) has tasks and runs one at a time. A *macro-step* continues one task
until it releases its processor, blocks it or ends. Processors, tasks and futures (a future has the name of its
task) are named by strings that mean the same thing in equivalent executions: by the path of their
creation ("the second call of the main task"), never by a counter of the whole execution.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from enum import Enum
from typing import Generic, Protocol, TypeVar

from everypath.concurrency.access import Access
from everypath.records import dataclass

State = TypeVar("State")


class Policy(Enum):
    """Which of the tasks that could run a processor takes next."""

    ANY = "any"
    FIFO = "fifo"
    LIFO = "lifo"


@dataclass(frozen=True, slots=True)
class Move:
    """Continue this task on its processor."""

    processor: str
    task: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One macro-step of a schedule: who moves and how the data decided."""

    move: Move
    label: Hashable = ()


Schedule = tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """A task that has not ended, and all that decides whether it can be continued now."""

    move: Move
    watches: tuple[Access, ...] = ()
    """every place that the condition it awaits may look at, whatever the values are; each as a read"""
    futures: tuple[str, ...] = ()
    """the tasks whose results it awaits or gets; a result that is there stays there"""
    holding: bool = False
    """it blocks its processor while it waits (a blocking get), so that no other task of it can run"""


@dataclass(frozen=True, slots=True)
class Send:
    """A message: the task that it creates, in the queue of a processor."""

    task: str
    processor: str


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one macro-step touched at run time; what a task awaited before the step is told by `Pending`."""

    accesses: tuple[Access, ...] = ()
    """fields and elements read and written, also by an await condition that was evaluated during the step"""
    sends: tuple[Send, ...] = ()
    resolves: tuple[str, ...] = ()
    """tasks that got their result, the task itself when it ends"""
    gets: tuple[str, ...] = ()
    """futures looked at during the step and found resolved"""
    misses: tuple[str, ...] = ()
    """futures looked at during the step and found unresolved"""
    creates: tuple[str, ...] = ()
    """processors created: for reports only, nobody knows of one before its creator tells; an actor that was there
    from the start and is met only now is not created, and has the name of the way to it (`root.next`)"""
    holds: bool = False
    """the step ended in a blocking get: the task keeps its processor"""
    unknown: bool = False
    """not all is known: the step depends on every other"""
    shared: tuple[Access, ...] = ()
    """accesses to places that belong to no processor, such as what is printed"""


@dataclass(frozen=True, slots=True)
class Branch(Generic[State]):
    """One way in which a macro-step can go; the ways of one step exclude each other and miss no input."""

    state: State
    footprint: Footprint
    label: Hashable = ()
    """the data decisions of the step, named so that the same decisions about the same values have the same label also
    where an input is known better and leaves no choice; `()` where the step looked at no unknown data"""
    ended: object = None
    """why the whole execution stops here although other tasks could go on; None goes on. A bound on a number of things
    may stop it at another of the steps that count when these are made in another order.

    What would have come after it is not seen, so that `optimal` tries all moves around it and may give up executions on
    the way. A bound that concerns one task is better told as a task that holds its processor for ever.
    """


class System(Protocol[State]):
    """What can be explored: states are values, a step leaves the state that it starts from as it was."""

    def enabled(self, state: State) -> Sequence[Move]:
        """The moves possible now, in an order that is the same in every run."""

    def pending(self, state: State) -> Sequence[Pending]:
        """All tasks that have not ended, enabled or not; an enabled one that waits for nothing may be left out."""

    def step(self, state: State, move: Move) -> Sequence[Branch[State]]:
        """Continue the task until it releases its processor, blocks it or ends; one branch when data is concrete."""

    def outcome(self, state: State) -> Hashable:
        """How it ended, asked when nothing is enabled: finished, deadlock, with what is needed to tell them apart."""

    def policy(self, processor: str) -> Policy:
        """How the processor chooses among the tasks that could run.

        The order of a queue may be changed only by sends to it and by steps of its processor.
        """


@dataclass(frozen=True, slots=True)
class Canonical:
    """A state up to renaming, so that states reached twice are recognised.

    Equal keys are equal states, whatever way led there; `tasks` tells how the key calls each task that has not ended.
    """

    key: Hashable
    tasks: Mapping[str, Hashable]
