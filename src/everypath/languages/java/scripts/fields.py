"""How a test reads and sets fields: directly, through a plain method, or by reflection."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.languages.java.classfile.constants import MemberConstant
from everypath.languages.java.classfile.opcodes import NAMES
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaField, JavaMethod
from everypath.languages.java.scripts.generics import is_array_of_variable
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.literals import quoted
from everypath.languages.java.scripts.reflection import Reflection
from everypath.languages.java.scripts.subject import is_library


class Fields:
    """Reads and sets fields of objects that a test holds in variables."""

    def __init__(self, imports: Imports, reflection: Reflection, *, raw: bool = False) -> None:
        self._imports = imports
        self._reflection = reflection
        self._raw = raw

    def direct(self, cls: JavaClass, field: JavaField) -> bool:
        """Whether the test may use the field by its name."""
        return (
            self._imports.accessible(cls)
            and self._imports.accessible(cls.hierarchy.find(field.owner))
            and self._imports.member_accessible(field.access, field.owner)
            and not is_array_of_variable(field.generic)
            and "@" not in field.ir_name
            and not self._hidden(cls, field)
            and not field.synthetic
        )

    def _hidden(self, cls: JavaClass, field: JavaField) -> bool:
        """Whether the class has another field of the same name in front of it."""
        return any(
            other.name == field.name and other is not field and "@" in name for name, other in cls.all_fields.items()
        )

    def read(self, cls: JavaClass, field: JavaField, variable: str) -> tuple[str, bool]:
        """An expression for the value of a field, and whether it has the field's type instead of being any object."""
        if self.direct(cls, field):
            return f"{variable}.{field.name}", True
        getter = _getter(cls, field)
        if getter is not None and self._usable(cls, getter):
            return f"{variable}.{getter.name}()", True
        return self._reflection.get(variable, self.label(cls, field)), False

    def write(self, cls: JavaClass, field: JavaField, variable: str, value: str) -> str:
        """A statement that sets a field."""
        setter = _setter(cls, field)
        if setter is not None and self._usable(cls, setter):
            return f"{variable}.{setter.name}({value});"
        if self.direct(cls, field) and not field.final:
            return f"{variable}.{field.name} = {value};"
        owner = cls.hierarchy.find(field.owner)
        if owner is not None and is_library(owner) and not self._imports.of_library:
            raise Unsupported(f"an object of {cls.name}, whose field {field.name} no test can set")
        return self._reflection.set(variable, self.label(cls, field), value)

    def is_assignment(self, cls: JavaClass, field: JavaField) -> bool:
        """Whether setting the field is an assignment, in which short numbers need no cast."""
        return self.direct(cls, field) and not field.final and _setter(cls, field) is None

    def _usable(self, cls: JavaClass, method: JavaMethod) -> bool:
        owner = cls.hierarchy.find(method.owner)
        return (
            self._imports.accessible(cls)
            and self._imports.accessible(owner)
            and self._imports.member_accessible(method.access, method.owner)
        )

    def label(self, cls: JavaClass, field: JavaField) -> str:
        """The name of a field for reflection, which finds the one of the lowest class."""
        others = [other for other in cls.all_fields.values() if other.name == field.name]
        lowest = others[-1] if others else field
        return quoted(field.name if lowest.owner == field.owner else f"{field.name}@{field.owner}")


def _setter(cls: JavaClass, field: JavaField) -> JavaMethod | None:
    owner = cls.hierarchy.find(field.owner)
    found = owner.setters.get(field.ir_name) if owner is not None else None
    # A subclass may have put another method in its place.
    if found is None or (owner is not cls and found.ir_name in cls.methods):
        return None
    return found


def _getter(cls: JavaClass, field: JavaField) -> JavaMethod | None:
    """A method without parameters that does nothing but give the field."""
    owner = cls.hierarchy.find(field.owner)
    for method in owner.methods.values() if owner is not None else ():
        if method.static or method.parameters or method.result != field.descriptor or method.synthetic:
            continue
        if owner is not cls and method.ir_name in cls.methods:
            continue
        code = owner.file.code(method.info) if owner is not None else None
        names = [NAMES[each.opcode] for each in code.instructions] if code is not None else []
        if names[:2] == ["aload_0", "getfield"] and len(names) == 3 and names[2].endswith("return"):
            assert code is not None
            operand = code.instructions[1].operand
            if isinstance(operand, MemberConstant) and operand.name == field.name:
                return method
    return None
