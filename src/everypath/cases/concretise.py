"""Turns the end of a path into a test case: a model of its condition, applied to the heap before and after."""

from __future__ import annotations

from everypath.cases.aliases import aliases_of
from everypath.cases.before import DEQUE, MAPPINGS, STREAM, UNUSED, Before, unused
from everypath.cases.model import (
    Arguments,
    Expected,
    HeapState,
    Inputs,
    Literal,
    MappingState,
    ObjectState,
    Pointer,
    Raised,
    Returned,
    SequenceState,
    StreamState,
    TupleValue,
    Value,
    Written,
)
from everypath.errors import Unsupported
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Call
from everypath.explore.state import State
from everypath.heap.values import (
    DictCell,
    ListCell,
    OpenList,
    Ref,
    Unknown,
)
from everypath.heap.values import Value as Symbolic
from everypath.ir.instructions import Param
from everypath.languages.python.semantics.extended import CONTENT
from everypath.languages.python.semantics.generators import abandoned
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.solving.opaque import opaque
from everypath.languages.python.solving.outside_answers import replacements
from everypath.records import dataclass, field


@dataclass(slots=True)
class Concrete:
    """Inputs that follow the path, and what they lead to."""

    inputs: Inputs
    expected: Expected
    aliases: frozenset[frozenset[str]] = field(default_factory=frozenset)


def concretise(state: State, call: Call) -> Concrete:
    """Solve the path and write down its inputs and outcome."""
    return Concretiser(state, call).result()


class Concretiser(Before):
    """Walks the object graph once more after the call, with the same names for the same objects."""

    def result(self) -> Concrete:
        method = self.call.method
        values = list(zip(method.params, self.call.values))
        receiver: Value | None = None
        if self.call.constructs is not None or method.kind == "class":
            values = values[1:]
        elif method.kind in ("instance", "property"):
            receiver = self.first(values[0][1])
            values = values[1:]
        arguments = self.arguments(values)
        inputs = Inputs(receiver, arguments, self.before, replaced=replacements(self.state, self.first))
        if abandoned(self.state.heap):
            raise Unsupported("a generator that is left before its end inside a `try` or `with`")
        outcome = self.outcome()
        for ref in list(self.ids):
            self.last(ref)
        return Concrete(inputs, Expected(outcome, self.after), aliases_of(inputs))

    def arguments(self, values: list[tuple[Param, Symbolic]]) -> Arguments:
        """The arguments; those that are left out are not among them, and what follows is then passed by name."""
        given: list[tuple[str, Value, str]] = []
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

    def outcome(self) -> Returned | Raised:
        outcome = self.state.outcome
        if isinstance(outcome, Finished):
            return Returned(self.last(outcome.value))
        assert isinstance(outcome, Uncaught)
        named = self.named_class(outcome.cls)
        return Raised(named.name, named.module, outcome.implicit, self.message(outcome), outcome.span.line)

    def message(self, outcome: Uncaught) -> str | None:
        """The text of an exception that the program raised itself with just one string."""
        if outcome.implicit or self.program.is_subclass(outcome.cls, "KeyError"):
            return None
        if self.program.find_method(outcome.cls, "__str__") is not None:
            return None
        assert isinstance(outcome.exception, Ref)
        args = self.heap.cells[outcome.exception].get("args", ())
        if len(args) != 1:
            return None
        text = self.scalar(self.chosen(args[0]))
        return text if isinstance(text, str) else None

    def last(self, value: Symbolic) -> Value:
        """The value as it is observed afterwards; registers every object it reaches."""
        value = self.chosen(value)
        unseen = opaque(self.state, self.program, value)
        if unseen is not None:
            return unseen
        if isinstance(value, Unknown):
            return self.unknown(value)
        if isinstance(value, tuple):
            return TupleValue(tuple(self.last(v) for v in value))
        if isinstance(value, Ref):
            return self.last_object(value)
        plain = self.plain(value)
        if plain is None:
            raise Unsupported(f"a {type_name(self.state, value)} in a test's result")
        return plain

    def last_object(self, ref: Ref) -> Value:
        if (kept := self.kept(ref)) is not None:
            return kept
        if ref.cls in self.state.heap.inputs.enumerations:
            return self.member(ref)
        if ref.input and ref not in self.ids:
            self.first_object(ref)
        if ref.input and self.base_of(ref) in CONTENT and self.content(ref) is None:
            return self.unread_content(ref)
        if self.base_of(ref) is not None and not isinstance(self.content(ref), Ref):
            plain = self.last(self.content(ref))
            # It is equal to the plain value, but of another type.
            return Written("", repr(plain.value)) if isinstance(plain, Literal) else plain
        name = self.identify(ref)
        if name in self.after:
            return Pointer(name)
        self.after[name] = SequenceState("list", ())
        self.after[name] = self.final_state(ref, name)
        return Pointer(name)

    def final_state(self, ref: Ref, name: str) -> HeapState:
        cell = self.heap.cells[ref]
        if isinstance(cell, ListCell):
            return SequenceState("list", tuple(self.last(v) for v in cell.items))
        if isinstance(cell, OpenList):
            return SequenceState("list", self.final_items(cell, name))
        if isinstance(cell, DictCell):
            entries = tuple((self.last(k), self.last(v)) for k, v in cell.entries)
            if cell.kind == "set":
                return SequenceState("frozenset" if cell.frozen else "set", tuple(k for k, _ in entries))
            return MappingState(entries)
        if not isinstance(cell, dict):
            raise Unsupported(f"a {ref.cls} in a test's result")
        cls = self.exact_class(ref)
        if self.base_of(ref) is not None and self.is_plain_collection(ref, cls):
            held = self.content(ref)
            return self.final_state(held, self.identify(held) if held.input else name)
        if cls in self.program.classes and self.program.classes[cls].model:
            return self.library_state(cell, cls, name)
        return self.final_object(ref, name)

    def final_object(self, ref: Ref, name: str) -> ObjectState:
        """An object field by field; what was never looked at is as it was."""
        cls, cell = self.exact_class(ref), self.heap.cells[ref]
        start = self.before.get(name)
        unread = dict(start.fields) if isinstance(start, ObjectState) else {}
        # What was looked at and is not there any more was deleted.
        unread = {f: v for f, v in unread.items() if f in cell or f not in (self.heap.first.get(ref) or ())}
        seen = {self.shown_field(cls, f): self.last(v) for f, v in cell.items() if not f.startswith("$")}
        declared = [self.shown_field(cls, f) for f in self.program.all_fields(cls)]
        order = [f for f in declared if f in seen or f in unread]
        order += [f for f in seen if f not in order]
        named = self.named_class(cls)
        return ObjectState(named.name, named.module, tuple((f, seen[f] if f in seen else unread[f]) for f in order))

    def library_state(self, cell: dict[str, Symbolic], cls: str, name: str) -> HeapState:
        """An object of a modelled library class: mappings are equal to the dict of their content."""
        if cls == DEQUE:
            # How long it may become is nothing that equality looks at.
            if "_items" not in cell:
                return self.before.get(name, SequenceState("deque", ()))
            items = self.final_state(self.chosen(cell["_items"]), name)
            return SequenceState("deque", items.items if isinstance(items, SequenceState) else ())
        if cls in MAPPINGS and "content" not in cell:
            return self.before.get(name, MappingState((), cls.rpartition(".")[2]))
        if cls == STREAM:
            return self.stream_state(cell, name)
        if cls in UNUSED:
            return unused(cls)
        content = self.chosen(cell.get("content"))
        if not isinstance(content, Ref) or not isinstance(self.heap.cells[content], DictCell):
            raise Unsupported(f"a {cls} in a test's result")
        return self.final_state(content, name)

    def stream_state(self, cell: dict[str, Symbolic], name: str) -> StreamState:
        """A text stream as it is afterwards; what was never looked at is as it was."""
        start = self.before.get(name)
        text = start.text if isinstance(start, StreamState) else ""
        if "_text" in cell:
            text = self.scalar(self.chosen(cell["_text"]))
        place = self.scalar(self.chosen(cell.get("_place")))
        return StreamState(text, place or 0, bool(self.scalar(self.chosen(cell.get("_closed")))))

    def unread_content(self, ref: Ref) -> Value:
        """An input that extends a collection, of which nothing has looked at the elements."""
        name = self.identify(ref)
        start = self.before.get(name)
        fields = dict(start.fields) if isinstance(start, ObjectState) else {}
        held = next((fields[field] for field in ("<dict>", "<list>") if field in fields), None)
        if not self.is_plain_collection(ref, self.exact_class(ref)):
            self.after.setdefault(name, self.final_object(ref, name))
        else:
            self.after[name] = self.before[held.id] if isinstance(held, Pointer) else MappingState(())
        return Pointer(name)

    def base_of(self, ref: Ref) -> str | None:
        """What an object inherits whose class extends one of the language, so that its state is not in fields."""
        return self.language_base(ref.cls) if type(self.heap.cells.get(ref)) is dict else None

    def is_plain_collection(self, ref: Ref, cls: str) -> bool:
        """Whether all there is to see of an object is what it holds, and equality tells that."""
        base = self.base_of(ref) or ""
        compared = self.program.find_method(cls, "__eq__")
        inner = CONTENT.get(base)
        others = [f for f in self.heap.cells[ref] if f != inner and not f.startswith("$")]
        return inner is None or (not others and (compared is None or compared.cls.startswith("builtin_bases.")))

    def content(self, ref: Ref) -> Symbolic:
        """The plain value that such an object is equal to."""
        base = self.base_of(ref) or ""
        compared = self.program.find_method(ref.cls, "__eq__")
        if compared is not None and not compared.cls.startswith("builtin_bases.") and base not in CONTENT:
            raise Unsupported(f"a {ref.cls}, which defines __eq__ itself, in a test's result")
        return self.chosen(self.heap.cells[ref].get(CONTENT.get(base, "_content")))

    def final_items(self, cell: OpenList, name: str) -> tuple[Value, ...]:
        size = int(self.scalar(cell.length))
        known = {self.scalar(i): self.last(v) for i, v in reversed(cell.known)}
        start = self.before[name]
        assert isinstance(start, SequenceState)
        return tuple(known[i] if i in known else start.items[i] for i in range(size))
