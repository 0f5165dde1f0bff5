"""What a Java program consists of, as the front end, the writer and the runtime see it.

A class is known by its binary name with dots: `ds.BST`, nested classes as `ds.BST$Node`. The same names stand in the
IR, in cases and in this module. In the IR

- a field has its own name; one that hides a field of a superclass is called `name@ds.Owner`;
- a method is called by name and descriptor, `insert(I)V`; constructors `<init>(I)V`, initialisers `<clinit>()V`.

`Hierarchy.find(name)` gives a `JavaClass` with its superclass, interfaces, kind, fields, constructors and methods, each
with descriptor, generic types and modifiers. `JavaClass.assignments(constructor)` says what a plain constructor or
setter does: which parameter it stores in which field, unchanged, and which constants; None where it does anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from everypath.languages.java.classfile import model
from everypath.languages.java.classfile.constants import MemberConstant
from everypath.languages.java.classfile.descriptors import (
    ClassSignature,
    FormalParameter,
    Generic,
    MethodSignature,
    Parameterised,
    class_signature,
    field_signature,
    method_signature,
    method_types,
    readable,
    slots,
)
from everypath.languages.java.classfile.places import ClassPath
from everypath.languages.java.classfile.reader import ClassFile
from everypath.languages.java.frontend.assignments import PLAIN, Assignments, Plain, read_assignments
from everypath.records import dataclass

OBJECT = "java.lang.Object"


def dotted(internal: str) -> str:
    """`java/util/Map$Entry` as `java.util.Map$Entry`."""
    return internal.replace("/", ".")


def internal(name: str) -> str:
    """`java.util.Map$Entry` as `java/util/Map$Entry`."""
    return name.replace(".", "/")


class _Modifiers:
    """What the flags of a class or member say."""

    __slots__ = ()
    flags: int

    @property
    def access(self) -> str:
        """public, protected, private, or empty for the package."""
        named = ((model.PUBLIC, "public"), (model.PROTECTED, "protected"), (model.PRIVATE, "private"))
        return next((name for flag, name in named if self.flags & flag), "")

    @property
    def static(self) -> bool:
        """Whether it belongs to the class instead of an object."""
        return bool(self.flags & model.STATIC)

    @property
    def final(self) -> bool:
        """Whether it is final."""
        return bool(self.flags & model.FINAL)

    @property
    def abstract(self) -> bool:
        """Whether it has no body, or no objects of its own."""
        return bool(self.flags & model.ABSTRACT)

    @property
    def synthetic(self) -> bool:
        """Whether the compiler made it up."""
        return bool(self.flags & model.SYNTHETIC)


@dataclass(frozen=True, slots=True)
class JavaField(_Modifiers):
    """A field."""

    owner: str
    name: str
    descriptor: str
    flags: int
    generic: Generic
    """its type with type arguments"""
    ir_name: str
    """as the IR and cases call it"""
    annotations: tuple[str, ...]
    """descriptors of annotation types"""
    constant: Plain
    """the value of a static constant"""

    @property
    def type(self) -> str:
        """As Java writes it."""
        return readable(self.descriptor)


@dataclass(frozen=True, slots=True)
class JavaMethod(_Modifiers):
    """A method or constructor."""

    owner: str
    name: str
    descriptor: str
    flags: int
    signature: MethodSignature
    """with type arguments; parameters that the compiler adds may be missing in it"""
    parameter_names: tuple[str, ...]
    """as in the source where the class tells, else made up"""
    annotations: tuple[str, ...]
    parameter_annotations: tuple[tuple[str, ...], ...]
    exceptions: tuple[str, ...]
    info: model.MethodInfo
    line: int
    """its first line in the source; 0 if not known"""

    @property
    def ir_name(self) -> str:
        """As the IR and cases call it."""
        return self.name + self.descriptor

    @property
    def parameters(self) -> tuple[str, ...]:
        """The descriptors of its parameters."""
        return method_types(self.descriptor)[0]

    @property
    def result(self) -> str:
        """The descriptor of its result; `V` for none."""
        return method_types(self.descriptor)[1]

    @property
    def native(self) -> bool:
        """Whether it is implemented outside of Java."""
        return bool(self.flags & model.NATIVE)

    @property
    def bridge(self) -> bool:
        """Whether the compiler made it up to override a method of another type."""
        return bool(self.flags & model.BRIDGE)


class JavaClass(_Modifiers):
    """A class, interface, enum or record."""

    def __init__(self, file: ClassFile, hierarchy: Hierarchy, label: str) -> None:
        info = self.info = file.info
        self.file = file
        self.hierarchy = hierarchy
        self.label = label
        """the folder or jar that it is from; empty for the JDK"""
        self.name = dotted(info.name)
        own = next((inner for inner in info.inner if inner.name == info.name), None)
        self.flags = own.flags if own is not None else info.flags
        self.package, _, rest = self.name.rpartition(".")
        self.outer = dotted(own.outer) if own is not None and own.outer else None
        """the class that a member class is declared in"""
        self.nested = own is not None
        self.anonymous = own is not None and own.simple is None
        self.local = own is not None and own.outer is None
        """whether it is declared in a method; anonymous classes are"""
        self.simple = own.simple if own is not None and own.simple else rest
        self.super = dotted(info.super) if info.super else None
        self.interfaces = tuple(map(dotted, info.interfaces))
        self._fields: dict[str, JavaField] | None = None
        self._methods: dict[str, JavaMethod] | None = None

    @property
    def kind(self) -> str:
        """class, interface, enum, record or annotation."""
        if self.info.flags & model.ANNOTATION:
            return "annotation"
        if self.info.flags & model.INTERFACE:
            return "interface"
        if self.super == "java.lang.Enum" or self.enum_constant_body:
            return "enum"
        return "record" if self.info.components is not None else "class"

    @property
    def enum_constant_body(self) -> bool:
        """Whether it is the class of one constant of an enum that has a body of its own."""
        return bool(self.info.flags & model.ENUM) and self.super != "java.lang.Enum"

    @property
    def inner(self) -> bool:
        """Whether its constructors take the object of the outer class first."""
        return (
            self.nested
            and not self.static
            and self.kind == "class"
            and any(field.synthetic and field.name.startswith("this$") for field in self.fields.values())
        )

    @property
    def source_name(self) -> str:
        """As Java source names it: `ds.BST.Node`."""
        outer = self.hierarchy.find(self.outer) if self.outer else None
        return f"{outer.source_name}.{self.simple}" if outer is not None else self.name

    @property
    def source_file(self) -> str:
        """The path of its source from the root of sources: `ds/BST.java`."""
        name = self.info.source or f"{self.simple}.java"
        return f"{internal(self.package)}/{name}" if self.package else name

    @property
    def signature(self) -> ClassSignature:
        """Its type parameters, and what it extends with type arguments."""
        if self.info.signature:
            return class_signature(self.info.signature)
        interfaces = tuple(map(Parameterised, self.info.interfaces))
        return ClassSignature((), Parameterised(self.info.super or "java/lang/Object"), interfaces)

    @property
    def formals(self) -> tuple[FormalParameter, ...]:
        """Its type parameters."""
        return self.signature.formals if self.info.signature else ()

    @property
    def fields(self) -> Mapping[str, JavaField]:
        """The fields that it declares, static ones included, by IR name."""
        if self._fields is None:
            self._fields = {field.ir_name: field for field in map(self._field, self.info.fields)}
        return self._fields

    @property
    def all_fields(self) -> Mapping[str, JavaField]:
        """The instance fields of an object of this class, those of superclasses first, by IR name."""
        parent = self.hierarchy.find(self.super) if self.super else None
        found = dict(parent.all_fields) if parent is not None else {}
        found.update((name, field) for name, field in self.fields.items() if not field.static)
        return found

    @property
    def methods(self) -> Mapping[str, JavaMethod]:
        """The methods and constructors that it declares, by IR name."""
        if self._methods is None:
            self._methods = {method.ir_name: method for method in map(self._method, self.info.methods)}
        return self._methods

    @property
    def constructors(self) -> tuple[JavaMethod, ...]:
        """Its constructors, those with few parameters first."""
        found = (method for method in self.methods.values() if method.name == "<init>")
        return tuple(sorted(found, key=lambda method: len(method.parameters)))

    @property
    def setters(self) -> Mapping[str, JavaMethod]:
        """Field (IR name) -> a method of one parameter that does nothing but store it there."""
        found: dict[str, JavaMethod] = {}
        for method in self.methods.values():
            if not method.static and not method.synthetic and method.name != "<init>" and len(method.parameters) == 1:
                does = self.assignments(method)
                if does is not None and len(does.parameters) == 1 and not does.constants:
                    found.setdefault(does.parameters[0], method)
        return found

    @property
    def enum_constants(self) -> tuple[str, ...]:
        """The names of an enum's constants, in order."""
        return tuple(field.name for field in self.fields.values() if field.flags & model.ENUM)

    @property
    def components(self) -> tuple[tuple[str, str], ...]:
        """Name and descriptor of a record's components."""
        return tuple((each.name, each.descriptor) for each in self.info.components or ())

    def assignments(self, method: JavaMethod) -> Assignments | None:
        """What a plain constructor or setter does; None where it does anything else."""
        code = self.file.code(method.info)
        if code is None or method.static:
            return None

        def field(member: MemberConstant) -> str | None:
            found = self.hierarchy.find_field(dotted(member.owner), member.name, member.descriptor)
            return found.ir_name if found is not None else None

        return read_assignments(code, method.parameters, field)

    def _field(self, info: model.FieldInfo) -> JavaField:
        ir_name = info.name
        if not info.flags & model.STATIC and self._hides(info.name):
            ir_name = f"{info.name}@{self.name}"
        constant = info.constant
        value = constant.value if isinstance(constant, PLAIN) else None
        generic = field_signature(info.signature or info.descriptor)
        annotations = tuple(each.type for each in info.annotations)
        return JavaField(self.name, info.name, info.descriptor, info.flags, generic, ir_name, annotations, value)

    def _hides(self, name: str) -> bool:
        """Whether a superclass has an instance field of the same name."""
        parent = self.hierarchy.find(self.super) if self.super else None
        return parent is not None and any(field.name == name for field in parent.all_fields.values())

    def _method(self, info: model.MethodInfo) -> JavaMethod:
        signature = method_signature(info.signature or info.descriptor)
        return JavaMethod(
            self.name,
            info.name,
            info.descriptor,
            info.flags,
            signature,
            self._parameter_names(info),
            tuple(each.type for each in info.annotations),
            tuple(tuple(each.type for each in annotations) for annotations in info.parameter_annotations),
            tuple(map(dotted, info.exceptions)),
            info,
            self._first_line(info),
        )

    def _parameter_names(self, info: model.MethodInfo) -> tuple[str, ...]:
        types = method_types(info.descriptor)[0]
        if len(info.parameter_names) == len(types) and all(info.parameter_names):
            return info.parameter_names
        code = self.file.code(info)
        named = {v.slot: v.name for v in code.variables if v.start == 0} if code is not None else {}
        slot = 0 if info.flags & model.STATIC else 1
        found: list[str] = []
        for number, type_ in enumerate(types):
            found.append(named.get(slot, f"arg{number}"))
            slot += slots(type_)
        return tuple(found)

    def _first_line(self, info: model.MethodInfo) -> int:
        code = self.file.code(info)
        return min((line for _, line in code.lines), default=0) if code is not None else 0


class Hierarchy:
    """The classes on the class path, looked at when they are first asked for."""

    def __init__(self, path: ClassPath) -> None:
        self.path = path
        self._known: dict[str, JavaClass | None] = {}

    def find(self, name: str) -> JavaClass | None:
        """The class of this binary name; None if it is nowhere, BadClassFile if its file is wrong."""
        if name not in self._known:
            found = self.path.locate(internal(name))
            self._known[name] = JavaClass(found[0], self, found[1].label) if found is not None else None
        return self._known[name]

    def supertypes(self, name: str) -> Iterator[str]:
        """The class, its superclasses and all their interfaces, nearest first, each once."""
        seen = {name}
        waiting = [name]
        while waiting:
            current = waiting.pop(0)
            yield current
            cls = self.find(current)
            if cls is None:
                continue
            for above in ((cls.super,) if cls.super else ()) + cls.interfaces:
                if above not in seen:
                    seen.add(above)
                    waiting.append(above)

    def is_subtype(self, name: str, of: str) -> bool:
        """Whether a class is, extends or implements another."""
        return of == OBJECT or name == of or of in self.supertypes(name)

    def find_field(self, owner: str, name: str, descriptor: str) -> JavaField | None:
        """The field that code means by a class, a name and a descriptor (5.4.3.2 of the JVM's specification)."""
        for each in self.supertypes(owner):
            cls = self.find(each)
            if cls is not None:
                for field in cls.fields.values():
                    if field.name == name and field.descriptor == descriptor:
                        return field
        return None
