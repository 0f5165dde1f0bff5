"""The values of a case as Java expressions."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.cases.model import Heap, Literal, Named, ObjectState, Pointer, SequenceState, Value
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import ArrayOf, Generic, Parameterised, Primitive
from everypath.languages.java.frontend.hierarchy import JavaClass, dotted
from everypath.languages.java.scripts.case_types import CaseTypes
from everypath.languages.java.scripts.generics import class_name, descriptor_of, from_descriptor
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.literals import literal, quoted
from everypath.languages.java.scripts.reflection import Reflection
from everypath.languages.java.scripts.subject import BOXES, box_of, constant_of, enum_constant, find_class

_MANY = 4
"""So many elements that are all the same as in a new array are not listed."""


class Values:
    """Writes values, given the variables that hold objects."""

    def __init__(
        self, heap: Heap, names: Mapping[str, str], types: CaseTypes, imports: Imports, reflection: Reflection
    ) -> None:
        self.heap = heap
        self._names = names
        self._types = types
        self._imports = imports
        self._reflection = reflection
        self.unchecked = False
        """whether a generic array was made, which no compiler can check"""

    def value(self, value: Value, type_: Generic, *, cast: bool = True) -> str:
        """A value where one of a type is expected; without `cast` where a short number may be written as it is."""
        match value:
            case Literal(value=atom):
                assert not isinstance(atom, bytes)
                # In place of an object, a number is of the class that the type names, or as its literal has it.
                letter = BOXES.get(class_name(type_) or "", descriptor_of(type_))
                return literal(atom, letter, cast=cast)
            case Named():
                return self._named(value)
            case Pointer(id=target):
                if target in self._names:
                    return self._shown(target, type_)
                return self._in_place(value)
        raise Unsupported(f"a value of kind {type(value).__name__} in a Java test")

    def _shown(self, target: str, wanted: Generic) -> str:
        """The variable of an object; one of a class that the test cannot name is cast to what is wanted."""
        name, declared = self._names[target], self._types.of(target)
        if not isinstance(declared, Parameterised) or self._can_name(declared):
            return name
        if not isinstance(wanted, Parameterised) or wanted.name == "java/lang/Object" or not self._can_name(wanted):
            return name
        self.unchecked = self.unchecked or bool(wanted.arguments)
        return f"({self._imports.type(wanted)}) {name}"

    def _can_name(self, type_: Parameterised) -> bool:
        return self._imports.accessible(self._imports.hierarchy.find(dotted(type_.name)))

    def _named(self, value: Named) -> str:
        hierarchy = self._imports.hierarchy
        constant = enum_constant(hierarchy, value)
        if constant is None:
            return self.class_literal(find_class(hierarchy, value.module, value.name))
        cls, name = constant
        if self._imports.accessible(cls):
            return f"{self._imports.cls(cls.name)}.{name}"
        return self._reflection.constant(quoted(cls.name), quoted(name))

    def class_literal(self, cls: JavaClass) -> str:
        """An expression for a class."""
        if self._imports.accessible(cls):
            return f"{self._imports.cls(cls.name)}.class"
        return self._reflection.type(quoted(cls.name))

    def _in_place(self, value: Pointer) -> str:
        box = box_of(value, self.heap)
        if box is not None:
            return literal(box[1], box[0])
        constant = constant_of(value, self.heap, self._imports.hierarchy)
        if constant is not None:
            return self._named(constant)
        state = self.heap.get(value.id)
        if isinstance(state, SequenceState):
            return self.array(value.id, state)
        if isinstance(state, ObjectState) and state.cls == "Object" and state.module == "java.lang":
            return "new Object()"
        raise Unsupported("an object that the test has no name for")

    def array(self, target: str, state: SequenceState, missing: frozenset[int] = frozenset()) -> str:
        """A new array; places in `missing` are left empty."""
        type_ = self._types.of(target)
        element = type_.element if isinstance(type_, ArrayOf) else from_descriptor("Ljava/lang/Object;")
        items = [
            "null" if i in missing else self.value(item, element, cast=False) for i, item in enumerate(state.items)
        ]
        core, depth = element, ""
        while isinstance(core, ArrayOf):
            core, depth = core.element, depth + "[]"
        cls = self._imports.hierarchy.find(dotted(core.name)) if isinstance(core, Parameterised) else None
        if isinstance(core, Parameterised) and not self._imports.accessible(cls):
            if depth or cls is None:
                raise Unsupported(f"an array of {dotted(core.name)}, which the test cannot name")
            return self._reflection.array(self.class_literal(cls), items)
        if isinstance(core, Parameterised) and core.arguments:
            self.unchecked = True
        name = self._imports.type(core, raw=True)
        if cls is not None and cls.formals and isinstance(core, Parameterised) and not core.arguments:
            name += f"<{', '.join('?' * len(cls.formals))}>"
        if len(items) >= _MANY and len(set(items)) == 1 and items[0] in ("0", "0L", "null", "false", "0.0", "0.0f"):
            return f"new {name}[{len(items)}]{depth}"
        return f"new {name}[]{depth} {{{', '.join(items)}}}" if items else f"new {name}[0]{depth}"


def is_primitive(type_: Generic) -> bool:
    """Whether values of the type are no references."""
    return isinstance(type_, Primitive)
