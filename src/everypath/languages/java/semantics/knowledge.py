"""What Java adds to what the heap knows about inputs: type arguments, enums, and samples of `float`."""

from __future__ import annotations

from typing import Any, cast

from everypath.heap.heap import Heap
from everypath.heap.inputs import Inputs, declared_class
from everypath.heap.knowledge import Knowledge
from everypath.heap.values import UNBOUND, Ref, Unknown, Value
from everypath.ir.types import Type
from everypath.languages.java.frontend.program import JavaProgram
from everypath.languages.java.frontend.types import FLOAT32, ir_type
from everypath.languages.java.semantics.collections import made_up


class Enumerations(dict[str, dict[str, Ref]]):
    """Enums with the objects of their constants; which classes are enums is found out when they are met."""

    def __init__(self, program: JavaProgram) -> None:
        super().__init__()
        self._program = program
        self._others: set[str] = set()

    def __bool__(self) -> bool:
        return True

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        if name in self._others or not isinstance(name, str):
            return False
        cls = self._program.classes.get(name)
        if cls is None or not cls.members:
            self._others.add(name)
            return False
        self[name] = {member: Ref(name, member) for member in cls.members}
        return True

    def __missing__(self, name: str) -> dict[str, Ref]:
        if name in self:
            return self[name]
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401


FLOATS = (0.0, 1.5, -2.25)


class JavaKnowledge(Knowledge):
    """The answers for one program."""

    def __init__(self, program: JavaProgram) -> None:
        self.program = program
        self.inputs: Inputs | None = None

    def can_be_made_up(self, base: str, in_program: bool) -> bool:
        """Objects of every class can be made, by reflection if there is no other way."""
        return True

    def samples(self, inputs: object, type: Type) -> tuple[Value, ...]:
        """A few numbers for `float`."""
        return FLOATS if type == FLOAT32 else ()

    def made_up(self, heap: object, unknown: Unknown, type: Type) -> Ref | None:
        """Collections of the JDK are filled by their own code."""
        return made_up(self.program, cast("Heap", heap), unknown, type)

    def first_value(self, ref: Ref, field: str) -> Value:
        """A field whose type depends on the type arguments of the object's declaration."""
        cls = self.program.find_java(ref.cls)
        if cls is None or not cls.formals or self.inputs is None or ref.origin is None:
            return UNBOUND
        declared = declared_class(ref)
        if len(cls.formals) != len(declared.arguments):
            return UNBOUND
        known = cls.all_fields.get(field)
        if known is None or known.owner != cls.name:
            return UNBOUND
        names = (formal.name for formal in cls.formals)
        bindings = {**self.program.class_bindings(cls), **dict(zip(names, declared.arguments))}
        return self.inputs.part(ref.origin, field, ir_type(known.generic, bindings, 1), f"{ref.name}.{field}")
