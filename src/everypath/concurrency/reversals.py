"""Races of an execution: which of its steps could have been made earlier, before one that they depend on.

Happens-before is the transitive closure of dependence along the execution, as sets of bits. Two steps race if one
happens before the other with nothing in between. To reverse them, the steps after the first one that do not depend on
it are kept, and then the second one is made (the sequence notdep(e, E).proc(e') of "Source Sets"). Where waiting is
involved, whether the second step is possible at all may hang on several earlier ones: see `_of_guard`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everypath.concurrency.independence import Event, Marks, Places, conflict
from everypath.concurrency.system import Move, Pending
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Reversal:
    """In the place of the step at `at`: the later steps `rest`, none of which depends on it, and then `move`."""

    at: int
    rest: list[int]
    move: Move
    sure: bool
    """whether the move is certainly possible there; if not, only trying tells"""


class Path:
    """The execution at hand with its happens-before relation, kept while steps are added and taken back."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.before: list[int] = []
        """for each step, the set of the steps that happen before it, as bits"""
        self.near: list[list[int]] = []
        """for each step, those that happen before it with no other step in between"""

    def push(self, event: Event) -> None:
        """Add a step at the end."""
        before = 0
        near = []
        # Backwards: once a step is known to happen before, so is all that happens before it, and none of that is near.
        for i in range(len(self.events) - 1, -1, -1):
            if not before >> i & 1 and conflict(self.events[i], event):
                near.append(i)
                before |= self.before[i] | 1 << i
        self.events.append(event)
        self.before.append(before)
        self.near.append(near)

    def pop(self) -> None:
        """Take the last step back."""
        self.events.pop()
        self.before.pop()
        self.near.pop()

    def reversals(
        self, ready: Sequence[frozenset[str]], pending: Sequence[Sequence[Pending]], places: Places
    ) -> Iterator[Reversal]:
        """Every reversal of a race in this execution.

        `ready` are the tasks that could run before each step and at the end, `pending` those that had not ended. A step
        that was possible before another one, but not after it, is in a race, too, even if it was never made.
        """
        # In a queue with an order, what decides about a task changes with those around it.
        contested = places.contested(pending)
        for j, event in enumerate(self.events):
            yield from self._of_data(j, event)
            guard = contested.get(event.move.processor, event.guard)
            yield from self._of_guard(event.move, guard, event.awaits, j, ready)
            for other in event.footprint.resolves:
                if other != event.task:
                    yield from self._of_victim(other, j, ready, pending, places)
        done = len(self.events)
        # Tasks that are stuck at the end may have been able to run before: this finds the orders without a deadlock.
        for task in pending[done]:
            if task.move.task not in ready[done]:
                guard = contested.get(task.move.processor) or places.guard(task, pending[done])
                yield from self._of_guard(task.move, guard, places.awaits(task), done, ready)

    def _of_victim(
        self, task: str, j: int, ready: Sequence[frozenset[str]], pending: Sequence[Sequence[Pending]], places: Places
    ) -> Iterator[Reversal]:
        """The step has also ended another task, which could have gone on before."""
        if task in ready[j]:
            yield Reversal(j, [], Move(self.events[j].move.processor, task), True)
            return
        for waiting in pending[j]:
            if waiting.move.task == task:
                guard = places.guard(waiting, pending[j])
                yield from self._of_guard(waiting.move, guard, places.awaits(waiting), j, ready)

    def _of_data(self, j: int, event: Event) -> Iterator[Reversal]:
        """The step and one just before it touch the same place, and that place does not decide whether the step is
        possible.
        """
        for i in self.near[j]:
            earlier = self.events[i]
            # What the later step waits for cannot come after it; guards are tried in `_of_guard`.
            if not earlier.gives & event.awaits and not conflict(earlier, event.guard):
                yield Reversal(i, self._without(1 << i, i, j), event.move, True)

    def _of_guard(
        self, move: Move, guard: Marks, awaits: int, j: int, ready: Sequence[frozenset[str]]
    ) -> Iterator[Reversal]:
        """Earlier steps decided whether the move is possible: try all of their prefixes.

        A single reversal is not enough here: two conditions may both have been true only between steps that
        do not depend on each other. All steps that depend on none of those left out stay in, so that what is tried
        covers every execution in which the move is made at this point.
        """
        deciders = [i for i in range(j) if conflict(self.events[i], guard)]
        if not deciders:
            return
        needed = 0
        # Steps that the move cannot do without: those that created its task or gave a result that it awaits, and all
        # before.
        for i in range(j):
            if self.events[i].gives & awaits:
                needed |= self.before[i] | 1 << i
        deciders = [i for i in deciders if not needed >> i & 1]
        for kept in self._prefixes(deciders):
            left_out = [i for i in deciders if not kept >> i & 1]
            if not left_out:
                continue
            first = left_out[0]
            # If exactly the kept steps were made before `first`, what could run at that point tells whether the move
            # can.
            # Before `first` exactly the steps kept were made, so that what could run there tells whether the move can.
            known = not needed >> first and not kept >> first
            if known:
                if move.task not in ready[first]:
                    continue
                # Possible with fewer steps left out as well: that reversal is tried by itself.
                if len(left_out) > 1 and move.task in ready[left_out[1]]:
                    continue
            mask = sum(1 << i for i in left_out)
            if needed & self._after(mask, first):
                continue
            yield Reversal(first, self._without(mask, first, j), move, known)

    def _prefixes(self, deciders: list[int]) -> Iterator[int]:
        """All sets of these steps that contain what happens before each of their members."""
        among = sum(1 << i for i in deciders)
        found = [0]
        for i in deciders:
            required = self.before[i] & among
            found += [kept | 1 << i for kept in found if kept & required == required]
        return iter(found)

    def _after(self, mask: int, first: int) -> int:
        """These steps and all that happen after one of them."""
        found = mask
        for k in range(first + 1, len(self.events)):
            if self.before[k] & mask:
                found |= 1 << k
        return found

    def _without(self, mask: int, first: int, j: int) -> list[int]:
        """The steps after `first` that depend neither on those of the mask nor on the step at `j`."""
        mask |= 1 << j
        return [
            k
            for k in range(first + 1, len(self.events))
            if not (self.before[k] | 1 << k) & mask and self.events[k].ended is None
        ]
