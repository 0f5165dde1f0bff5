"""The exploration loop: select, run to the next choice, update; and replay of a recorded choice sequence."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence

from everypath.errors import Internal
from everypath.explore.machine import Machine
from everypath.explore.outcomes import Cut
from everypath.explore.search.strategies import DepthFirst, Hurried, Strategy, make_strategy
from everypath.explore.state import State
from everypath.heap.assumptions import Assumption
from everypath.heap.heap import Inputs
from everypath.heap.kinds import HEAPS, make_heap
from everypath.heap.values import DictCell, Value
from everypath.ir.instructions import ClassRef, FunctionRef
from everypath.ir.program import Method, Program
from everypath.ir.types import ClassType, union
from everypath.languages.python.semantics.arguments import any_keywords
from everypath.languages.python.semantics.callables import callables_of
from everypath.languages.python.semantics.extended import holds_elements, new_collection
from everypath.languages.python.semantics.generators import observer_of
from everypath.languages.python.semantics.omitted import note_defaults
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.options import Options
from everypath.records import dataclass

_HURRY = 0.5
"""The share of the time that is kept for going where a depth-first search has not come."""


@dataclass(frozen=True, slots=True)
class Call:
    """The entry's inputs as they were before anything ran: one value per parameter."""

    method: Method
    values: tuple[Value, ...]
    constructs: str | None = None
    """the class whose constructor is called; its first parameter is then not an input"""


class Exploration:
    """Everything that one target's exploration shares."""

    def __init__(
        self,
        program: Program,
        options: Options,
        assumptions: tuple[Assumption, ...] = (),
        machine: Machine | None = None,
    ) -> None:
        """A `machine` of an earlier exploration with the same bounds has compiled most of the program already."""
        self.options = options
        self.decider = Decider(options.solver)
        disjunctive = options.heap in HEAPS and HEAPS[options.heap].disjunctive
        self.machine = machine or Machine(program, options.limits, disjunctive)
        self.inputs = Inputs(program, options.solver.int_range, options.limits.fixed_length, assumptions)
        self.started = time.monotonic()

    def initial(
        self,
        method: Method,
        cls: str | None = None,
        constructs: bool = False,
        lazy: bool = False,
        before: Method | None = None,
    ) -> tuple[State, Call]:
        """The state in which the method is about to run on arbitrary inputs.

        `cls` is the class under test, of which the method may be inherited; with `constructs` the method
        is its constructor. A `lazy` one may return an iterator or coroutine, which is then used up.
        """
        heap = make_heap(self.options.heap, self.inputs)
        state = State(heap, PathCondition(self.decider))
        values: list[Value] = []
        owner = cls or method.cls
        self.inputs.callables = callables_of(method)
        omitted = note_defaults(self.machine, state, method)
        for number, param in enumerate(method.params):
            if number or method.kind == "static":
                type = union((param.type, omitted[param.name])) if param.name in omitted else param.type
                values.append(self.inputs.fresh(type, param.name))
            elif constructs:
                values.append(new_collection(state, owner) or state.heap.new_object(owner))
            elif method.kind == "class":
                values.append(ClassRef(owner))
            else:
                values.append(self.inputs.fresh(ClassType(owner), param.name))
        self.inputs.method = method
        self.inputs.keywords = any_keywords(method.params)
        self.inputs.roots = {param.name: value for param, value in zip(method.params, values)}
        made = values[0] if constructs else None
        post = None if made is None else lambda _, __: made
        run, given = method, values
        if constructs and (maker := self._maker(owner, method)) is not None:
            run, given, post = maker, self._to_make(state, owner, method, values), None
        self.machine.start(state, run, given, post, observer_of(self.machine.program) if lazy else None, before)
        return state, Call(method, tuple(values), owner if constructs else None)

    def _maker(self, cls: str, constructor: Method) -> Method | None:
        """The model that calls the `__new__` of a class and then its constructor, for a class that has one."""
        program = self.machine.program
        new = program.find_method(cls, "__new__")
        if new is None or holds_elements(program, cls):
            return None
        spread = any("star" in param.kind for param in constructor.params)
        return program.find_method("builtins", "make_object_from" if spread else "make_object")

    def _to_make(self, state: State, cls: str, constructor: Method, values: list[Value]) -> list[Value]:
        """The arguments of that model: class, its `__new__`, arguments by position and by name, and any number more."""
        new = self.machine.program.find_method(cls, "__new__")
        assert new is not None
        inputs = list(zip(constructor.params, values))[1:]
        named = tuple((param.name, value) for param, value in inputs if param.kind == "keyword")
        positional = tuple(value for param, value in inputs if param.kind in ("normal", "positional"))
        keywords = state.heap.new_object("dict", DictCell(named))
        start = [ClassRef(cls), FunctionRef(new.cls, new.name), positional, keywords]
        more = {param.kind: value for param, value in inputs if "star" in param.kind}
        if not more:
            return [*start, True]
        return [*start, more.get("star", ()), more.get("doublestar", state.heap.new_object("dict", DictCell(())))]

    def paths(self, initial: State, strategy: Strategy | None = None) -> Iterator[State]:
        """Every path's last state, each with its outcome; states cut by the time limit come last."""
        thresholds = gc.get_threshold()
        # States are many and short-lived but rarely cyclic: frequent collections only cost time.
        gc.set_threshold(50_000, 20, 20)
        try:
            yield from self._paths(initial, strategy)
        finally:
            gc.set_threshold(*thresholds)

    def _paths(self, initial: State, strategy: Strategy | None) -> Iterator[State]:
        machine = self.machine
        waiting = make_strategy(self.options.strategy, self.options.seed) if strategy is None else strategy
        machine.deadline = time.monotonic() + self.options.limits.time
        hurry = machine.deadline - _HURRY * self.options.limits.time
        machine.waiting = waiting if isinstance(waiting, DepthFirst) else None
        waiting.add([initial])
        finished = 0
        rounds = 0
        most = self.options.limits.paths
        while waiting:
            rounds += 1
            late = False
            if not rounds % 16:
                now = time.monotonic()
                late = now > machine.deadline
                if now > hurry and machine.waiting is not None:
                    machine.waiting = None
                    waiting = Hurried(waiting.pending())
            if late or finished >= most:
                yield from self._cut_off(waiting, "" if late else f"stopped after {finished} paths; raise --paths")
                return
            state = waiting.select()
            if state.outcome is None:
                self.decider.deadline = machine.deadline
                machine.run(state)
                self.decider.deadline = float("inf")
            if state.successors is not None and state.outcome is None:
                waiting.add(state.successors)
            else:
                finished += 1
                yield state

    def _cut_off(self, waiting: Strategy, message: str) -> Iterator[State]:
        for state in waiting.pending():
            state.outcome = Cut("time", message)
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
