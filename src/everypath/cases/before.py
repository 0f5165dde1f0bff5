"""The objects before a call as a test must make them.

The path's condition is solved once. The walk starts at the arguments and follows references through the heap as it
was at first; where the path has looked, the solution says what is there, and where it has not, the simplest value of
the declared type is put. Each object gets a name when it is first met, so that sharing and cycles come out as
references to the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from everypath.cases import model
from everypath.cases.describing import Describer
from everypath.cases.discriminating_inputs import passed_on, telling
from everypath.cases.standins import function_value, object_state
from everypath.errors import Unsupported
from everypath.explore.objects import possible_classes
from everypath.explore.search.exploration import Call
from everypath.explore.state import State
from everypath.heap.inputs import declared_class
from everypath.heap.values import (
    UNBOUND,
    Hash,
    InitialDict,
    InitialList,
    InputFunction,
    Ref,
    Unknown,
    Unread,
)
from everypath.heap.values import Value as Symbolic
from everypath.ir import types
from everypath.ir.instructions import ClassRef, ConstValue, FunctionRef, NativeRef, NoDefault, StaticDefault
from everypath.ir.names import interface_of, stand_in, without_arguments
from everypath.ir.program import Program
from everypath.logic import terms
from everypath.logic.terms import Term

LONGEST = 2_000
_SCALAR_DEFAULTS: dict[types.Type, model.Atom] = {
    types.BOOL: False, types.INT: 0, types.STR: "", types.FLOAT: 0.0, types.BYTES: b"", types.NONE: None,
}  # fmt: skip
_DISTINCT: dict[types.Type, Callable[[], Iterable[model.Atom]]] = {
    types.INT: lambda: range(2, 100),
    types.STR: lambda: map(chr, range(ord("a"), ord("z") + 1)),
    types.FLOAT: lambda: (number + 0.5 for number in range(1, 100)),
    types.SOME: lambda: range(2, 100),
}
"""Values that can be told from each other, and from those that show nothing, such as zero."""


class Before:
    """Walks the object graph before the call; each object keeps the name that it gets here."""

    def __init__(self, state: State, call: Call, describer: Describer) -> None:
        self.state = state
        self.call = call
        self.describer = describer
        self.program: Program = state.heap.inputs.program
        self.model = describer.model(state, telling(state, call))
        self.heap = state.heap.concrete(self.model)
        self.before: model.Heap = {}
        self.after: model.Heap = {}
        self.ids: dict[Ref, str] = {}
        self.taken: set[str] = set()
        self.settled: dict[Unknown, model.Value] = {}
        self.building: dict[str, str] = {}
        self.visiting: set[Ref] = set()
        self.used: set[tuple[type, object]] | None = None
        """the values that inputs have so far; filled when an unused one is first wanted"""
        self.looked_at: list[tuple[str, str]] = []
        """(class, field): the fields of input objects that the path depends on"""

    def chosen(self, value: Symbolic) -> Symbolic:
        """The alternative that a conditional value has in this solution, with known inputs looked up."""
        value = self.heap.chosen(value, self.model)
        if isinstance(value, Unknown) and value in self.heap.bind:
            return self.chosen(self.heap.bind[value])
        return value

    def scalar(self, value: Symbolic) -> Symbolic:
        return terms.evaluate(value, self.model) if isinstance(value, Term) else value

    def named_class(self, name: str) -> model.Named:
        cls = self.program.classes.get(name)
        if cls is None or (cls.external and not name.startswith(f"{cls.module}.")) or not cls.module:
            return model.Named(self.describer.home, name)
        return model.Named(cls.module, name.removeprefix(f"{cls.module}."))

    def plain(self, value: Symbolic) -> model.Value | None:
        """A value that looks the same before and after; None for objects and tuples."""
        if isinstance(value, Unread):
            return model.Named(value.cls, value.name)
        value = self.scalar(value)
        special = self.describer.plain(self, value)
        if special is not None:
            return special
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            return model.Literal(value)
        if isinstance(value, ClassRef):
            return self.named_class(value.name)
        if isinstance(value, FunctionRef):
            return self.attribute(value.cls, value.name)
        if isinstance(value, Hash):
            found = self.state.heap.inputs.knowledge.hash_number(value)
            if found is None:
                raise Unsupported("the hash of a text or an object, which differs between runs, in a test's result")
            return model.Literal(found)
        return None

    def kept(self, ref: Ref) -> model.Named | None:
        """The name of an object that is the default of a parameter."""
        omitted = self.state.heap.inputs.omitted.values()
        return next((self.attribute(cls, name) for known, cls, name in omitted if known is ref), None)

    def attribute(self, cls: str, name: str) -> model.Named:
        """What a class or module has under a name."""
        module = self.program.classes[cls].module
        inside = cls.removeprefix(module).removeprefix(".")
        return model.Named(module, f"{inside}.{name}" if inside else name)

    def member(self, ref: Ref) -> model.Named:
        """A member of an enumeration, by its name."""
        cls = self.named_class(ref.cls)
        if ref.name not in self.state.heap.inputs.enumerations[ref.cls]:
            value = self.state.heap.inputs.flag_value(ref)
            return model.Named(cls.module, cls.name, value)
        return model.Named(cls.module, f"{cls.name}.{ref.name}")

    def unused(self, wanted: str, numbered: bool = False) -> str:
        """A name that no object has yet; a number is added if needed, and with `numbered` always."""
        name, number = f"{wanted}1" if numbered else wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}{number}"
        self.taken.add(name)
        return name

    def identify(self, ref: Ref) -> str:
        """The name of an object in the case: the path to it, if that is known."""
        if ref not in self.ids:
            self.ids[ref] = self.unused(ref.name) if ref.name else self.unused("new", numbered=True)
        return self.ids[ref]

    def first(self, value: Symbolic) -> model.Value:
        """The value as a test must provide it."""
        value = self.chosen(value)
        if isinstance(value, Unknown):
            return self.unknown(value)
        if isinstance(value, tuple):
            return model.TupleValue(tuple(self.first(v) for v in value))
        if isinstance(value, Ref):
            return self.first_object(value)
        if isinstance(value, InputFunction):
            return function_value(self, value)
        plain = self.plain(value)
        assert plain is not None, value
        return plain

    def unknown(self, unknown: Unknown) -> model.Value:
        if unknown not in self.settled:
            options = self.heap.options(unknown)
            if unknown in passed_on(self.state, self.call):
                # Whether it arrives where it should does not show when it is nothing.
                options = tuple(option for option in options if option != types.NONE) or options
            self.settled[unknown] = self.default(_simplest(options), unknown.name)
        return self.settled[unknown]

    def first_object(self, ref: Ref) -> model.Value:
        if (kept := self.kept(ref)) is not None:
            return kept
        if ref.cls in self.state.heap.inputs.enumerations:
            return self.member(ref)
        name = self.identify(ref)
        # An object that is being written down further out is a cycle: its name is enough here.
        if name in self.before or ref in self.visiting:
            return model.Pointer(name)
        self.visiting.add(ref)
        content = self.heap.first.get(ref)
        made: model.HeapState
        if isinstance(content, InitialList):
            made = model.SequenceState("list", self.initial_items(content))
        elif isinstance(content, InitialDict):
            entries = tuple((self.first(k), self.first(v)) for k, v in content.entries)
            made = (
                model.MappingState(entries)
                if content.kind == "dict"
                else model.SequenceState(content.kind, tuple(k for k, _ in entries))
            )
        else:
            made = self.initial_fields(ref, content or {})
        self.before[name] = made
        return model.Pointer(name)

    def initial_items(self, content: InitialList) -> tuple[model.Value, ...]:
        size = int(terms.evaluate(content.length, self.model))
        if size > LONGEST:
            raise Unsupported(f"the path needs a list of {size} elements")
        # If two entries turn out to be about the same place, the older one is what the list held.
        known = {self.scalar(i): self.first(v) for i, v in reversed(content.entries)}
        return tuple(known[i] if i in known else self.default(content.element, f"element{i}") for i in range(size))

    def initial_fields(self, ref: Ref, content: dict[str, Symbolic]) -> model.HeapState:
        special = self.describer.input_state(self, ref, content)
        if special is not None:
            return special
        cls = self.exact_class(ref)
        if interface_of(cls) is not None:
            return object_state(self, ref, cls, content)
        if cls in self.program.classes and self.program.classes[cls].model:
            return self.describer.library_input(self, cls, declared_class(ref), content)
        fields: list[tuple[str, model.Value]] = []
        for name, declared in self.program.all_fields(cls).items():
            shown = self.describer.field_name(cls, name)
            if name in content and content[name] is UNBOUND:
                # The path has found that there is none.
                continue
            if name in content:
                self.looked_at.append((cls, name))
                fields.append((shown, self.first(content[name])))
            elif self.is_shown_unread(cls, name, declared.type):
                fields.append((shown, self.unread_field(cls, name, declared.type, f"{ref.name}.{name}")))
        named = self.named_class(cls)
        return model.ObjectState(named.name, named.module, tuple(fields))

    def exact_class(self, ref: Ref) -> str:
        bound = self.heap.class_bound(ref)
        if bound.exact:
            return bound.bound
        classes = possible_classes(self.heap, ref)
        if not classes:
            raise Unsupported(f"no concrete class is known for {ref.name} ({bound.bound})")
        return bound.bound if bound.bound in classes else classes[0]

    def is_shown_unread(self, cls: str, field: str, type: types.Type) -> bool:
        """Whether a test sets a field that the path never looks at."""
        if type == types.ANY or self.program.find_method(cls, field) is not None:
            return False
        return self.describer.sets_unread(self.program, cls, field)

    def unread_field(self, cls: str, field: str, type: types.Type, name: str) -> model.Value:
        """The value of a field that the path never looks at: what the constructor puts there, if that is known."""
        constructor = self.program.constructor_of(cls)
        parameter = None
        if constructor is not None and type.__class__ is types.Scalar:
            if field in constructor.constants:
                return _constant(constructor.constants[field]) or self.default(type, name)
            parameter = next((p for p in constructor.params if constructor.sets.get(p.name) == field), None)
            if parameter is not None and not isinstance(parameter.default, (NoDefault, StaticDefault)):
                return _constant(parameter.default) or self.default(type, name)
        if parameter is None and type in _SCALAR_DEFAULTS:
            # No argument sets it, and a constructor most likely leaves it empty.
            return model.Literal(_SCALAR_DEFAULTS[type])
        return self.default(type, name)

    def default(self, type: types.Type, name: str) -> model.Value:
        """The simplest value of a type, for inputs that the path never looks at."""
        make = _DEFAULTS.get(type.__class__)
        return model.Literal(None) if make is None else make(self, type, name)

    def default_scalar(self, type: types.Scalar, name: str) -> model.Value:
        if type.values:
            return model.Literal(type.values[0])
        if type in _DISTINCT:
            return model.Literal(self.distinct(_DISTINCT[type]))
        if type in _SCALAR_DEFAULTS:
            return model.Literal(_SCALAR_DEFAULTS[type])
        if types.has_samples_only(type):
            return self.plain(
                self.state.heap.inputs.knowledge.samples(self.state.heap.inputs, type)[0]
            ) or model.Literal(None)
        return model.Literal(None)

    def distinct(self, values: Callable[[], Iterable[model.Atom]]) -> model.Atom:
        """A value that no other input has, so that a program that mixes up two inputs is caught."""
        if self.used is None:
            self.used = {(value.__class__, value) for value in self.model.values()}
        low, high = self.state.heap.inputs.int_range or (None, None)
        found: model.Atom = None
        for found in values():
            if isinstance(found, int) and low is not None and high is not None:
                found = min(max(found, low), high)
            if (found.__class__, found) not in self.used:
                break
        self.used.add((found.__class__, found))
        return found

    def default_class(self, type: types.ClassType | types.MemberType | types.RecordType, name: str) -> model.Value:
        """The simplest value of a class: a dict for a record, the first member for an enumeration, else an object."""
        inputs = self.state.heap.inputs
        if not isinstance(type, types.MemberType) and type.name in inputs.records:
            keys = [k for k in inputs.records[type.name] if k.kind != "keyword"]
            entries = ((model.Literal(k.name), self.default(k.type, f"{name}[{k.name!r}]")) for k in keys)
            return self.add_default(name, model.MappingState(tuple(entries)))
        if not isinstance(type, types.RecordType) and (members := inputs.members(type.name)):
            return self.member(members[0])
        if not isinstance(type, types.ClassType):
            return model.Literal(None)
        library = type.name in self.program.classes and self.program.classes[type.name].model
        if library and stand_in(type.name) not in self.program.classes:
            # Nothing looks at it, so it need not be what it should be where that cannot be written down.
            made = self.describer.unread_library_input(self.state, type)
            return model.Literal(None) if made is None else self.add_default(name, made)
        return self.default_object(type, name)

    def add_default(self, name: str, made: model.HeapState) -> model.Pointer:
        unique = self.unused(name)
        # The path never looks at it, so it is the same after the call.
        self.before[unique] = self.after[unique] = made
        return model.Pointer(unique)

    def default_object(self, type: types.ClassType, name: str) -> model.Value:
        if type.name in self.building:
            # A class that refers to itself: another object inside would need another one in turn, without end.
            return model.Pointer(self.building[type.name])
        inputs = self.state.heap.inputs
        inputs.need_known_class(type.name)
        cls = next((c for c in inputs.hierarchy.subclasses(type.name) if not self.program.classes[c].abstract), None)
        if cls is None:
            raise Unsupported(f"no concrete class is known for {name} ({type.name})")
        if interface_of(cls) is not None:
            named = self.named_class(without_arguments(type.name))
            return self.add_default(name, model.StandInState(named.name, named.module))
        unique = self.unused(name)
        self.building[type.name] = unique
        fields = tuple(
            (
                self.describer.field_name(cls, field_name),
                self.unread_field(cls, field_name, declared.type, f"{unique}.{field_name}"),
            )
            for field_name, declared in self.program.all_fields(cls).items()
            if self.is_shown_unread(cls, field_name, declared.type)
        )
        del self.building[type.name]
        named = self.named_class(cls)
        self.before[unique] = self.after[unique] = model.ObjectState(named.name, named.module, fields)
        return model.Pointer(unique)


def _constant(value: ConstValue) -> model.Literal | None:
    return None if isinstance(value, (ClassRef, FunctionRef, NativeRef)) else model.Literal(value)


def _simplest(options: tuple[types.Type, ...]) -> types.Type:
    return types.NONE if types.NONE in options else options[0]


_DEFAULTS: dict[type, Callable[[Before, Any, str], model.Value]] = {
    types.UnionType: lambda before, type, name: before.default(_simplest(type.options), name),
    types.Scalar: Before.default_scalar,
    types.TupleType: lambda before, type, name: model.TupleValue(
        # Code that takes a tuple for one with so many elements wants them for something.
        tuple(
            before.default(types.SOME if element == types.ANY else element, f"{name}[{number}]")
            for number, element in enumerate(type.elements)
        )
    ),
    types.FunctionType: lambda before, type, name: function_value(before, InputFunction(name, type)),
    types.ClassType: Before.default_class,
    types.MemberType: Before.default_class,
    types.RecordType: Before.default_class,
    types.ListType: lambda before, type, name: before.add_default(name, model.SequenceState("list", ())),
    types.ArrayType: lambda before, type, name: before.add_default(name, model.SequenceState("list", ())),
    types.SetType: lambda before, type, name: before.add_default(
        name, model.SequenceState("frozenset" if type.frozen else "set", ())
    ),
    types.DictType: lambda before, type, name: before.add_default(name, model.MappingState(())),
}
"""How the simplest value of each kind of type is made."""
