"""What a case is about in terms of Java: the class and method that its entry names, and the classes of its objects."""

from __future__ import annotations

from everypath.cases.model import Entry, Literal, Named, ObjectState, Pointer, SequenceState, StandInState, Value
from everypath.cases.model import Heap as Objects
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import readable
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, JavaMethod

BOXES = {
    "java.lang.Integer": "I", "java.lang.Long": "J", "java.lang.Short": "S", "java.lang.Byte": "B",
    "java.lang.Character": "C", "java.lang.Boolean": "Z", "java.lang.Float": "F", "java.lang.Double": "D",
}  # fmt: skip
"""Classes that hold one value of a primitive type, with its descriptor."""
_OF_VALUES = ((bool, "java.lang.Boolean"), (int, "java.lang.Integer"), (float, "java.lang.Double"))


def binary(module: str, cls: str) -> str:
    """The binary name of a class that a case names by package and name."""
    return f"{module}.{cls}" if module else cls


def find_class(hierarchy: Hierarchy, module: str, cls: str) -> JavaClass:
    """A class that a case names; its module is the package, or the class around it."""
    package = module.rpartition(".")[0]
    for name in (binary(module, cls), binary(package, cls), cls):
        for form in (name, _nested(name)):
            if (found := hierarchy.find(form)) is not None:
                return found
    raise Unsupported(f"the class {binary(module, cls)} is not on the class path")


def _nested(name: str) -> str:
    """`ds.BST.Node` as the class Node inside of BST: packages begin with a small letter."""
    head, _, last = name.rpartition(".")
    return f"{_nested(head)}${last}" if head.rpartition(".")[2][:1].isupper() else name


def is_library(cls: JavaClass) -> bool:
    """Whether a class belongs to the JDK."""
    return cls.package.partition(".")[0] in ("java", "javax", "jdk", "sun")


class Subject:
    """The method under test."""

    def __init__(self, entry: Entry, hierarchy: Hierarchy) -> None:
        self.entry = entry
        self.cls = find_class(hierarchy, entry.module, entry.cls or entry.module.rpartition(".")[2])
        self.method = self._method(hierarchy)

    def _method(self, hierarchy: Hierarchy) -> JavaMethod:
        name = self.entry.name
        if self.entry.kind == "constructor" and not name.startswith("<init>"):
            name = f"<init>{name[name.find('(') :]}" if "(" in name else "<init>"
        for owner in hierarchy.supertypes(self.cls.name):
            found = hierarchy.find(owner)
            for method in found.methods.values() if found is not None else ():
                if name in (method.ir_name, method.name, *_spellings(method)):
                    return method
        raise Unsupported(f"{self.cls.name} has no method {name}")

    @property
    def static(self) -> bool:
        """Whether the call needs no object."""
        return self.method.static

    @property
    def constructor(self) -> bool:
        """Whether the call makes an object."""
        return self.method.name == "<init>"


def _spellings(method: JavaMethod) -> tuple[str, str]:
    """A method with the types of its parameters as people write them, with and without packages."""
    types = [readable(each) for each in method.parameters]
    short = [each.rpartition(".")[2] for each in types]
    return f"{method.name}({', '.join(types)})", f"{method.name}({', '.join(short)})"


def enum_constant(hierarchy: Hierarchy, value: Named) -> tuple[JavaClass, str] | None:
    """The class and name of an enum constant; None for what is the class itself."""
    owner, _, constant = value.name.rpartition(".")
    try:
        cls = find_class(hierarchy, value.module, owner) if owner else None
    except Unsupported:
        return None
    return (cls, constant) if cls is not None and constant in cls.enum_constants else None


def constant_of(value: Value, heap: Objects, hierarchy: Hierarchy) -> Named | None:
    """The enum constant that an object of the heap is, which has the name of it in a field."""
    state = heap.get(value.id) if isinstance(value, Pointer) else None
    if not isinstance(state, ObjectState):
        return None
    cls = hierarchy.find(binary(state.module, state.cls))
    if cls is None or cls.kind != "enum":
        return None
    owner = hierarchy.find(cls.super) if cls.enum_constant_body and cls.super else cls
    name = dict(state.fields).get("name")
    if owner is None or not isinstance(name, Literal) or str(name.value) not in owner.enum_constants:
        raise Unsupported(f"an object of the enum {cls.name} that is none of its constants")
    simple = owner.name.rpartition(".")[2]
    return Named(owner.package, f"{simple}.{name.value!s}")


def box_of(value: Value, heap: Objects) -> tuple[str, bool | int | float] | None:
    """The descriptor and content of a value that is an object around a number, character or boolean."""
    if isinstance(value, Pointer):
        state = heap.get(value.id)
        if isinstance(state, ObjectState) and (letter := BOXES.get(binary(state.module, state.cls))) is not None:
            content = dict(state.fields).get("value")
            if isinstance(content, Literal) and isinstance(content.value, (bool, int, float)):
                return letter, content.value
    return None


def class_of_value(value: Value, heap: Objects, hierarchy: Hierarchy) -> str | None:
    """The class of an object that a value is, as far as that is a class; None for null and arrays."""
    match value:
        case Literal(value=str()):
            return "java.lang.String"
        case Literal(value=atom):
            return next((name for kind, name in _OF_VALUES if isinstance(atom, kind)), None)
        case Named():
            constant = enum_constant(hierarchy, value)
            return constant[0].name if constant is not None else "java.lang.Class"
        case Pointer(id=target):
            state = heap.get(target)
            if isinstance(state, (ObjectState, StandInState)):
                return find_class(hierarchy, state.module, state.cls).name
            assert state is None or isinstance(state, SequenceState)
    return None
