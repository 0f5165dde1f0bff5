"""Whether two macro-steps can change places. Only this module decides it, and what is not known counts as dependent.

Everything that a step can notice or change is a *place*: a field, a task, the result of a task, who holds a processor,
the order of a queue. Two steps depend on each other if one writes a place that the other reads or writes:

- a step writes its own task and the tasks that it creates: a task's steps stay in order, after its call;
- it writes the results that it gives and reads those that it looks at;
- it reads that its processor is free, and writes it where a blocking get begins or ends;
- under `fifo`, calls and steps after which a task goes on later write the end of the queue, steps of the processor its
  front; under `lifo` all write the same end; under `any`, calls from different tasks change places freely;
- it reads whatever decided that it could run: its *guard*.

Places are numbered and sets of them are the bits of an integer: one search compares steps far more often than it makes
any.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from typing import Any

from everypath.concurrency.access import WHOLE, Access
from everypath.concurrency.system import Branch, Footprint, Move, Pending, Policy


class Marks:
    """Sets of places that are read and written, as bits."""

    __slots__ = ("element_reads", "element_writes", "reads", "whole_reads", "whole_writes", "writes")

    def __init__(self) -> None:
        self.reads = 0
        self.writes = 0
        self.whole_reads = 0
        self.whole_writes = 0
        self.element_reads = 0
        self.element_writes = 0

    def also_reads(self, other: Marks) -> None:
        """Add what the other reads."""
        self.reads |= other.reads
        self.whole_reads |= other.whole_reads
        self.element_reads |= other.element_reads


class Event(Marks):
    """One macro-step of an execution with what it touched."""

    __slots__ = ("awaits", "ended", "footprint", "gives", "guard", "label", "move", "task", "ways")

    def __init__(self, move: Move, branch: Branch[Any], ways: int) -> None:
        super().__init__()
        self.move = move
        self.task = move.task
        self.label = branch.label
        self.footprint: Footprint = branch.footprint
        self.ways = ways
        """in how many ways data could have decided"""
        self.ended = branch.ended
        self.guard: Marks
        """what decided that the step could be made, and may decide otherwise later"""
        self.awaits = 0
        """what had to be there before and stays once it is there: the task itself and the results that it waited for"""
        self.gives = 0
        """what others may wait for and stays once it is there: this task's step, new tasks, results"""

    def adapted(self, ways: int, ended: object) -> Event:
        """The same step in a state where data has this many ways, and where it ends the execution, or does not."""
        if ways == self.ways and ended is self.ended:
            return self
        made: Event = copy(self)
        made.ways, made.ended = ways, ended
        return made


Depends = Callable[[Event, Event], bool]


def conflict(first: Marks, second: Marks) -> bool:
    """Whether the order of the two can matter."""
    if first.writes & (second.reads | second.writes) or second.writes & first.reads:
        return True
    # An access to a whole container, such as its length, meets every access to one of its elements; two elements meet
    # only if they have the same key, and then they are one place.
    whole = first.whole_reads | first.whole_writes | second.whole_reads | second.whole_writes
    return bool(whole) and (_whole_meets_elements(first, second) or _whole_meets_elements(second, first))


def still_asleep(sleep: Sequence[Event], event: Event, depends: Depends = conflict) -> list[Event]:
    """The steps that go on sleeping after this one: those that do not depend on it."""
    return [sleeper for sleeper in sleep if not depends(sleeper, event)]


def asleep(sleep: Sequence[Event], move: Move) -> set[object] | None:
    """The labels with which the move sleeps; None if it sleeps in every way that it can go."""
    labels = set()
    ways = 1
    for event in sleep:
        if event.task == move.task:
            labels.add(event.label)
            ways = event.ways
    return None if len(labels) >= ways else labels


def _whole_meets_elements(whole: Marks, elements: Marks) -> bool:
    return bool(
        whole.whole_writes & (elements.element_reads | elements.element_writes)
        or whole.whole_reads & elements.element_writes
    )


class Places:
    """Numbers the places; a place keeps its bit throughout one search."""

    def __init__(self, policy: Callable[[str], Policy]) -> None:
        self._bits: dict[tuple[Hashable, ...], int] = {}
        self._policies: dict[str, Policy] = {}
        self._asked = policy

    def _policy(self, processor: str) -> Policy:
        policy = self._policies.get(processor)
        if policy is None:
            policy = self._policies[processor] = self._asked(processor)
        return policy

    def _bit(self, *place: Hashable) -> int:
        bit = self._bits.get(place)
        if bit is None:
            bit = self._bits[place] = 1 << len(self._bits)
        return bit

    def task(self, task: str) -> int:
        """The place that is written when the task is created and by each of its steps."""
        return self._bit("task", task)

    def result(self, task: str) -> int:
        """The place that is written when the task's result is there."""
        return self._bit("result", task)

    def event(self, move: Move, branch: Branch[Any], ways: int, pending: Sequence[Pending]) -> Event:
        """The macro-step with all the places that it touched; `pending` are the tasks in the state before it."""
        footprint = branch.footprint
        made = Event(move, branch, ways)
        mine = _of_task(move, pending)
        made.guard = self.guard(mine, pending)
        made.awaits = self.awaits(mine)
        made.reads = made.awaits
        made.also_reads(made.guard)
        self._look(made, footprint.accesses)
        self._look(made, footprint.shared)
        made.gives = self.task(move.task)
        if mine.holding or footprint.holds:
            made.writes |= self._bit("held", move.processor)
        if self._policy(move.processor) is not Policy.ANY:
            made.writes |= self._bit("front", move.processor)
            if move.task not in footprint.resolves:
                # A task that goes on later may take its place behind the calls that have arrived.
                made.writes |= self._arrival(move.processor)
        for send in footprint.sends:
            made.gives |= self.task(send.task)
            made.writes |= self._arrival(send.processor)
        for task in footprint.resolves:
            made.gives |= self.result(task)
        made.writes |= made.gives
        for task in (*footprint.gets, *footprint.misses):
            made.reads |= self.result(task)
        if footprint.unknown:
            # Every step writes its own task, so that this meets them all.
            made.reads = made.writes = -1
        return made

    def guard(self, pending: Pending, others: Sequence[Pending]) -> Marks:
        """The places that decide whether the task can run, and that may change in either direction."""
        marks = Marks()
        processor = pending.move.processor
        marks.reads |= self._bit("held", processor)
        self._look(marks, pending.watches)
        if self._policy(processor) is not Policy.ANY:
            marks.reads |= self._bit("front", processor)
            # Whether this task is the first that can run is also a question of whether the others can.
            for other in others:
                if other.move.processor == processor and other.move.task != pending.move.task:
                    self._look(marks, other.watches)
                    for task in other.futures:
                        marks.reads |= self.result(task)
        return marks

    def contested(self, states: Iterable[Sequence[Pending]]) -> dict[str, Marks]:
        """For each processor whose queue has an order: all that decided, in any of these states, which task is next."""
        found: dict[str, Marks] = {}
        if all(policy is Policy.ANY for policy in self._policies.values()):
            return found
        for pending in states:
            for task in pending:
                processor = task.move.processor
                if self._policy(processor) is not Policy.ANY:
                    marks = found.setdefault(processor, Marks())
                    marks.also_reads(self.guard(task, ()))
                    # Others that were never in the queue together with this task could have been.
                    for awaited in task.futures:
                        marks.reads |= self.result(awaited)
        return found

    def awaits(self, pending: Pending) -> int:
        """What the task needs before it can run, if that stays once it is there."""
        bits = self.task(pending.move.task)
        for task in pending.futures:
            bits |= self.result(task)
        return bits

    def _arrival(self, processor: str) -> int:
        # Under `lifo` a new task goes where the next one is taken from.
        policy = self._policy(processor)
        if policy is Policy.ANY:
            return 0
        return self._bit("end" if policy is Policy.FIFO else "front", processor)

    def _look(self, marks: Marks, accesses: Iterable[Access]) -> None:
        for access in accesses:
            bit = self._bit("field", access.owner, access.key)
            if access.reads:
                marks.reads |= bit
            if access.writes:
                marks.writes |= bit
            if access.key == WHOLE:
                owner = self._bit("owner", access.owner)
                marks.whole_reads |= owner if access.reads else 0
                marks.whole_writes |= owner if access.writes else 0
            elif type(access.key) is not str:
                owner = self._bit("owner", access.owner)
                marks.element_reads |= owner if access.reads else 0
                marks.element_writes |= owner if access.writes else 0


def _of_task(move: Move, pending: Sequence[Pending]) -> Pending:
    for candidate in pending:
        if candidate.move == move:
            return candidate
    return Pending(move)
