"""Turns the end of a path into a test case: a model of its condition, applied to the heap before and after."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.callables import takes_more_arguments, takes_no_argument
from everypath.explore.explorer import Call
from everypath.explore.extended import CONTENT, WITHOUT_CONTENT, base_of
from everypath.explore.foreign import is_foreign
from everypath.explore.generators import abandoned
from everypath.explore.objects import possible_classes, type_name
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.state import State
from everypath.heap.hashes import number as hash_number
from everypath.heap.samples import samples
from everypath.heap.values import (
    DictCell,
    Hash,
    InitialDict,
    InitialList,
    InputFunction,
    ListCell,
    OpenList,
    RangeValue,
    Ref,
    SliceValue,
    Unknown,
    Unread,
)
from everypath.heap.values import Value as Symbolic
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef, Param
from everypath.ir.program import Program
from everypath.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    FUNCTION,
    INT,
    LIBRARY_OBJECTS,
    NONE,
    STR,
    ArrayType,
    ClassType,
    DictType,
    ListType,
    MemberType,
    RecordType,
    Scalar,
    SetType,
    TupleType,
    Type,
    UnionType,
    named_class,
)
from everypath.logic import terms
from everypath.logic.terms import Term
from everypath.records import dataclass, field
from everypath.suite.aliases import aliases_of
from everypath.suite.library_values import library_name, written
from everypath.suite.model import (
    Arguments,
    Atom,
    Expected,
    Heap,
    HeapState,
    Inputs,
    Lambda,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Pointer,
    Raised,
    Returned,
    SequenceState,
    StreamState,
    TupleValue,
    UnusedState,
    Value,
    Written,
)
from everypath.suite.opaque import opaque
from everypath.suite.outside_answers import replacements
from everypath.suite.telling import passed_on, telling

LONGEST = 2_000
DEQUE = "collections.deque"
STREAM = "io.StringIO"
_HOLDING = frozenset(CONTENT.values())
_UNUSED = frozenset(f"threading.{name}" for name in ("Lock", "RLock", "Condition", "Event"))
"""Classes whose objects, as long as nobody uses them, are what a call without arguments gives."""
_SCALAR_DEFAULTS: dict[Type, Atom] = {BOOL: False, STR: "", FLOAT: 0.0, BYTES: b"", NONE: None}


@dataclass(slots=True)
class Concrete:
    """Inputs that follow the path, and what they lead to."""

    inputs: Inputs
    expected: Expected
    aliases: frozenset[frozenset[str]] = field(default_factory=frozenset)


def concretise(state: State, call: Call) -> Concrete:
    """Solve the path and write down its inputs and outcome."""
    return Concretiser(state, call).result()


class Concretiser:
    """Walks the object graph once before and once after the call, with the same names for the same objects."""

    def __init__(self, state: State, call: Call) -> None:
        self.state = state
        self.call = call
        self.program: Program = state.heap.inputs.program
        self.model = state.pc.model(telling=telling(state, call))
        self.heap = state.heap.concrete(self.model)
        self.before: Heap = {}
        self.after: Heap = {}
        self.ids: dict[Ref, str] = {}
        self.taken: set[str] = set()
        self.settled: dict[Unknown, Value] = {}
        self.building: dict[str, str] = {}
        self.language_bases: dict[str, str | None] = {}
        self.visiting: set[Ref] = set()

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

    def chosen(self, value: Symbolic) -> Symbolic:
        """The one that a conditional value is here, with known inputs looked up."""
        value = self.heap.chosen(value, self.model)
        if isinstance(value, Unknown) and value in self.heap.bind:
            return self.chosen(self.heap.bind[value])
        return value

    def scalar(self, value: Symbolic) -> Symbolic:
        return terms.evaluate(value, self.model) if isinstance(value, Term) else value

    def named_class(self, name: str) -> Named:
        cls = self.program.classes.get(name)
        if cls is None or (cls.external and not name.startswith(f"{cls.module}.")) or not cls.module:
            return Named("builtins", name)
        return Named(cls.module, name.removeprefix(f"{cls.module}."))

    def plain(self, value: Symbolic) -> Value | None:
        """The values that look the same before and after."""
        if isinstance(value, Unread):
            return Named(value.cls, value.name)
        value = self.scalar(value)
        if is_foreign(value):
            return written(value)
        if value is None or isinstance(value, bool | int | float | str | bytes):
            return Literal(value)
        if isinstance(value, ClassRef):
            return self.named_class(value.name)
        if isinstance(value, FunctionRef):
            cls = self.program.classes[value.cls]
            prefix = value.cls.removeprefix(cls.module).removeprefix(".")
            return Named(cls.module, f"{prefix}.{value.name}" if prefix else value.name)
        if isinstance(value, InputFunction):
            return Lambda("value", takes_more_arguments(self.state), takes_no_argument(self.state))
        if isinstance(value, NativeRef):
            return library_name(value.name)
        if isinstance(value, Hash):
            found = hash_number(value)
            if found is None:
                raise Unsupported("the hash of a text or an object, which differs between runs, in a test's result")
            return Literal(found)
        if isinstance(value, RangeValue | SliceValue):
            return self.bounds(value)
        return None

    def bounds(self, value: RangeValue | SliceValue) -> Written:
        """A range or slice, with a step where it is not the usual one."""
        kind, usual = ("range", 1) if isinstance(value, RangeValue) else ("slice", None)
        parts = [self.scalar(self.chosen(part)) for part in (value.start, value.stop, value.step)]
        if not all(part is None or isinstance(part, int) for part in parts):
            raise Unsupported(f"a {kind} object of other things than integers in a test's inputs or results")
        shown = parts if parts[2] != usual else parts[1:2] if parts[0] == 0 and usual else parts[:2]
        return Written("", f"{kind}({', '.join(map(repr, shown))})")

    def kept(self, ref: Ref) -> Named | None:
        """The name of an object that is the default of a parameter."""
        for known, cls, name in self.state.heap.inputs.omitted.values():
            if known is ref:
                owner = self.program.classes[cls]
                inside = cls.removeprefix(owner.module).removeprefix(".")
                return Named(owner.module, f"{inside}.{name}" if inside else name)
        return None

    def member(self, ref: Ref) -> Named:
        """A member of an enumeration, by its name."""
        cls = self.named_class(ref.cls)
        if ref.name not in self.state.heap.inputs.enumerations[ref.cls]:
            value = self.state.heap.inputs.flag_value(ref)
            return Named(cls.module, cls.name, value)
        return Named(cls.module, f"{cls.name}.{ref.name}")

    def identify(self, ref: Ref) -> str:
        known = self.ids.get(ref)
        if known is None:
            wanted = ref.name or "new"
            number = 1
            known = wanted if ref.name else f"{wanted}{number}"
            while known in self.taken:
                number += 1
                known = f"{wanted}{number}"
            self.taken.add(known)
            self.ids[ref] = known
        return known

    # Before the call.

    def first(self, value: Symbolic) -> Value:
        """The value as a test must provide it."""
        value = self.chosen(value)
        if isinstance(value, Unknown):
            return self.unknown(value)
        if isinstance(value, tuple):
            return TupleValue(tuple(self.first(v) for v in value))
        if isinstance(value, Ref):
            return self.first_object(value)
        plain = self.plain(value)
        assert plain is not None, value
        return plain

    def unknown(self, unknown: Unknown) -> Value:
        if unknown not in self.settled:
            options = self.heap.options(unknown)
            if unknown in passed_on(self.state, self.call):
                # Whether it arrives where it should does not show when it is nothing.
                options = tuple(option for option in options if option != NONE) or options
            self.settled[unknown] = self.default(_simplest(options), unknown.name)
        return self.settled[unknown]

    def first_object(self, ref: Ref) -> Value:
        if (kept := self.kept(ref)) is not None:
            return kept
        if ref.cls in self.state.heap.inputs.enumerations:
            return self.member(ref)
        name = self.identify(ref)
        if name in self.before or ref in self.visiting:
            return Pointer(name)
        self.visiting.add(ref)
        content = self.heap.first.get(ref)
        made: HeapState
        if isinstance(content, InitialList):
            made = SequenceState("list", self.initial_items(content))
        elif isinstance(content, InitialDict):
            entries = tuple((self.first(k), self.first(v)) for k, v in content.entries)
            made = (
                SequenceState("set", tuple(k for k, _ in entries)) if content.kind == "set" else MappingState(entries)
            )
        else:
            made = self.initial_fields(ref, content or {})
        self.before[name] = made
        return Pointer(name)

    def initial_items(self, content: InitialList) -> tuple[Value, ...]:
        size = int(self.scalar(content.length))
        if size > LONGEST:
            raise Unsupported(f"the path needs a list of {size} elements")
        # Where two entries are about the same place, the older one is what the list held.
        known = {self.scalar(i): self.first(v) for i, v in reversed(content.entries)}
        return tuple(known[i] if i in known else self.default(content.element, f"element{i}") for i in range(size))

    def library_input(self, content: dict[str, Symbolic], cls: str) -> HeapState:
        """An input object of a modelled library class; a queue or a stream can be written down."""
        if cls == STREAM:
            text = self.scalar(self.chosen(content.get("_text", "")))
            return StreamState(text, 0, False)
        if cls in _UNUSED:
            return _unused(cls)
        if cls != DEQUE or self.chosen(content.get("maxlen")) is not None:
            raise Unsupported(f"an input of class {cls}")
        inner = self.chosen(content.get("_items"))
        held = self.heap.first.get(inner) if isinstance(inner, Ref) else None
        return SequenceState("deque", self.initial_items(held) if isinstance(held, InitialList) else ())

    def initial_fields(self, ref: Ref, content: dict[str, Symbolic]) -> HeapState:
        cls = self.exact_class(ref)
        if cls in self.program.classes and self.program.classes[cls].model:
            return self.library_input(content, cls)
        fields: list[tuple[str, Value]] = []
        for name, declared in self.program.all_fields(cls).items():
            shown = self.shown_field(cls, name)
            if name in content:
                fields.append((shown, self.first(content[name])))
            elif declared.type != ANY and self.program.find_method(cls, name) is None:
                fields.append((shown, self.default(declared.type, f"{ref.name}.{name}")))
        named = self.named_class(cls)
        return ObjectState(named.name, named.module, tuple(fields))

    def shown_field(self, cls: str, name: str) -> str:
        """The field as a test calls it; what extends a collection holds its elements in no attribute."""
        if name not in _HOLDING or name != CONTENT.get(self.language_base(cls) or ""):
            return name
        return "<dict>" if name == "_entries" else "<list>"

    def exact_class(self, ref: Ref) -> str:
        bound = self.heap.class_bound(ref)
        if bound.exact:
            return bound.bound
        classes = possible_classes(self.heap, ref)
        if not classes:
            raise Unsupported(f"no concrete class is known for {ref.name} ({bound.bound})")
        return bound.bound if bound.bound in classes else classes[0]

    def default(self, type: Type, name: str) -> Value:
        """The simplest value of a type, for inputs that the path never looks at."""
        if isinstance(type, UnionType):
            return self.default(_simplest(type.options), name)
        if type == FUNCTION:
            return Lambda("value", takes_more_arguments(self.state), takes_no_argument(self.state))
        if type == INT:
            low, high = self.state.heap.inputs.int_range or (0, 0)
            return Literal(min(max(0, low), high))
        if type in _SCALAR_DEFAULTS:
            return Literal(_SCALAR_DEFAULTS[type])
        if isinstance(type, Scalar) and type.name in LIBRARY_OBJECTS:
            return written(samples(type)[0]) or Literal(None)
        if named_class(type) is not None:
            return self.plain(samples(type)[0]) or Literal(None)
        if isinstance(type, TupleType):
            return TupleValue(tuple(self.default(e, f"{name}[{i}]") for i, e in enumerate(type.elements)))
        if isinstance(type, ClassType | RecordType) and type.name in self.state.heap.inputs.records:
            keys = [k for k in self.state.heap.inputs.records[type.name] if k.kind != "keyword"]
            entries = ((Literal(k.name), self.default(k.type, f"{name}[{k.name!r}]")) for k in keys)
            return self.add_default(name, MappingState(tuple(entries)))
        if isinstance(type, ClassType | MemberType):
            members = self.state.heap.inputs.members(type.name)
            if members:
                return self.member(members[0])
        if isinstance(type, ClassType) and type.name in self.program.classes and self.program.classes[type.name].model:
            # Nothing looks at it, so it need not be what it should be where that cannot be written down.
            if type.name == STREAM:
                return self.add_default(name, StreamState("", 0, False))
            if type.name in _UNUSED:
                return self.add_default(name, _unused(type.name))
            return self.add_default(name, SequenceState("deque", ())) if type.name == DEQUE else Literal(None)
        if isinstance(type, ClassType):
            return self.default_object(type, name)
        if isinstance(type, ListType | ArrayType):
            return self.add_default(name, SequenceState("list", ()))
        if isinstance(type, SetType):
            return self.add_default(name, SequenceState("set", ()))
        if isinstance(type, DictType):
            return self.add_default(name, MappingState(()))
        return Literal(None)

    def add_default(self, name: str, made: HeapState) -> Pointer:
        unique, number = name, 1
        while unique in self.taken:
            number += 1
            unique = f"{name}{number}"
        self.taken.add(unique)
        self.before[unique] = made
        self.after[unique] = made
        return Pointer(unique)

    def default_object(self, type: ClassType, name: str) -> Value:
        if type.name in self.building:
            return Pointer(self.building[type.name])
        inputs = self.state.heap.inputs
        inputs.need_known_class(type.name)
        cls = next((c for c in inputs.subclasses(type.name) if not self.program.classes[c].abstract), None)
        if cls is None:
            raise Unsupported(f"no concrete class is known for {name} ({type.name})")
        unique, number = name, 1
        while unique in self.taken:
            number += 1
            unique = f"{name}{number}"
        self.taken.add(unique)
        self.building[type.name] = unique
        fields = tuple(
            (self.shown_field(cls, field_name), self.default(declared.type, f"{unique}.{field_name}"))
            for field_name, declared in self.program.all_fields(cls).items()
            if declared.type != ANY and self.program.find_method(cls, field_name) is None
        )
        del self.building[type.name]
        named = self.named_class(cls)
        self.before[unique] = self.after[unique] = ObjectState(named.name, named.module, fields)
        return Pointer(unique)

    # After the call.

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
        if cls == DEQUE and self.chosen(cell.get("maxlen")) is None:
            if "_items" not in cell:
                return self.before.get(name, SequenceState("deque", ()))
            items = self.final_state(self.chosen(cell["_items"]), name)
            return SequenceState("deque", items.items if isinstance(items, SequenceState) else ())
        if cls == STREAM:
            return self.stream_state(cell, name)
        if cls in _UNUSED:
            return _unused(cls)
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

    def language_base(self, cls: str) -> str | None:
        """What a class inherits instead of a class of the language."""
        if cls not in self.language_bases:
            found = base_of(self.program, cls)
            self.language_bases[cls] = None if found in WITHOUT_CONTENT else found
        return self.language_bases[cls]

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


def _unused(cls: str) -> UnusedState:
    module, _, name = cls.rpartition(".")
    return UnusedState(name, module)


def _simplest(options: tuple[Type, ...]) -> Type:
    return NONE if NONE in options else options[0]
