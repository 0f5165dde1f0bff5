"""Turns the end of a path into a test case: its inputs, and what must be observed after the call.

After the walk over the first heap (`cases.before`) a second one starts at the result, and then at every object that
has a name, because a call may also change what it does not return. Both walks use the same solution and the same
names, so a test can compare an object with what became of it. Where calls make the input objects, these are written
down too, and the heap is looked at a third time: when they are all made.
"""

from __future__ import annotations

from everypath.cases import model
from everypath.cases.before import Before
from everypath.cases.describing import Describer
from everypath.cases.standins import asked_calls, changed_object, function_value
from everypath.errors import Unsupported
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Call, Made, Step
from everypath.explore.state import State
from everypath.heap.values import (
    UNBOUND,
    Cell,
    DictCell,
    InitialContent,
    InitialDict,
    InitialList,
    InputFunction,
    ListCell,
    OpenList,
    Ref,
    Unknown,
)
from everypath.heap.values import Value as Symbolic
from everypath.ir.instructions import Param
from everypath.ir.names import interface_of
from everypath.logic import terms
from everypath.records import dataclass, field, replace


@dataclass(slots=True)
class Concrete:
    """Inputs that follow a path, and what they lead to."""

    inputs: model.Inputs
    expected: model.Expected
    aliases: frozenset[frozenset[str]] = field(default_factory=frozenset)
    looked_at: tuple[tuple[str, str], ...] = ()
    """(class, field): the fields of input objects that the path depends on"""


def concretise(state: State, call: Call, describer: Describer) -> Concrete:
    """Inputs and outcome of a path, with the calls that make the inputs."""
    if call.made is None or not (call.made.steps or call.made.lists):
        return Concretiser(state, call, describer).result()
    return _Maker(state, call, describer, call.made).result()


class Concretiser(Before):
    """Walks the object graph once more after the call, with the same names for the same objects."""

    def result(self) -> Concrete:
        method = self.call.method
        values = list(zip(method.params, self.call.values))
        receiver: model.Value | None = None
        if self.call.constructs is not None or method.kind == "class":
            values = values[1:]
        elif method.kind in ("instance", "property"):
            receiver = self.first(values[0][1])
            values = values[1:]
        arguments = self.arguments(values)
        inputs = model.Inputs(
            receiver, arguments, self.before, replaced=self.describer.replacements(self.state, self.first)
        )
        self.describer.check(self.state)
        outcome = self.outcome()
        asked = asked_calls(self)
        # All named objects, not only those in the result: the call may have changed an argument.
        for ref in list(self.ids):
            self.last(ref)
        expected = model.Expected(outcome, self.after, asked)
        return Concrete(inputs, expected, aliases_of(inputs), tuple(self.looked_at))

    def arguments(self, values: list[tuple[Param, Symbolic]]) -> model.Arguments:
        """The arguments without those that are left out; what follows one of those is passed by name."""
        given: list[tuple[str, model.Value, str]] = []
        kinds = {"positional", "star"}
        skipped = False
        for number, (param, value) in enumerate(values):
            omitted = isinstance(value, Unknown) and self.heap.options(value)[0] in self.state.heap.inputs.omitted
            if omitted and not any(later.kind in kinds for later, _ in values[number + 1 :]):
                skipped = True
                continue
            named = skipped and param.kind == "normal"
            given.append((param.name, self.first(value), "keyword" if named else param.kind))
        return tuple(given)

    def outcome(self) -> model.Returned | model.Raised:
        outcome = self.state.outcome
        if isinstance(outcome, Finished):
            return model.Returned(self.last(outcome.value))
        assert isinstance(outcome, Uncaught)
        named = self.named_class(outcome.cls)
        message = self.describer.message(self, outcome)
        return model.Raised(named.name, named.module, outcome.implicit, message, outcome.span.line)

    def last(self, value: Symbolic) -> model.Value:
        """The value as it is observed afterwards; registers every object it reaches."""
        value = self.chosen(value)
        unseen = self.describer.opaque(self.state, value)
        if unseen is not None:
            return unseen
        if isinstance(value, Unknown):
            return self.unknown(value)
        if isinstance(value, tuple):
            return model.TupleValue(tuple(self.last(v) for v in value))
        if isinstance(value, Ref):
            return self.last_object(value)
        if isinstance(value, InputFunction):
            return function_value(self, value)
        plain = self.plain(value)
        if plain is None:
            raise Unsupported(f"a {self.describer.type_name(self.state, value)} in a test's result")
        return plain

    def last_object(self, ref: Ref) -> model.Value:
        if (kept := self.kept(ref)) is not None:
            return kept
        if ref.cls in self.state.heap.inputs.enumerations:
            return self.member(ref)
        # An input that only the result leads to is described as it was before, too.
        if ref.input and ref not in self.ids:
            self.first_object(ref)
        if (stand_in := self.describer.stand_in(self, ref)) is not None:
            return stand_in
        name = self.identify(ref)
        if name in self.after:
            return model.Pointer(name)
        # A place is taken before the content is known, or a cycle would never end.
        self.after[name] = model.SequenceState("list", ())
        self.after[name] = self.final_state(ref, name)
        return model.Pointer(name)

    def final_state(self, ref: Ref, name: str) -> model.HeapState:
        cell = self.heap.cells[ref]
        if isinstance(cell, ListCell):
            return model.SequenceState("list", tuple(self.last(v) for v in cell.items))
        if isinstance(cell, OpenList):
            return model.SequenceState("list", self.final_items(cell, name))
        if isinstance(cell, DictCell):
            entries = tuple((self.last(k), self.last(v)) for k, v in cell.entries)
            if cell.kind == "set":
                return model.SequenceState("frozenset" if cell.frozen else "set", tuple(k for k, _ in entries))
            return model.MappingState(entries)
        if not isinstance(cell, dict):
            raise Unsupported(f"a {ref.cls} in a test's result")
        if (interface := interface_of(self.exact_class(ref))) is not None:
            if name not in self.before:
                raise Unsupported(f"one more object of the class of a stand-in for {interface.rpartition('.')[2]}")
            return changed_object(self, name, cell)
        special = self.describer.final_state(self, ref, name)
        return special if special is not None else self.final_object(ref, name)

    def final_object(self, ref: Ref, name: str) -> model.ObjectState:
        """An object field by field; a field that was never looked at is as it was."""
        cls, cell = self.exact_class(ref), self.heap.fields(ref)
        start = self.before.get(name)
        unread = dict(start.fields) if isinstance(start, model.ObjectState) else {}
        first = self.heap.first_fields(ref) if ref in self.heap.first else {}
        # What was looked at and is not there any more was deleted.
        unread = {f: v for f, v in unread.items() if f in cell or f not in first}
        seen = {self.describer.field_name(cls, f): self.last(v) for f, v in cell.items() if not f.startswith("$")}
        declared = [self.describer.field_name(cls, f) for f in self.program.all_fields(cls)]
        order = [f for f in declared if f in seen or f in unread]
        order += [f for f in seen if f not in order]
        named = self.named_class(cls)
        return model.ObjectState(
            named.name, named.module, tuple((f, seen[f] if f in seen else unread[f]) for f in order)
        )

    def final_items(self, cell: OpenList, name: str) -> tuple[model.Value, ...]:
        size = int(terms.evaluate(cell.length, self.model))
        known = {self.scalar(i): self.last(v) for i, v in reversed(cell.known)}
        start = self.before[name]
        assert isinstance(start, model.SequenceState)
        return tuple(known[i] if i in known else start.items[i] for i in range(size))


class _Maker(Concretiser):
    """Also writes down the calls that make input objects."""

    def __init__(self, state: State, call: Call, describer: Describer, made: Made) -> None:
        super().__init__(state, call, describer)
        self.steps = made.steps
        self.lists = {ref: items for ref, _, items in made.lists}
        self.made = {step.target for step in made.steps}
        for step in made.steps:
            if step.target not in self.ids:
                self.ids[step.target] = self.unused(step.cls.rpartition(".")[2])
        for ref, name, _ in made.lists:
            self.ids[ref] = self.unused(name)

    def result(self) -> Concrete:
        steps = tuple(self._step(step) for step in self.steps)
        concrete = super().result()
        inputs = replace(concrete.inputs, steps=steps, ready=self._between())
        return Concrete(inputs, concrete.expected, concrete.aliases)

    def _between(self) -> model.Heap:
        """The heap when all inputs are made, as far as the whole path has found out about them."""
        assert self.state.arranged is not None
        heap, last = self.state.arranged.copy(), self.state.heap
        # What was learnt later about the inputs was true then, too. Only the cells are of that time.
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

    def first(self, value: Symbolic) -> model.Value:
        """The value as a test must provide it; a made object goes by its name."""
        if isinstance(value, Ref) and value in self.made:
            return model.Pointer(self.ids[value])
        if isinstance(value, Ref) and value in self.lists:
            name = self.ids[value]
            self.before[name] = model.SequenceState("list", tuple(self.first(item) for item in self.lists[value]))
            return model.Pointer(name)
        return super().first(value)

    def _step(self, step: Step) -> model.BuildStep:
        named = self.named_class(step.cls)
        params = step.method.params[1:] if step.method is not None else ()
        arguments = tuple((p.name, self.first(v), p.kind) for p, v in zip(params, step.values))
        method = step.method.name if step.method is not None else ""
        if step.constructs:
            # What tells it from other constructors may stand behind its name.
            method = "".join(method.partition("(")[1:])
        return model.BuildStep(self.ids[step.target], named.module, named.name, method, arguments)


def _at_first(ref: Ref, content: InitialContent) -> Cell:
    """The cell of an input object of which only the initial content is known."""
    match content:
        case InitialList(element=element, length=length, entries=entries):
            return OpenList(ref.name, element, length, entries)
        case InitialDict(kind=kind, entries=entries):
            frozen = kind == "frozenset"
            return DictCell(entries, kind="set" if frozen else kind, frozen=frozen)
        case dict():
            return {name: value for name, value in content.items() if value is not UNBOUND}


def aliases_of(inputs: model.Inputs) -> frozenset[frozenset[str]]:
    """Which access paths lead to the same object: the groups of two and more."""
    paths: dict[str, list[str]] = {}

    def walk(value: model.Value, path: str) -> None:
        if isinstance(value, model.TupleValue):
            for i, item in enumerate(value.items):
                walk(item, f"{path}[{i}]")
        if not isinstance(value, model.Pointer):
            return
        known = paths.setdefault(value.id, [])
        known.append(path)
        if len(known) > 1:
            return
        made = inputs.heap.get(value.id)
        if made is None:
            return
        if isinstance(made, model.ObjectState):
            for name, content in made.fields:
                walk(content, f"{path}.{name}")
        elif isinstance(made, model.SequenceState):
            for i, item in enumerate(made.items):
                walk(item, f"{path}[{i}]")
        elif isinstance(made, model.MappingState):
            for i, (_, content) in enumerate(made.entries):
                walk(content, f"{path}[{i}]")

    if inputs.receiver is not None:
        walk(inputs.receiver, "self")
    for name, value, _ in inputs.arguments:
        walk(value, name)
    return frozenset(frozenset(group) for group in paths.values() if len(group) > 1)
