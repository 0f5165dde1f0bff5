"""The interface of every heap, and what all of them share: created objects, inputs and their first values.

A heap answers the operations of Figure 8 of the tutorial (fields, items, reference tests) for
references that may still be unknown. How a reference to an input object is resolved is what the
implementations differ in: see `aliasing.py`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from everypath.errors import Unsupported
from everypath.heap.choice import Alternative, Fixed, Fork, TooLarge
from everypath.heap.inputs import Inputs as Inputs
from everypath.heap.values import (
    UNBOUND,
    Data,
    DictCell,
    InitialDict,
    InitialList,
    InputFunction,
    Keyed,
    OneOf,
    OpenList,
    Ref,
    Unknown,
    Value,
)
from everypath.ir.instructions import Param
from everypath.ir.types import (
    ANY,
    FUNCTION,
    INT,
    NONE,
    STR,
    ArrayType,
    ClassType,
    DataType,
    DictType,
    ListType,
    MemberType,
    RecordType,
    Scalar,
    SetType,
    TupleType,
    Type,
)
from everypath.logic.condition import Infeasible, PathCondition
from everypath.logic.terms import Model, Term


class Bind:
    """The unknown input is this value."""

    __slots__ = ("unknown", "value")

    def __init__(self, unknown: Unknown, value: Value) -> None:
        self.unknown = unknown
        self.value = value

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.bind[self.unknown] = self.value
        return heap.agrees()


class Narrow:
    """The unknown input has one of these types."""

    __slots__ = ("options", "unknown")

    def __init__(self, unknown: Unknown, options: tuple[Type, ...]) -> None:
        self.unknown = unknown
        self.options = options

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.narrow(self.unknown, self.options)
        return heap.agrees()


class Allocate:
    """The unknown reference is an input object of its own."""

    __slots__ = ("unknown",)

    def __init__(self, unknown: Unknown) -> None:
        self.unknown = unknown

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.allocate_input(self.unknown)
        return not heap.inputs.assumptions or heap.agrees()


class Alias:
    """The unknown reference is this input object, whose class is then at least the reference's."""

    __slots__ = ("ref", "type", "unknown")

    def __init__(self, unknown: Unknown, ref: Ref, type: Type) -> None:
        self.unknown = unknown
        self.ref = ref
        self.type = type

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.bind[self.unknown] = self.ref
        if isinstance(self.type, ClassType) and self.type.name != self.ref.cls:
            bound = heap.class_bound(self.ref)
            if not heap.inputs.program.is_subclass(bound.bound, self.type.name):
                heap.restrict(self.ref, ClassBound(self.type.name, bound.excluded))
        return heap.agrees()


class MadeBy:
    """The unknown input is a value of one of these constructors."""

    __slots__ = ("constructors", "unknown")

    def __init__(self, unknown: Unknown, *constructors: str) -> None:
        self.unknown = unknown
        self.constructors = constructors

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        type = heap.data_type(self.unknown)
        assert type is not None
        heap.narrow(self.unknown, (DataType(type.name, type.arguments, self.constructors),))
        ascending = heap.inputs.ascends(self.unknown) if self.unknown in heap.bind else True
        if ascending is False or (isinstance(ascending, Term) and not pc.require(ascending)):
            return False
        return heap.agrees()


class MakeRecord:
    """The unknown input is a dict with just these keys."""

    __slots__ = ("keys", "unknown")

    def __init__(self, unknown: Unknown, keys: tuple[Param, ...]) -> None:
        self.unknown = unknown
        self.keys = keys

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.make_record(self.unknown, self.keys)
        return heap.agrees()


def without_null(options: tuple[Type, ...]) -> tuple[Type, ...]:
    """The types that are left when the value is not null."""
    if len(options) == 2:
        return (options[1],) if options[0] == NONE else (options[0],)
    return tuple(o for o in options if o != NONE)


class ClassBound:
    """The class of an input object lies below `bound` and outside `excluded`; exact when `exact`."""

    __slots__ = ("bound", "exact", "excluded")

    def __init__(self, bound: str, excluded: tuple[str, ...] = (), exact: bool = False) -> None:
        self.bound = bound
        self.excluded = excluded
        self.exact = exact


@cache
def _at_first(cls: str, exact: bool) -> ClassBound:
    """What is known about the class of an object before anything was learnt; asked for at every field that is read."""
    return ClassBound(cls, exact=exact)


class Heap:
    """Objects and what is known about unknown inputs; copied when a path forks."""

    __slots__ = ("bind", "bounds", "cells", "first", "inputs", "keyed", "narrowed")

    disjunctive: ClassVar[bool] = False
    """whether values may be conditional, and tests of references conditions"""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.cells: dict[Ref, Any] = {}
        """current content of each object: a dict of fields, or one of the cells in `values.py`; never
        changed in place, so that copies of the heap may share them"""
        self.bind: dict[Unknown, Value] = {}
        self.narrowed: dict[Unknown, tuple[Type, ...]] = {}
        self.first: dict[Ref, Any] = {}
        """initial content of the input objects, as far as it was looked at"""
        self.bounds: dict[Ref, ClassBound] = {}
        self.keyed = Keyed()

    def copy(self) -> Heap:
        """An independent heap with the same content; the dicts that rarely change are replaced when they do."""
        new = object.__new__(type(self))
        new.inputs = self.inputs
        new.cells = self.cells.copy()
        new.bind = self.bind.copy()
        new.narrowed = self.narrowed
        new.first = self.first
        new.bounds = self.bounds
        new.keyed = self.keyed
        return new

    @property
    def entangled(self) -> bool:
        """Whether what is learnt about one input may say something about others."""
        return False

    def attach(self, pc: PathCondition) -> None:
        """Make the path condition known; a heap that never asks it does not need to."""

    def learnt(self) -> None:
        """Something became known about an input without a question to the path."""

    def agrees(self) -> bool:
        """Whether what was just learnt about an input goes together with the path so far."""
        return True

    def aliases(self, unknown: Unknown, type: Type) -> list[Ref]:
        """The input objects that an unknown reference of this type may be; none, unless a heap knows some."""
        return []

    def narrow(self, unknown: Unknown, options: tuple[Type, ...]) -> None:
        """Record that the input has one of these types; a single plain type gets its value at once."""
        self.narrowed = {**self.narrowed, unknown: options}
        if len(options) == 1 and isinstance(options[0], (Scalar, TupleType)):
            value = self.inputs.fresh(options[0], unknown.name)
            if not isinstance(value, Unknown):
                self.bind[unknown] = value
        elif len(options) == 1 and isinstance(options[0], DataType):
            constructors = self.inputs.constructors(options[0])
            if len(constructors) == 1:
                self.make(unknown, next(iter(constructors)))

    def options(self, unknown: Unknown) -> tuple[Type, ...]:
        """The types that are still possible."""
        return self.narrowed.get(unknown, unknown.options)

    def data_type(self, unknown: Unknown) -> DataType | None:
        """The type of an input that is a value of an algebraic data type; None for other inputs."""
        options = self.options(unknown)
        only = options[0] if len(options) == 1 else None
        return only if isinstance(only, DataType) else None

    def make(self, unknown: Unknown, constructor: str) -> Data:
        """Learn which constructor an input was made by."""
        type = self.data_type(unknown)
        assert type is not None
        value = self.bind[unknown] = self.inputs.made_by(unknown, type, constructor)
        self.learnt()
        return value

    def is_made_by(self, unknown: Unknown, constructor: str) -> bool:
        """Whether an input that is not bound was made by the constructor; forks when that is open."""
        type = self.data_type(unknown)
        assert type is not None
        constructors = self.inputs.constructors(type)
        if constructor not in constructors:
            return False
        if len(constructors) == 1:
            self.make(unknown, constructor)
            return True
        others = (name for name in constructors if name != constructor)
        raise Fork((MadeBy(unknown, constructor), MadeBy(unknown, *others)))

    def is_null(self, value: Value) -> bool:
        """Whether the value is null, without asking which object it is otherwise."""
        if value is None:
            return True
        if value.__class__ is not Unknown:
            return False
        if value in self.bind:
            return self.bind[value] is None
        options = self.options(value)
        if options == (ANY,):
            what = f"nothing tells the type of {value.name}; None and integers are tried"
            raise Fixed(what, (Bind(value, None), Narrow(value, (INT,))))
        if NONE not in options:
            return False
        raise Fork((Bind(value, None), Narrow(value, without_null(options))))

    def null_of(self, value: Value) -> bool | Term:
        """The condition under which a value is null; heaps without conditional values decide it."""
        return self.is_null(value)

    def classes_of(self, value: Value) -> list[str]:
        """The classes that a reference may have if it is not null; empty when it may be no object of a class."""
        return []

    def classes_of_choice(self, choice: OneOf) -> list[str]:
        """The classes of all alternatives that are not null; empty when one may be no object of a class."""
        return []

    def field_of_choice(self, choice: OneOf, name: str) -> Value:
        """The field of whichever object the value is; UNBOUND where that is not a plain field of them all."""
        return UNBOUND

    def set_field_of_choice(self, choice: OneOf, name: str, value: Value) -> bool:
        """Assign the field of whichever object it is, where that is a plain field of them all."""
        return False

    def settled(self, value: Value) -> Value:
        """The alternative that a conditional value is, and what an input is bound to; an input may stay open."""
        return self.bind.get(value, value) if value.__class__ is Unknown else value

    def resolve(self, value: Value) -> Value:
        """The value itself when it was an unknown input: null, a scalar, or one particular object."""
        if value.__class__ is not Unknown:
            return value
        if value in self.bind:
            return self.bind[value]
        options = self.options(value)
        if len(options) > 1:
            raise Fork(tuple(Bind(value, None) if o == NONE else Narrow(value, (o,)) for o in options))
        (only,) = options
        if isinstance(only, Scalar):
            self.narrow(value, options)
            if value in self.bind:
                return self.bind[value]
        elif isinstance(only, TupleType):
            return self._choose_tuple(value, only)
        elif isinstance(only, RecordType):
            return self._choose_record(value, only)
        elif isinstance(only, MemberType):
            raise Fork(tuple(Bind(value, self.member(ref)) for ref in self.inputs.members(only.name)))
        elif isinstance(only, DataType):
            constructors = tuple(self.inputs.constructors(only))
            if len(constructors) > 1:
                raise Fork(tuple(MadeBy(value, name) for name in constructors))
            return self.make(value, constructors[0])
        elif isinstance(only, (ClassType, ListType, DictType, SetType, ArrayType)):
            aliases = self.aliases(value, only)
            if aliases:
                raise Fork((Allocate(value), *(Alias(value, ref, only) for ref in aliases)))
            self.allocate_input(value)
            # Two names of one object reach what it holds, so an object of its own can break an assumption as well.
            if self.inputs.assumptions and not self.agrees():
                raise Infeasible
            return self.bind[value]
        if not self.inputs.program.data:
            self._sample(value, only)
        # Where there are data types, every type is declared, and no other can be given.
        advice = "" if self.inputs.program.data else "; give it a type with an annotation or --types"
        raise Unsupported(f"the input {value.name} has the type {only}, which cannot be symbolic{advice}")

    def _sample(self, unknown: Unknown, type: Type) -> None:
        """Try some values of a type that has no terms; integers where the type is not known."""
        if type == ANY:
            raise Fixed(f"nothing tells the type of {unknown.name}; integers are tried", (Narrow(unknown, (INT,)),))
        if type == FUNCTION:
            raise Fork((Bind(unknown, self.inputs.callables[unknown.name]), Bind(unknown, InputFunction(unknown.name))))
        tried = self.inputs.knowledge.samples(type)
        if tried:
            alternatives = tuple(Bind(unknown, value) for value in tried)
            raise Fixed(f"{len(tried)} values of type {type} are tried for {unknown.name}", alternatives)

    def _choose_record(self, unknown: Unknown, type: RecordType) -> Value:
        """An input dict with all its keys; any of up to three optional ones may be missing, of more only all.

        The result says so where not all sets of keys are tried.
        """
        keys = self.inputs.records[type.name]
        required = tuple(key for key in keys if key.kind != "keyword")
        optional = tuple(key for key in keys if key.kind == "keyword")
        if not optional:
            return self.make_record(unknown, keys)
        if len(optional) > 3:
            what = f"{unknown.name} is tried with all and with none of its {len(optional)} optional keys"
            raise Fixed(what, tuple(MakeRecord(unknown, (*required, *chosen)) for chosen in (optional, ())))
        sets = [tuple(k for at, k in enumerate(optional) if number >> at & 1) for number in range(2 ** len(optional))]
        raise Fork(tuple(MakeRecord(unknown, (*required, *chosen)) for chosen in reversed(sets)))

    def make_record(self, unknown: Unknown, keys: tuple[Param, ...]) -> Ref:
        """The unknown input is a dict with just these keys."""
        entries = tuple(
            (key.name, self.inputs.part(unknown, key.name, key.type, f"{unknown.name}[{key.name!r}]")) for key in keys
        )
        ref = self.inputs.object_for(unknown, DictType(STR, ANY))
        self.cells[ref] = DictCell(entries, initial=len(entries), name=unknown.name, key=STR, value=ANY)
        self.remember(ref, InitialDict("dict", entries))
        self.bind[unknown] = ref
        return ref

    def _choose_tuple(self, unknown: Unknown, type: TupleType) -> Value:
        assert type.rest is not None
        choices: list[Alternative] = []
        for extra in range(self.inputs.fixed_length + 1):
            elements = (*type.elements, *([type.rest] * extra))
            value = tuple(self.inputs.fresh(e, f"{unknown.name}[{i}]") for i, e in enumerate(elements))
            choices.append(Bind(unknown, value))
        raise Fork((*choices, TooLarge(unknown.name)))

    def allocate_input(self, unknown: Unknown) -> Ref:
        """Give the unknown reference an input object of its own."""
        (type,) = self.options(unknown)
        ref = self.new_input(unknown, type)
        self.bind[unknown] = ref
        return ref

    def new_input(self, unknown: Unknown, type: Type) -> Ref:
        """An input object of the type, nothing of which has been looked at."""
        ref = self.inputs.object_for(unknown, type)
        if isinstance(type, ClassType):
            self.cells[ref] = {}
            self.remember(ref, {})
        elif isinstance(type, (ListType, ArrayType)):
            length = self.inputs.length(unknown)
            self.cells[ref] = OpenList(unknown.name, type.element, length)
            self.remember(ref, InitialList(type.element, length))
        elif isinstance(type, DictType):
            self.cells[ref] = DictCell(open=True, name=unknown.name, key=type.key, value=type.value)
            self.remember(ref, InitialDict("dict"))
        else:
            assert isinstance(type, SetType)
            self.cells[ref] = DictCell(kind="set", open=True, name=unknown.name, key=type.element, frozen=type.frozen)
            self.remember(ref, InitialDict("frozenset" if type.frozen else "set"))
        return ref

    def new_object(self, cls: str, cell: Any = None) -> Ref:
        """An object created by the program; it aliases no input."""
        ref = Ref(cls)
        self.cells[ref] = {} if cell is None else cell
        return ref

    def member(self, ref: Ref) -> Ref:
        """A member of an enumeration, made known on this path."""
        if ref not in self.cells:
            self.cells[ref] = self.inputs.knowledge.member_fields(ref.name, self.inputs.flag_value(ref))
        return ref

    def get(self, ref: Ref, name: str) -> Value:
        """The current value of a field, or UNBOUND if the object has none."""
        return self.cells[ref].get(name, UNBOUND)

    def input_field(self, ref: Ref, name: str, type: Type) -> Value:
        """The value that a field of an input object had at the start, read for the first time."""
        value = self.inputs.field(ref, name, type)
        if ref.origin and isinstance(value, Unknown) and self.inputs.program.classes[ref.cls].model:
            value.inside = (ref.origin, name)
        self.remember(ref, {**self.first[ref], name: value})
        self.cells[ref] = {**self.cells[ref], name: value}
        return value

    def set_field(self, ref: Ref, name: str, value: Value) -> None:
        """Assign a field."""
        self.cells[ref] = {**self.cells[ref], name: value}

    def delete_field(self, ref: Ref, name: str) -> None:
        """Remove a field."""
        self.cells[ref] = {key: value for key, value in self.cells[ref].items() if key != name}

    def before_change(self, ref: Ref) -> None:
        """Ask what must be known before the content of a list changes."""

    def set_cell(self, ref: Ref, cell: Any) -> None:
        """Give a list other content, or describe the same content in another way."""
        self.cells[ref] = cell

    def concrete(self, model: Model) -> Heap:
        """The heap in which everything that the model decides is decided."""
        return self

    def chosen(self, value: Value, model: Model) -> Value:
        """The value that a conditional one is under the model."""
        return value

    def resolve_member(self, value: Value) -> Value:
        """The value, decided where it is an input that may be a known object: a member of an enumeration, a default."""
        omitted = self.inputs.omitted
        if value.__class__ is Unknown and any(isinstance(o, MemberType) or o in omitted for o in self.options(value)):
            return self.resolve(value)
        return value

    def class_bound(self, ref: Ref) -> ClassBound:
        """What is known about the object's class."""
        if ref in self.bounds:
            return self.bounds[ref]
        return _at_first(ref.cls, not ref.open)

    def remember(self, ref: Ref, content: Any) -> None:
        """Learn what an input object held at the start."""
        self.first = {**self.first, ref: content}

    def restrict(self, ref: Ref, bound: ClassBound) -> None:
        """Learn more about the object's class."""
        self.bounds = {**self.bounds, ref: bound}

    def same(self, left: Value, right: Value) -> bool | Term:
        """Reference equality (`ref_eq`): decides what it needs to know about unknown references."""
        if left is right:
            return True
        if left is None:
            return self.is_null(right)
        if right is None:
            return self.is_null(left)
        if self.inputs.enumerations or self.inputs.omitted:
            left, right = self.resolve_member(left), self.resolve_member(right)
            if left is right:
                return True
        left_unknown, right_unknown = left.__class__ is Unknown, right.__class__ is Unknown
        if (left_unknown and right.__class__ is Ref and not right.input) or (
            right_unknown and left.__class__ is Ref and not left.input
        ):
            return False
        if left_unknown:
            left = self.resolve(left)
        if right_unknown:
            right = self.resolve(right)
        return left is right
