"""Wakeup trees: beginnings of executions still to be explored, no two of which lead to the same execution.

The notions (weak initials, insertion) are those of "Source Sets: A Foundation for Optimal Dynamic Partial Order
Reduction" (Abdulla, Aronis, Jonsson, Sagonas); steps here also carry how data decided, and a step that
was explored for some inputs only makes others redundant for those inputs only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from everypath.concurrency.independence import Event, conflict
from everypath.concurrency.system import Move, Pending, State
from everypath.records import dataclass, field


@dataclass(slots=True)
class Node(Generic[State]):
    """A step, the state that it leads to once known, and the beginnings that continue from there."""

    event: Event | None
    state: State | None = None
    children: list[Node[State]] = field(default_factory=list)
    sleep: list[Event] = field(default_factory=list)
    """steps that were explored from here, or from earlier and do not depend on what was done since"""
    pending: Sequence[Pending] = ()
    moves: Sequence[Move] = ()
    ends: list[Event] = field(default_factory=list)
    """steps from here that ended everything"""
    widened: bool = False
    """every move possible here is explored"""
    tried: set[tuple[object, ...]] = field(default_factory=set)

    def step(self) -> Event:
        """The step that leads here; only the root has none."""
        assert self.event is not None
        return self.event

    def known_state(self) -> State:
        """The state, which is known once the step was made."""
        assert self.state is not None
        return self.state


Steps = list[tuple[Event, State | None]]
"""Steps one after the other, with the state after each where it is known."""

_APART = -1
"""the step depends on one of the sequence"""
_FREE = -2
"""the step depends on none of the sequence and is not in it"""


def _position(event: Event, steps: Sequence[tuple[Event, object]]) -> int:
    """Where in the sequence the step is, if it could be its first; or `_APART` or `_FREE`."""
    for i, (other, _) in enumerate(steps):
        if other.task == event.task:
            return i if other.label == event.label else _APART
        if conflict(other, event):
            return _APART
    return _FREE


def surely_known(node: Node[State], steps: Steps[State], move: Move, active: Node[State]) -> bool:
    """Whether the steps and then the move lead only to what is explored or planned, as far as the steps alone tell."""
    for event in node.sleep:
        at = _position(event, steps)
        if at >= 0 or (at == _FREE and event.task == move.task and event.ways == 1):
            return True
    while True:
        for child in node.children:
            if child is active:
                continue
            at = _position(child.step(), steps)
            if at == _FREE:
                return False
            if at >= 0:
                break
        else:
            return False
        if not child.children:
            return True
        steps = steps[:at] + steps[at + 1 :]
        node = child


Extend = Callable[[list[Event], Steps[State], Move], list[Steps[State]]]
"""Makes the move after the first steps and those of the sequence: one sequence for each way data can decide."""


def admit(node: Node[State], steps: Steps[State], active: Node[State], extend: Extend[State]) -> None:
    """Plan the sequence unless it leads only to what was explored before."""
    for event in node.sleep:
        at = _position(event, steps)
        if at >= 0:
            return
        if at == _FREE:
            if event.ways > 1:
                # The step was explored for the inputs that go its way; the other ways of the same move remain.
                for longer in extend([], steps, event.move):
                    admit(node, longer, active, extend)
            return
    _insert(node, [], steps, active, extend)


def _insert(
    node: Node[State], done: list[Event], steps: Steps[State], active: Node[State], extend: Extend[State]
) -> None:
    while True:
        for child in node.children:
            event = child.step()
            at = _position(event, steps)
            if at == _APART:
                continue
            if at == _FREE and event.ways > 1:
                for longer in extend(done, steps, event.move):
                    _insert(node, done, longer, active, extend)
                return
            if child is active or not child.children:
                return
            # The states known are those without this step, except after its place in the sequence.
            last = at if at >= 0 else len(steps)
            steps = [(earlier, None) for earlier, _ in steps[:last]] + steps[last + 1 :]
            done = [*done, event]
            node = child
            break
        else:
            for event, state in steps:
                added: Node[State] = Node(event, state)
                node.children.append(added)
                node = added
            return
