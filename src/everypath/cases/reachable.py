"""Cases whose input objects are made by calls: the calls, and the heap that they lead to."""

from __future__ import annotations

from everypath.cases.concretise import Concrete, Concretiser, concretise
from everypath.cases.describing import Describer
from everypath.cases.model import BuildStep, Heap, Pointer, SequenceState, Value
from everypath.explore.search.exploration import Call, Made, Step
from everypath.explore.state import State
from everypath.heap.values import Cell, DictCell, InitialContent, InitialDict, InitialList, OpenList, Ref
from everypath.heap.values import Value as Symbolic
from everypath.records import replace


def concrete_of(state: State, call: Call, describer: Describer) -> Concrete:
    """Inputs and outcome of a path, with the calls that make the inputs."""
    if call.made is None or not (call.made.steps or call.made.lists):
        return concretise(state, call, describer)
    return _Maker(state, call, describer, call.made).result()


class _Maker(Concretiser):
    """Names the made objects, and looks at the heap a third time: when they are all made."""

    def __init__(self, state: State, call: Call, describer: Describer, made: Made) -> None:
        super().__init__(state, call, describer)
        self.steps = made.steps
        self.lists = {ref: items for ref, _, items in made.lists}
        self.made = {step.target for step in made.steps}
        for step in made.steps:
            if step.target not in self.ids:
                self.ids[step.target] = self._unused(step.cls.rpartition(".")[2])
        for ref, name, _ in made.lists:
            self.ids[ref] = self._unused(name)

    def result(self) -> Concrete:
        steps = tuple(self._step(step) for step in self.steps)
        concrete = super().result()
        inputs = replace(concrete.inputs, steps=steps, ready=self._between())
        return Concrete(inputs, concrete.expected, concrete.aliases)

    def _between(self) -> Heap:
        """The heap when all is made, with what is known about the inputs by the end of the path."""
        assert self.state.arranged is not None
        heap, last = self.state.arranged.copy(), self.state.heap
        heap.bind, heap.narrowed, heap.first, heap.bounds = last.bind, last.narrowed, last.first, last.bounds
        for ref, content in last.first.items():
            if ref not in heap.cells:
                # Nothing had looked at this input by then, so it was as it is at first.
                heap.cells[ref] = _at_first(ref, content)
        heap.attach(self.state.pc.copy())
        between = Concretiser(self.state, self.call, self.describer)
        between.heap = heap.concrete(self.model)
        between.ids, between.taken, between.before = self.ids, self.taken, self.before
        between.settled = self.settled
        for ref in list(self.ids):
            if ref in between.heap.cells:
                between.last(ref)
        return between.after

    def first(self, value: Symbolic) -> Value:
        """The value as a test must provide it; a made object goes by its name."""
        if isinstance(value, Ref) and value in self.made:
            return Pointer(self.ids[value])
        if isinstance(value, Ref) and value in self.lists:
            name = self.ids[value]
            self.before[name] = SequenceState("list", tuple(self.first(item) for item in self.lists[value]))
            return Pointer(name)
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


def _at_first(ref: Ref, content: InitialContent) -> Cell:
    """The cell of an input object of which only the initial content is known."""
    match content:
        case InitialList(element=element, length=length, entries=entries):
            return OpenList(ref.name, element, length, entries)
        case InitialDict(kind=kind, entries=entries):
            return DictCell(entries, kind=kind)
        case dict():
            return content.copy()
