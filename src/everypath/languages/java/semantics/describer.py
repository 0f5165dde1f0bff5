"""What only Java has among the inputs and results of a path."""

from __future__ import annotations

from everypath.cases.describing import Describer, Walk, WalkBefore
from everypath.cases.model import HeapState, Named, ObjectState, Opaque, Value
from everypath.explore.state import State
from everypath.heap.values import Ref
from everypath.heap.values import Value as Symbolic
from everypath.ir.instructions import ClassRef
from everypath.ir.program import Program
from everypath.ir.types import ClassType
from everypath.languages.java.frontend.program import JavaProgram
from everypath.languages.java.semantics.collections import COLLECTIONS, final_state, input_state


class JavaDescriber(Describer):
    """Describes inputs and results of one program."""

    def __init__(self, program: JavaProgram) -> None:
        self.program = program

    def plain(self, walk: WalkBefore, value: Symbolic) -> Value | None:
        """A class, by its name."""
        if isinstance(value, ClassRef):
            package, _, name = value.name.rpartition(".")
            return Named(package, f"{name}.class")
        return None

    def sets_unread(self, program: Program, cls: str, field: str) -> bool:
        """Only what a constructor takes: in all other fields there is whatever it puts there."""
        constructor = program.constructor_of(cls)
        return field.startswith("this$") or (constructor is not None and field in constructor.sets.values())

    def opaque(self, state: State, value: Symbolic) -> Opaque | None:
        return None

    def input_state(self, walk: WalkBefore, ref: Ref, content: dict[str, Symbolic]) -> HeapState | None:
        """A collection of the JDK, by its elements."""
        made = ref.cls in COLLECTIONS and not ref.input and ref.cls not in self.program.tested
        return input_state(walk, ref) if made else None

    def final_state(self, walk: Walk, ref: Ref, name: str) -> HeapState | None:
        """A collection of the JDK, by its elements."""
        return final_state(walk, ref, name) if ref.cls in COLLECTIONS and ref.cls not in self.program.tested else None

    def library_input(self, walk: WalkBefore, cls: str, declared: ClassType, content: dict[str, Symbolic]) -> HeapState:
        """An input object of a library class, field by field."""
        package, _, name = cls.rpartition(".")
        return ObjectState(name, package, tuple((field, walk.first(value)) for field, value in content.items()))
