"""The exploration loop: select, run to the next choice, update; and replay of a recorded choice sequence.

The tree of section 2 of "Test Case Generation by Symbolic Execution", one path at a time: a state is taken from those
that wait, runs to its next choice, and its successors join the others. In which order is up to the strategy. A
depth-first search hands its list to the machine, which then keeps one side of a branch running and only puts the other
one there.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from everypath.errors import Internal
from everypath.explore.machine import MEMORY_CUT, Machine
from everypath.explore.outcomes import Cut
from everypath.explore.search.strategies import DepthFirst, Hurried, Strategy, make_strategy
from everypath.explore.semantics import Beginning, Semantics
from everypath.explore.state import State
from everypath.explore.watch import WATCH
from everypath.heap.assumptions import Assumption
from everypath.heap.inputs import Inputs
from everypath.heap.solver import HEAPS, make_heap
from everypath.heap.values import Ref, Value
from everypath.ir.program import Method
from everypath.logic.clock import now
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.options import Options
from everypath.records import dataclass

if TYPE_CHECKING:
    # Only runs that go on from an earlier one load it.
    from everypath.explore.search.continuing import Walk

LEFT = Cut("unwanted")
"""A path that nobody has asked for yet."""
_HURRY = 0.5
"""The share of the time that is kept for going where a depth-first search has not been yet."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call before the call under test, which makes or changes an input object."""

    target: Ref
    cls: str
    method: Method | None
    """None if the class has no constructor of its own"""
    constructs: bool
    values: tuple[Value, ...] = ()
    """one for each parameter except the receiver"""


@dataclass(frozen=True, slots=True)
class Made:
    """Inputs that are not arbitrary: objects made by calls, and lists with known elements."""

    steps: tuple[Step, ...] = ()
    lists: tuple[tuple[Ref, str, tuple[Value, ...]], ...] = ()
    """(list, name, elements)"""


@dataclass(frozen=True, slots=True)
class Call:
    """The entry's inputs as they were before anything ran: one value per parameter."""

    method: Method
    values: tuple[Value, ...]
    constructs: str | None = None
    """the class whose constructor is called; its first parameter is then not an input"""
    made: Made | None = None
    """what a path does before the call; None if it begins with the call"""


class Exploration:
    """What all paths of one target share."""

    def __init__(
        self,
        semantics: Semantics,
        options: Options,
        assumptions: tuple[Assumption, ...] = (),
        machine: Machine | None = None,
    ) -> None:
        """A `machine` of an earlier exploration with the same bounds has most of the program compiled already."""
        self.options = options
        self.enough = False
        """set when no further path is wanted; those that wait are then left where they are"""
        self.decider = Decider(options.solver)
        disjunctive = options.heap in HEAPS and HEAPS[options.heap].disjunctive
        self.machine = machine or Machine(semantics, options.limits, disjunctive)
        if options.compositional:
            # Few runs have summaries, and what makes and composes them is much to load.
            from everypath.explore.search.summaries.composing import summaries_for

            self.machine.calls.composer = summaries_for(semantics, options, self.decider)
        self.inputs = Inputs(
            semantics.program,
            options.solver.int_range,
            options.limits.fixed_length,
            assumptions,
            semantics.knowledge,
        )

    def initial(
        self,
        method: Method,
        cls: str | None = None,
        constructs: bool = False,
        lazy: bool = False,
        before: Method | None = None,
    ) -> tuple[State, Call]:
        """The state in which the method is about to run on arbitrary inputs.

        `cls` is the class under test, which may have inherited the method; with `constructs` the method is its
        constructor. A `lazy` method may return an iterator or coroutine, which is then used up.
        """
        semantics = self.machine.semantics
        state = self.blank(method)
        types = semantics.parameter_types(state, method, self._run_to_end)
        values: list[Value] = []
        for number, param in enumerate(method.params):
            if number or method.kind == "static":
                values.append(self.inputs.fresh(types.get(param.name, param.type), param.name))
            else:
                values.append(semantics.receiver(self.inputs, state, method, cls or method.cls, constructs))
        return state, self.call(state, method, values, cls, constructs, lazy, before)

    def blank(self, method: Method) -> State:
        """A state in which nothing has happened, of a path of this method."""
        self.machine.semantics.note_entry(self.inputs, method)
        return State(make_heap(self.options.heap, self.inputs), PathCondition(self.decider))

    def call(
        self,
        state: State,
        method: Method,
        values: Sequence[Value],
        cls: str | None = None,
        constructs: bool = False,
        lazy: bool = False,
        before: Method | None = None,
    ) -> Call:
        """Make the method run next, on these inputs; the parameters mean what they do for `initial`."""
        semantics = self.machine.semantics
        owner = cls or method.cls
        self.inputs.method = method
        self.inputs.roots = {param.name: value for param, value in zip(method.params, values)}
        begin = semantics.construction(state, owner, method, [*values]) if constructs else Beginning(method, values)
        observer = semantics.observer() if lazy else None
        self.machine.start(state, begin.method, begin.arguments, begin.post, observer, before)
        return Call(method, tuple(values), owner if constructs else None)

    def _run_to_end(self, state: State, method: Method) -> None:
        self.machine.start(state, method, [])
        self.machine.run(state)

    def widen(self, options: Options) -> None:
        """Go on with what was kept, under other limits, and count anew."""
        self.options, self.enough = options, False
        self.inputs.fixed_length = options.limits.fixed_length
        self.machine.widen(options.limits)
        self.decider.counts.update(dict.fromkeys(self.decider.counts, 0))

    def paths(self, initial: State, strategy: Strategy | None = None) -> Iterator[State]:
        """The last state of every path, with its outcome; states that a limit cuts off come last."""
        thresholds = gc.get_threshold()
        # States are many and short-lived but rarely cyclic: frequent collections only cost time.
        gc.set_threshold(50_000, 20, 20)
        try:
            yield from self._paths(initial, strategy)
        finally:
            gc.set_threshold(*thresholds)

    def continued(self, walk: Walk) -> Iterator[State]:
        """The last state of every path that goes on from the leaves of a walk."""
        thresholds = gc.get_threshold()
        gc.set_threshold(50_000, 20, 20)
        self.machine.deadline = now() + self.options.limits.time
        try:
            for state in walk.states():
                if state.outcome is not None:
                    yield state
                    continue
                yield from self._paths(state, None, self.machine.deadline)
                if self.enough or now() > self.machine.deadline or WATCH.swollen:
                    return
        finally:
            gc.set_threshold(*thresholds)

    def _paths(self, initial: State, strategy: Strategy | None, deadline: float | None = None) -> Iterator[State]:
        machine = self.machine
        waiting = self._strategy(strategy)
        machine.deadline = now() + self.options.limits.time if deadline is None else deadline
        hurry = machine.deadline - _HURRY * self.options.limits.time
        machine.waiting = waiting if isinstance(waiting, DepthFirst) else None
        waiting.add([initial])
        finished = 0
        rounds = 0
        most = self.options.limits.paths
        while waiting:
            rounds += 1
            late = False
            # Reading the clock costs more than a short step.
            if not rounds % 16:
                time = now()
                late = time > machine.deadline
                # A depth-first search that will not finish has seen one corner only; the rest of the time goes
                # elsewhere.
                if time > hurry and machine.waiting is not None:
                    machine.waiting = None
                    waiting = Hurried(waiting.pending())
            if late or WATCH.swollen or self.enough or finished >= most:
                why = self._reason_to_stop(late, finished)
                if why is not None:
                    yield from self._cut_off(waiting, why)
                    return
            state = waiting.select()
            if state.outcome is None:
                # Only while a path runs: the solver must still answer whoever turns a finished path into a case.
                self.decider.deadline = WATCH.deadline = machine.deadline
                machine.run(state)
                self.decider.deadline = WATCH.deadline = float("inf")
                if isinstance(state.outcome, Cut) and state.outcome.kind == "time":
                    # Most likely the time is over for all.
                    rounds = -1
            if state.successors is not None and state.outcome is None:
                waiting.add(state.successors)
            else:
                finished += 1
                yield state

    def _strategy(self, given: Strategy | None) -> Strategy:
        """The order of the search, with the user's own criteria for ending paths."""
        waiting = make_strategy(self.options.strategy, self.options.seed) if given is None else given
        if self.options.criteria:
            from everypath.explore.search.criteria import Ending

            waiting = Ending(waiting, self.options.criteria)
        return waiting

    def _reason_to_stop(self, late: bool, finished: int) -> Cut | None:
        """Why no further path is followed, None if it was only feared that there is too little memory."""
        if WATCH.swollen and not WATCH.relieved():
            return MEMORY_CUT
        if late:
            return Cut("time")
        if self.enough:
            return LEFT
        if finished >= self.options.limits.paths:
            return Cut("time", f"stopped after {finished} paths; raise --paths")
        return None

    def _cut_off(self, waiting: Strategy, why: Cut) -> Iterator[State]:
        for state in waiting.pending():
            if self.machine.keeps and state.outcome is None:
                state.kept = state
            state.outcome = why
            yield state

    def replay(self, initial: State, choices: Sequence[int]) -> State:
        """Follow a recorded choice sequence to its end."""
        state = initial
        script = iter(choices)
        while True:
            if state.outcome is None:
                self.machine.run(state)
            if state.outcome is not None or state.successors is None:
                return state
            wanted = next(script, None)
            successors = [s for s in state.successors if s.choices is not None and s.choices[0] == wanted]
            if not successors:
                raise Internal(
                    f"the recorded choice {wanted} is not possible here; was the code changed?", state.span()
                )
            state.successors = None
            (state,) = successors
