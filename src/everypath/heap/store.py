"""The objects of a heap, and what is known about its inputs.

Nothing here asks a question: `heap.Heap` does, with the answers that `alternatives` lists.
"""

from __future__ import annotations

from functools import cache
from typing import Self

from everypath.heap.inputs import Inputs
from everypath.heap.values import (
    UNBOUND,
    Cell,
    Data,
    DictCell,
    Fields,
    InitialContent,
    InitialDict,
    InitialList,
    Keyed,
    ListCell,
    OpenList,
    Ref,
    Unknown,
    Value,
)
from everypath.ir import types as t
from everypath.ir.instructions import Param
from everypath.ir.types import Type
from everypath.logic.condition import PathCondition
from everypath.records import dataclass


def without_null(options: tuple[Type, ...]) -> tuple[Type, ...]:
    """The types that are left when the value is not null."""
    if len(options) == 2:
        return (options[1],) if options[0] == t.NONE else (options[0],)
    return tuple(o for o in options if o != t.NONE)


@dataclass(slots=True, eq=False)
class ClassBound:
    """What is known about the class of an input object: at or below `bound`, not below `excluded`; `exact`: it is
    `bound`.
    """

    bound: str
    excluded: tuple[str, ...] = ()
    exact: bool = False


@cache
def _at_first(cls: str, exact: bool) -> ClassBound:
    """What is known about an object's class at first; cached, since every read of a field asks for it."""
    return ClassBound(cls, exact=exact)


class Store:
    """Objects and what is known about unknown inputs; copied when a path forks."""

    __slots__ = ("bind", "bounds", "cells", "first", "inputs", "keyed", "narrowed")

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.cells: dict[Ref, Cell] = {}
        """current content of each object: a dict of fields, or one of the cells in `values.py`; never
        changed in place, so that copies of the heap may share them"""
        self.bind: dict[Unknown | Ref, Value] = {}
        self.narrowed: dict[Unknown, tuple[Type, ...]] = {}
        self.first: dict[Ref, InitialContent] = {}
        """initial content of the input objects, as far as it was looked at"""
        self.bounds: dict[Ref, ClassBound] = {}
        self.keyed = Keyed()

    def copy(self) -> Self:
        """An independent heap with the same content."""
        # Copies are made at every fork, so the dicts that rarely change are shared and replaced when they do change.
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
        """Told when something becomes known about an input without a question to the path."""

    def agrees(self) -> bool:
        """Whether what was just learnt about an input is compatible with the path so far."""
        return True

    def narrow(self, unknown: Unknown, options: tuple[Type, ...]) -> None:
        """Record that the input has one of these types; a single plain type gets its value at once."""
        self.narrowed = {**self.narrowed, unknown: options}
        if len(options) == 1 and isinstance(options[0], (t.Scalar, t.TupleType, t.FunctionType)):
            value = self.inputs.fresh(options[0], unknown.name)
            if not isinstance(value, Unknown):
                self.bind[unknown] = value
        elif len(options) == 1 and isinstance(options[0], t.DataType):
            constructors = self.inputs.constructors(options[0])
            if len(constructors) == 1:
                self.make(unknown, next(iter(constructors)))

    def options(self, unknown: Unknown) -> tuple[Type, ...]:
        """The types that are still possible."""
        return self.narrowed.get(unknown, unknown.options)

    def is_open(self, value: Value) -> bool:
        """Whether nothing is known about the type of an input, except perhaps that it is not null."""
        return type(value) is Unknown and value not in self.bind and self.options(value) in ((t.ANY,), (t.SOME,))

    def data_type(self, unknown: Unknown) -> t.DataType | None:
        """The type of an input that is a value of an algebraic data type; None for other inputs."""
        options = self.options(unknown)
        only = options[0] if len(options) == 1 else None
        return only if isinstance(only, t.DataType) else None

    def make(self, unknown: Unknown, constructor: str) -> Data:
        """Learn which constructor an input was made by."""
        type = self.data_type(unknown)
        assert type is not None
        value = self.bind[unknown] = self.inputs.made_by(unknown, type, constructor)
        self.learnt()
        return value

    def make_record(self, unknown: Unknown, keys: tuple[Param, ...]) -> Ref:
        """The unknown input is a dict with just these keys."""
        entries = tuple(
            (key.name, self.inputs.part(unknown, key.name, key.type, f"{unknown.name}[{key.name!r}]")) for key in keys
        )
        ref = self.inputs.object_for(unknown, t.DictType(t.STR, t.ANY))
        self.cells[ref] = DictCell(entries, initial=len(entries), name=unknown.name, key=t.STR, value=t.ANY)
        self.remember(ref, InitialDict("dict", entries))
        self.bind[unknown] = ref
        return ref

    def allocate_input(self, unknown: Unknown) -> Ref:
        """Give the unknown reference an input object of its own."""
        (type,) = self.options(unknown)
        ref = self.new_input(unknown, type)
        self.bind[unknown] = ref
        return ref

    def new_input(self, unknown: Unknown, type: Type) -> Ref:
        """A new input object of the type; nothing has looked into it yet."""
        made = self.inputs.knowledge.made_up(self, unknown, type)
        if made is not None:
            return made
        ref = self.inputs.object_for(unknown, type)
        if isinstance(type, t.ClassType):
            self.cells[ref] = {}
            self.remember(ref, {})
        elif isinstance(type, (t.ListType, t.ArrayType)):
            length = self.inputs.length(unknown)
            self.cells[ref] = OpenList(unknown.name, type.element, length)
            self.remember(ref, InitialList(type.element, length))
        elif isinstance(type, t.DictType):
            self.cells[ref] = DictCell(open=True, name=unknown.name, key=type.key, value=type.value)
            self.remember(ref, InitialDict("dict"))
        else:
            assert isinstance(type, t.SetType)
            self.cells[ref] = DictCell(kind="set", open=True, name=unknown.name, key=type.element, frozen=type.frozen)
            self.remember(ref, InitialDict("frozenset" if type.frozen else "set"))
        return ref

    def new_object(self, cls: str, cell: Cell | None = None) -> Ref:
        """An object created by the program; it aliases no input."""
        ref = Ref(cls)
        self.cells[ref] = {} if cell is None else cell
        return ref

    def fields(self, ref: Ref) -> Fields:
        """The fields of an object that the caller knows to be one of a class."""
        cell = self.cells[ref]
        assert isinstance(cell, dict)
        return cell

    def mapping(self, ref: Ref) -> DictCell:
        """The content of an object that the caller knows to be a dict or set."""
        cell = self.cells[ref]
        assert isinstance(cell, DictCell)
        return cell

    def sequence(self, ref: Ref) -> ListCell | OpenList:
        """The content of an object that the caller knows to be a list."""
        cell = self.cells[ref]
        assert isinstance(cell, (ListCell, OpenList))
        return cell

    def member(self, ref: Ref) -> Ref:
        """A member of an enumeration, made known on this path."""
        if ref not in self.cells:
            self.cells[ref] = self.inputs.knowledge.member_fields(ref.name, self.inputs.flag_value(ref))
        return ref

    def get(self, ref: Ref, name: str) -> Value:
        """The current value of a field, or UNBOUND if the object has none."""
        # As `fields`, without the call: programs read and write fields all the time.
        cell = self.cells[ref]
        assert isinstance(cell, dict)
        return cell.get(name, UNBOUND)

    def input_field(self, ref: Ref, name: str, type: Type) -> Value:
        """The value that a field of an input object had at the start; called when it is first read."""
        value = self.first_value(ref, name, type)
        self.cells[ref] = {**self.fields(ref), name: value}
        return value

    def first_value(self, ref: Ref, name: str, type: Type) -> Value:
        """Note what a field of an input object had at the start, whatever it holds by now."""
        value = self.inputs.field(ref, name, type)
        # What is inside an object of a library model is not reachable by other names than that object's.
        if ref.origin and isinstance(value, Unknown) and self.inputs.program.classes[ref.cls].model:
            value.inside = (ref.origin, name)
        self.remember(ref, {**self.first_fields(ref), name: value})
        return value

    def first_fields(self, ref: Ref) -> dict[str, Value]:
        """What the fields of an input object of a class held at the start, as far as anything looked at them."""
        content = self.first[ref]
        assert isinstance(content, dict)
        return content

    def set_field(self, ref: Ref, name: str, value: Value) -> None:
        """Assign a field."""
        cell = self.cells[ref]
        assert isinstance(cell, dict)
        self.cells[ref] = {**cell, name: value}

    def delete_field(self, ref: Ref, name: str) -> None:
        """Remove a field."""
        self.cells[ref] = {key: value for key, value in self.fields(ref).items() if key != name}

    def before_change(self, ref: Ref) -> None:
        """Decide what must be known before the content of a list changes."""

    def set_cell(self, ref: Ref, cell: Cell) -> None:
        """Give a list other content, or describe the same content in another way."""
        self.cells[ref] = cell

    def class_bound(self, ref: Ref) -> ClassBound:
        """What is known about the object's class."""
        if ref in self.bounds:
            return self.bounds[ref]
        return _at_first(ref.cls, not ref.open)

    def remember(self, ref: Ref, content: InitialContent) -> None:
        """Learn what an input object held at the start."""
        self.first = {**self.first, ref: content}

    def restrict(self, ref: Ref, bound: ClassBound) -> None:
        """Learn more about the object's class."""
        self.bounds = {**self.bounds, ref: bound}
