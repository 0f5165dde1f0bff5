"""What a path may learn about an input when it looks at it: the alternatives of a fork.

Each is applied to a copy of the heap, and says whether what it adds goes together with what is known already.
"""

from __future__ import annotations

from everypath.heap.store import ClassBound, Store
from everypath.heap.values import Ref, Unknown, Value
from everypath.ir.instructions import Param
from everypath.ir.types import ClassType, DataType, Type
from everypath.logic.condition import PathCondition
from everypath.logic.terms import Term
from everypath.records import dataclass


@dataclass(slots=True, eq=False)
class Bind:
    """The unknown input is this value."""

    unknown: Unknown
    value: Value

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Store)
        heap.bind[self.unknown] = self.value
        return heap.agrees()


@dataclass(slots=True, eq=False)
class Narrow:
    """The unknown input has one of these types."""

    unknown: Unknown
    options: tuple[Type, ...]

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Store)
        heap.narrow(self.unknown, self.options)
        return heap.agrees()


@dataclass(slots=True, eq=False)
class Allocate:
    """The unknown reference is an input object of its own."""

    unknown: Unknown

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Store)
        heap.allocate_input(self.unknown)
        # A new object changes nothing that was known, so only assumptions can speak against it.
        return not heap.inputs.assumptions or heap.agrees()


@dataclass(slots=True, eq=False)
class Alias:
    """The unknown reference is this input object, whose class is then at least the reference's."""

    unknown: Unknown
    ref: Ref
    type: Type

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Store)
        heap.bind[self.unknown] = self.ref
        # One object has one class: where the reference asks for a narrower class than what is known, the object is of
        # that.
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
        assert isinstance(heap, Store)
        type = heap.data_type(self.unknown)
        assert type is not None
        heap.narrow(self.unknown, (DataType(type.name, type.arguments, self.constructors),))
        # Sets of the program are written as chains of elements in ascending order. Opening one more element adds the
        # condition that it comes after the one before it.
        ascending = heap.inputs.ascends(self.unknown) if self.unknown in heap.bind else True
        if ascending is False or (isinstance(ascending, Term) and not pc.require(ascending)):
            return False
        return heap.agrees()


@dataclass(slots=True, eq=False)
class MakeRecord:
    """The unknown input is a dict with just these keys."""

    unknown: Unknown
    keys: tuple[Param, ...]

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Store)
        heap.make_record(self.unknown, self.keys)
        return heap.agrees()
