"""Reads one class file: the constant pool, fields, methods and attributes; bodies of methods on demand.

`ClassFile(data)` reads everything but code, of which most is never needed. Section numbers are those of "The Java
Virtual Machine Specification".
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import TypeVar

from everypath.languages.java.classfile.bodies import read_code
from everypath.languages.java.classfile.constants import Constant, ConstantPool, HandleConstant
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.model import (
    Annotation,
    Bootstrap,
    ClassInfo,
    Code,
    Component,
    FieldInfo,
    InnerClass,
    MethodInfo,
)

_U2 = struct.Struct(">H").unpack_from
_U4 = struct.Struct(">I").unpack_from
MAGIC = 0xCAFEBABE
NEWEST = 70
"""the class files of Java 26; what newer ones mean is not known"""
Places = dict[str, tuple[int, int]]
"""name of an attribute -> where its content lies: offset and length"""
_Each = TypeVar("_Each")


class ClassFile:
    """A class as its file describes it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        try:
            self._read()
        except (struct.error, IndexError):
            raise BadClassFile(f"the file ends too early, after {len(data)} bytes") from None

    def code(self, method: MethodInfo) -> Code | None:
        """The body of a method; None for abstract and native ones."""
        if method.place is None:
            return None
        try:
            return read_code(self.data, method.place[0], self.constants)
        except (struct.error, IndexError):
            raise BadClassFile(f"the code of {method.name}{method.descriptor} ends too early") from None

    def _read(self) -> None:
        data = self.data
        if len(data) < 10 or _U4(data, 0)[0] != MAGIC:
            raise BadClassFile("it does not begin as class files do")
        version = _U2(data, 6)[0]
        if version > NEWEST:
            raise BadClassFile(
                f"it has version {version}, which is newer than {NEWEST} (Java {NEWEST - 44}); "
                f"compile with --release {NEWEST - 44} or older"
            )
        self.constants = pool = ConstantPool(data, 8)
        at = pool.end
        flags, this, parent, count = struct.unpack_from(">HHHH", data, at)
        interfaces = tuple(pool.class_name(number) for number in struct.unpack_from(f">{count}H", data, at + 8))
        at += 8 + 2 * count
        fields, at = self._members(at, self._field)
        methods, at = self._members(at, self._method)
        places, _ = self._attributes(at)
        take = places.pop
        bootstraps = take("BootstrapMethods", None)
        record = take("Record", None)
        host = take("NestHost", None)
        self.info = ClassInfo(
            version=version,
            flags=flags,
            name=pool.class_name(this),
            super=pool.optional_class(parent),
            interfaces=interfaces,
            fields=fields,
            methods=methods,
            signature=self._text(take("Signature", None)),
            source=self._text(take("SourceFile", None)),
            annotations=self._annotations(places),
            inner=tuple(self._inner(take("InnerClasses", None))),
            enclosing=self._enclosing(take("EnclosingMethod", None)),
            bootstraps=tuple(self._bootstraps(bootstraps[0])) if bootstraps else (),
            components=tuple(self._components(record[0])) if record else None,
            nest_host=pool.class_name(_U2(data, host[0])[0]) if host else None,
            nest_members=self._class_names(take("NestMembers", None)),
            permitted=self._class_names(take("PermittedSubclasses", None)),
            others=tuple(sorted(places)),
        )

    def _attributes(self, at: int) -> tuple[Places, int]:
        """Where the attributes lie that begin at `at`, and what follows them (4.7)."""
        count = _U2(self.data, at)[0]
        at += 2
        found: Places = {}
        for _ in range(count):
            name, length = _U2(self.data, at)[0], _U4(self.data, at + 2)[0]
            found[self.constants.text(name)] = (at + 6, length)
            at += 6 + length
        if at > len(self.data):
            raise BadClassFile(f"the file ends too early, after {len(self.data)} bytes")
        return found, at

    def _members(self, at: int, make: Callable[[int, str, str, Places], _Each]) -> tuple[tuple[_Each, ...], int]:
        count = _U2(self.data, at)[0]
        at += 2
        found: list[_Each] = []
        for _ in range(count):
            flags, name, descriptor = struct.unpack_from(">HHH", self.data, at)
            places, at = self._attributes(at + 6)
            found.append(make(flags, self.constants.text(name), self.constants.text(descriptor), places))
        return tuple(found), at

    def _field(self, flags: int, name: str, descriptor: str, places: Places) -> FieldInfo:
        constant = places.get("ConstantValue")
        value: Constant | None = self.constants[_U2(self.data, constant[0])[0]] if constant else None
        signature = self._text(places.get("Signature"))
        return FieldInfo(flags, name, descriptor, signature, self._annotations(places), value)

    def _method(self, flags: int, name: str, descriptor: str, places: Places) -> MethodInfo:
        return MethodInfo(
            flags,
            name,
            descriptor,
            self._text(places.get("Signature")),
            self._annotations(places),
            places.get("Code"),
            self._class_names(places.get("Exceptions")),
            tuple(self._parameter_names(places.get("MethodParameters"))),
            self._parameter_annotations(places),
        )

    def _text(self, place: tuple[int, int] | None) -> str | None:
        """The text that an attribute consists of (4.7.9, 4.7.10)."""
        return None if place is None else self.constants.text(_U2(self.data, place[0])[0])

    def _class_names(self, place: tuple[int, int] | None) -> tuple[str, ...]:
        """A list of classes (4.7.5, 4.7.29, 4.7.31)."""
        if place is None:
            return ()
        count = _U2(self.data, place[0])[0]
        return tuple(map(self.constants.class_name, struct.unpack_from(f">{count}H", self.data, place[0] + 2)))

    def _parameter_names(self, place: tuple[int, int] | None) -> Iterator[str]:
        """4.7.24; a parameter without a name has an empty one."""
        if place is not None:
            for number in range(self.data[place[0]]):
                name = _U2(self.data, place[0] + 1 + 4 * number)[0]
                yield self.constants.text(name) if name else ""

    def _inner(self, place: tuple[int, int] | None) -> Iterator[InnerClass]:
        """4.7.6"""
        if place is None:
            return
        pool = self.constants
        for number in range(_U2(self.data, place[0])[0]):
            name, outer, simple, flags = struct.unpack_from(">HHHH", self.data, place[0] + 2 + 8 * number)
            yield InnerClass(
                pool.class_name(name), pool.optional_class(outer), pool.text(simple) if simple else None, flags
            )

    def _enclosing(self, place: tuple[int, int] | None) -> tuple[str, str | None, str | None] | None:
        """4.7.7"""
        if place is None:
            return None
        cls, method = struct.unpack_from(">HH", self.data, place[0])
        name, descriptor = self.constants.name_and_type(method) if method else (None, None)
        return self.constants.class_name(cls), name, descriptor

    def _bootstraps(self, at: int) -> Iterator[Bootstrap]:
        """4.7.23"""
        count = _U2(self.data, at)[0]
        at += 2
        for _ in range(count):
            handle, number = struct.unpack_from(">HH", self.data, at)
            arguments = struct.unpack_from(f">{number}H", self.data, at + 4)
            at += 4 + 2 * number
            made = self.constants[handle]
            if not isinstance(made, HandleConstant):
                raise BadClassFile(f"constant {handle} is no method handle, but a bootstrap method needs one")
            yield Bootstrap(made, tuple(self.constants[argument] for argument in arguments))

    def _components(self, at: int) -> Iterator[Component]:
        """4.7.30"""
        count = _U2(self.data, at)[0]
        at += 2
        for _ in range(count):
            name, descriptor = struct.unpack_from(">HH", self.data, at)
            places, at = self._attributes(at + 4)
            text = self.constants.text
            yield Component(text(name), text(descriptor), self._text(places.get("Signature")))

    def _annotations(self, places: Places) -> tuple[Annotation, ...]:
        """The types of all annotations, those on the type of a field or of a result included (4.7.16, 4.7.20)."""
        found: list[Annotation] = []
        for kind in ("RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"):
            place = places.pop(kind, None)
            if place is not None:
                at = place[0] + 2
                for _ in range(_U2(self.data, place[0])[0]):
                    annotation, at = self._annotation(at)
                    found.append(annotation)
        return tuple(found)

    def _parameter_annotations(self, places: Places) -> tuple[tuple[Annotation, ...], ...]:
        """For each parameter, the types of its annotations (4.7.18)."""
        found: list[list[Annotation]] = []
        for kind in ("RuntimeVisibleParameterAnnotations", "RuntimeInvisibleParameterAnnotations"):
            place = places.get(kind)
            if place is None:
                continue
            at = place[0] + 1
            for number in range(self.data[place[0]]):
                if number == len(found):
                    found.append([])
                count = _U2(self.data, at)[0]
                at += 2
                for _ in range(count):
                    annotation, at = self._annotation(at)
                    found[number].append(annotation)
        return tuple(map(tuple, found))

    def _annotation(self, at: int) -> tuple[Annotation, int]:
        kind, count = struct.unpack_from(">HH", self.data, at)
        at += 4
        for _ in range(count):
            at = self._skip_value(at + 2)
        return Annotation(self.constants.text(kind)), at

    def _skip_value(self, at: int) -> int:
        """Where the value of an annotation's element ends (4.7.16.1)."""
        tag = chr(self.data[at])
        at += 1
        if tag == "e":
            return at + 4
        if tag == "@":
            return self._annotation(at)[1]
        if tag == "[":
            count = _U2(self.data, at)[0]
            at += 2
            for _ in range(count):
                at = self._skip_value(at)
            return at
        return at + 2
