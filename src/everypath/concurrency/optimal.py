"""The order `optimal`: every distinguishable execution once, by reversing the races that are seen.

Optimal dynamic partial-order reduction with wakeup trees, after "Source Sets: A Foundation for Optimal Dynamic Partial
Order Reduction" (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017):

1. Run one execution to its end, taking any move that is not asleep.
2. Every race in it, two dependent steps with nothing between them, asks for an execution in which they change places.
   Its beginning is inserted into the wakeup tree of the state before the race, unless it leads only to what was
   explored or is planned there already (`_admit`, `_insert`; the notions are those of weak initials and insertion).
3. Go on with the next beginning in the tree of the last state. When all of a state is explored, the step that led there
   goes to sleep in the state before: steps that do not depend on it need not try it again.

Executions that differ only in the order of independent steps are one (a Mazurkiewicz trace), and this explores each
exactly once. No execution is given up half-way, except where a branch ends all of it (a bound, for example).

What is added to the paper: tasks that wait, processors that are held, queues with a policy, and steps in which data
decides. Data that decides differently makes executions different, so a step carries how it decided, and one that was
explored for some inputs makes others redundant for those inputs only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic

from everypath.concurrency.executions import Counts, Execution, Limits, TooLong
from everypath.concurrency.independence import Event, Places, asleep, conflict, still_asleep
from everypath.concurrency.reversals import Path, Reversal
from everypath.concurrency.system import Branch, Move, Pending, State, System
from everypath.errors import Internal
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
    """reversals that were considered here; many executions have the same races"""

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


class Optimal(Generic[State]):
    """One search; iterate over `executions()` once."""

    def __init__(self, system: System[State], state: State, limits: Limits, counts: Counts) -> None:
        self._system = system
        self._limits = limits
        self._counts = counts
        self._places = Places(system.policy)
        self._path = Path()
        self._nodes: list[Node[State]] = [Node(None, state)]
        self._ready: list[frozenset[str]] = []

    def executions(self) -> Iterator[Execution[State]]:
        """The executions, each complete."""
        execution = self._open(self._nodes[0])
        if execution:
            yield execution
        while self._nodes:
            node = self._nodes[-1]
            if not node.children and not self._widen(node):
                self._leave()
                continue
            if self._limits.states is not None and self._counts.states >= self._limits.states:
                self._counts.complete = False
                return
            execution = self._enter(node, node.children[0])
            if execution:
                yield execution
                if self._counts.executions == self._limits.executions:
                    self._counts.complete = False
                    return

    def _leave(self) -> None:
        """Step back: all that begins like this was explored."""
        self._nodes.pop()
        self._ready.pop()
        if self._nodes:
            self._path.pop()
            parent = self._nodes[-1]
            explored = parent.children.pop(0).step()
            # A step that ended everything never sleeps: it has not shown what depends on it.
            if explored.ended is None:
                parent.sleep.append(explored)
            else:
                parent.ends.append(explored)

    def _enter(self, parent: Node[State], node: Node[State]) -> Execution[State] | None:
        event = node.step()
        # A planned step was recorded in another state. It goes the same way here, but may now reach a bound, or not any
        # more.
        if node.state is None:
            branch, _ = follow(self._system, parent.known_state(), event)
            node.state = branch.state
            event = node.event = event.adapted(event.ways, branch.ended)
        node.sleep = still_asleep(parent.sleep, event)
        self._nodes.append(node)
        self._path.push(event)
        if event.ended is None:
            self._counts.states += 1
        else:
            self._counts.ends += 1
        return self._open(node)

    def _open(self, node: Node[State]) -> Execution[State] | None:
        """Look at a state just reached: return the execution if it ends here, otherwise plan what to do next."""
        state = node.known_state()
        ended = self._path.events[-1].ended if self._path.events else None
        if ended is None:
            node.moves = self._system.enabled(state)
        self._ready.append(frozenset([move.task for move in node.moves]))
        if node.moves and ended is None and len(self._path.events) == self._limits.length:
            ended = TooLong()
            self._counts.complete = False
        if node.moves and ended is None:
            node.pending = self._system.pending(state)
            # A state from the wakeup tree has its continuation already.
            if not node.children:
                self._begin(node)
            return None
        node.children.clear()
        node.pending = () if ended is not None else self._system.pending(state)
        # Races are looked for in complete executions only: a shorter one need not have the second step of each.
        self._reverse()
        self._counts.executions += 1
        outcome = self._system.outcome(state) if ended is None else None
        return Execution(tuple(self._path.events), state, outcome, ended)

    def _begin(self, node: Node[State]) -> None:
        """Choose the first move that is not asleep; any will do, since races bring in the others."""
        for move in node.moves:
            node.children = self._ways(node, move)
            if node.children:
                return
        # All that could be done here was explored elsewhere. That happens only next to bounds, see `_widen`. The races
        # seen so far are still real.
        self._counts.blocked += 1
        self._reverse()

    def _reverse(self) -> None:
        """Plan all that the races of the execution at hand lead to."""
        pending = [reached.pending for reached in self._nodes]
        for reversal in self._path.reversals(self._ready, pending, self._places):
            self._consider(reversal)

    def _widen(self, node: Node[State]) -> bool:
        """Try every move where a branch ended everything, since no race with what would have followed was seen.

        This comes last: by then all that races lead to was explored and sleeps. The branch itself never sleeps.
        """
        if not node.ends or node.widened:
            return False
        node.widened = True
        explored = {(event.task, event.label) for event in node.ends}
        for move in node.moves:
            for child in self._ways(node, move):
                event = child.step()
                if (event.task, event.label) not in explored:
                    node.children.append(child)
        return bool(node.children)

    def _ways(self, node: Node[State], move: Move) -> list[Node[State]]:
        """The move, once for each way of data that is not asleep."""
        sleeping = asleep(node.sleep, move)
        if sleeping is None:
            return []
        branches = self._system.step(node.known_state(), move)
        return [
            Node(self._places.event(move, branch, len(branches), node.pending), branch.state)
            for branch in branches
            if branch.label not in sleeping
        ]

    def _consider(self, reversal: Reversal) -> None:
        # `active` leads to the execution at hand, so it must not be taken for something that is only planned.
        node, active = self._nodes[reversal.at], self._nodes[reversal.at + 1]
        events = [self._path.events[k] for k in reversal.rest]
        key = (reversal.move.task, *((event.task, event.label) for event in events))
        if key in node.tried:
            return
        node.tried.add(key)
        steps: Steps[State] = [(event, None) for event in events]
        # The cheap test first: it needs no steps of the system, and most reversals are known by then.
        if _surely_known(node, steps, reversal.move, active):
            return
        state = node.known_state()
        steps = []
        for event in events:
            self._counts.probes += 1
            branch, ways = follow(self._system, state, event)
            if branch.ended is not None:
                # In this order a bound is reached before: all that goes on like this goes beyond it.
                return
            state = branch.state
            steps.append((event.adapted(ways, event.ended), state))
        # A guard may have been false before the steps left out: then only the state tells.
        possible = reversal.sure or reversal.move in self._system.enabled(state)
        if possible:
            extend = partial(self._extend, node.known_state())
            for longer in extend([], steps, reversal.move):
                _admit(node, longer, active, extend)

    def _extend(self, start: State, done: list[Event], steps: Steps[State], move: Move) -> list[Steps[State]]:
        """Make the move after these steps from the start; one sequence for each way in which data can decide."""
        state = steps[-1][1] if steps else None
        # The state was dropped when a step moved in front of it (see `_insert`), so the steps are made again.
        if state is None:
            state = start
            for event in [*done, *(event for event, _ in steps)]:
                self._counts.probes += 1
                branch, _ = follow(self._system, state, event)
                if branch.ended is not None:
                    return []
                state = branch.state
        self._counts.probes += 1
        branches = self._system.step(state, move)
        pending = self._system.pending(state)
        return [
            [*steps, (self._places.event(move, branch, len(branches), pending), branch.state)] for branch in branches
        ]


def follow(system: System[State], state: State, event: Event) -> tuple[Branch[State], int]:
    """Make the same step from another state in which it is possible; also return in how many ways it could go there."""
    branches = system.step(state, event.move)
    for branch in branches:
        if branch.label == event.label:
            return branch, len(branches)
    # The system broke its promise to behave the same after steps that do not depend on each other.
    who = f"task {event.task} of {event.move.processor}"
    raise Internal(f"{who} went another way after steps that it does not depend on")


_APART = -1
"""the step depends on one of the sequence"""
_FREE = -2
"""the step depends on none of the sequence and is not in it"""


def _position(event: Event, steps: Sequence[tuple[Event, object]]) -> int:
    """Where the step is in the sequence, if it could be moved to its front (a weak initial); else `_APART` or `_FREE`.

    Steps of the same task are told apart by their labels: another decision of data is another step.
    """
    for i, (other, _) in enumerate(steps):
        if other.task == event.task:
            return i if other.label == event.label else _APART
        if conflict(other, event):
            return _APART
    return _FREE


def _surely_known(node: Node[State], steps: Steps[State], move: Move, active: Node[State]) -> bool:
    """Whether the steps and then the move lead only to what is explored or planned, judging by the steps alone."""
    for event in node.sleep:
        at = _position(event, steps)
        # A sleeping step that is in the sequence, or is the move itself and cannot go otherwise, was explored from
        # here.
        if at >= 0 or (at == _FREE and event.task == move.task and event.ways == 1):
            return True
    while True:
        for child in node.children:
            if child is active:
                continue
            at = _position(child.step(), steps)
            # The branch does not exclude the sequence, but the move may depend on it: that has to be tried.
            if at == _FREE:
                return False
            if at >= 0:
                break
        else:
            return False
        # A leaf of the tree: all that begins like it will be explored anyway.
        if not child.children:
            return True
        steps = steps[:at] + steps[at + 1 :]
        node = child


Extend = Callable[[list[Event], Steps[State], Move], list[Steps[State]]]
"""Makes the move after the first steps and those of the sequence: one sequence for each way data can decide."""


def _admit(node: Node[State], steps: Steps[State], active: Node[State], extend: Extend[State]) -> None:
    """Plan the sequence, unless it leads only to what was explored before.

    A sleeping step that could come first, whether it is in the sequence or not, makes the sequence redundant.
    """
    for event in node.sleep:
        at = _position(event, steps)
        if at >= 0:
            return
        if at == _FREE:
            if event.ways > 1:
                # The step was explored for the inputs that go its way; the other ways of the same move remain.
                for longer in extend([], steps, event.move):
                    _admit(node, longer, active, extend)
            return
    _insert(node, [], steps, active, extend)


def _insert(
    node: Node[State], done: list[Event], steps: Steps[State], active: Node[State], extend: Extend[State]
) -> None:
    # Down the tree, along steps that the sequence could begin with; where none of the children is one, it is added as a
    # new branch, behind the others.
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
            # What begins like a leaf, or like the execution at hand, is covered when that is explored further.
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
