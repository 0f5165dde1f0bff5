"""Cases whose input objects are made by calls: the calls, and the heap that they lead to."""

from __future__ import annotations

from everypath.explore.arranging import Step
from everypath.explore.explorer import Call
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.state import State
from everypath.heap.values import Ref
from everypath.heap.values import Value as Symbolic
from everypath.records import dataclass, replace
from everypath.suite.collect import Collector
from everypath.suite.concretise import Concrete, Concretiser
from everypath.suite.model import BuildStep, Pointer, Value


@dataclass(slots=True)
class ReachableCollector(Collector):
    """Collects paths that begin with the making of inputs; those that fail on the way there are none."""

    steps: tuple[Step, ...] = ()
    dropped: int = 0
    """paths on which an input could not be made, or broke the invariant"""

    def add(self, state: State) -> None:
        """Count the outcome of a path that came as far as the call under test."""
        if isinstance(state.outcome, Finished | Uncaught) and state.arranged is None:
            self.dropped += 1
            return
        Collector.add(self, state)

    def concrete(self, state: State) -> Concrete:
        """Inputs and outcome of a path, with the calls that make the inputs."""
        if not self.steps:
            return Collector.concrete(self, state)
        return _Maker(state, self.call, self.steps).result()


class _Maker(Concretiser):
    """Names the made objects, and looks at the heap a third time: when they are all made."""

    def __init__(self, state: State, call: Call, steps: tuple[Step, ...]) -> None:
        super().__init__(state, call)
        self.steps = steps
        self.made = {step.target for step in steps}
        for step in steps:
            if step.target not in self.ids:
                self.ids[step.target] = self._unused(step.cls.rpartition(".")[2])

    def result(self) -> Concrete:
        steps = tuple(self._step(step) for step in self.steps)
        concrete = super().result()
        assert self.state.arranged is not None
        between = Concretiser(self.state, self.call)
        heap = self.state.arranged.copy()
        heap.attach(self.state.pc.copy())
        between.heap = heap.concrete(self.model)
        between.ids, between.taken, between.before = self.ids, self.taken, self.before
        between.settled = self.settled
        for ref in list(self.ids):
            if ref in between.heap.cells:
                between.last(ref)
        inputs = replace(concrete.inputs, steps=steps, ready=between.after)
        return Concrete(inputs, concrete.expected, concrete.aliases)

    def first(self, value: Symbolic) -> Value:
        """The value as a test must provide it; a made object goes by its name."""
        if isinstance(value, Ref) and value in self.made:
            return Pointer(self.ids[value])
        return super().first(value)

    def _step(self, step: Step) -> BuildStep:
        named = self.named_class(step.cls)
        params = step.method.params[1:] if step.method is not None else ()
        arguments = tuple((p.name, self.first(v), p.kind) for p, v in zip(params, step.values))
        method = "" if step.constructs or step.method is None else step.method.name
        return BuildStep(self.ids[step.target], named.module, named.name, method, arguments)

    def _unused(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}{number}"
        self.taken.add(name)
        return name
