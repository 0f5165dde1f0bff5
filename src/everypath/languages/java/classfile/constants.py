"""The constant pool of a class file, section 4.4 of "The Java Virtual Machine Specification"."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from everypath.languages.java.classfile.errors import BadClassFile

_U2 = struct.Struct(">H").unpack_from
_TWO = struct.Struct(">HH").unpack_from
_INT = struct.Struct(">i").unpack_from
_FLOAT = struct.Struct(">f").unpack_from
_LONG = struct.Struct(">q").unpack_from
_DOUBLE = struct.Struct(">d").unpack_from

UTF8, INTEGER, FLOAT, LONG, DOUBLE, CLASS, STRING, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE = (
    1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
)  # fmt: skip
METHOD_HANDLE, METHOD_TYPE, DYNAMIC, INVOKE_DYNAMIC, MODULE, PACKAGE = 15, 16, 17, 18, 19, 20
_LENGTHS = {
    INTEGER: 5, FLOAT: 5, LONG: 9, DOUBLE: 9, CLASS: 3, STRING: 3, FIELD: 5, METHOD: 5, INTERFACE_METHOD: 5,
    NAME_AND_TYPE: 5, METHOD_HANDLE: 4, METHOD_TYPE: 3, DYNAMIC: 5, INVOKE_DYNAMIC: 5, MODULE: 3, PACKAGE: 3,
}  # fmt: skip


class IntConstant(NamedTuple):
    """An `int`, which also stands for the smaller integer types and `boolean`."""

    value: int


class LongConstant(NamedTuple):
    """A `long`."""

    value: int


class FloatConstant(NamedTuple):
    """A `float`; its value is exact as a Python float."""

    value: float


class DoubleConstant(NamedTuple):
    """A `double`."""

    value: float


class StringConstant(NamedTuple):
    """A string; each character is one UTF-16 code unit, as in Java."""

    value: str


class ClassConstant(NamedTuple):
    """A class by its internal name (`java/lang/String`), or an array type by its descriptor (`[I`)."""

    name: str


class MemberConstant(NamedTuple):
    """A field or method of a class."""

    owner: str
    name: str
    descriptor: str
    interface: bool


class HandleConstant(NamedTuple):
    """A method handle: 1-4 get or set a field, 5 virtual, 6 static, 7 special, 8 constructor, 9 interface."""

    kind: int
    member: MemberConstant


class MethodTypeConstant(NamedTuple):
    """The type of a method."""

    descriptor: str


class DynamicConstant(NamedTuple):
    """A constant or a call site that a bootstrap method makes."""

    bootstrap: int
    """the index of the bootstrap method"""
    name: str
    descriptor: str


Constant = (
    IntConstant
    | LongConstant
    | FloatConstant
    | DoubleConstant
    | StringConstant
    | ClassConstant
    | MemberConstant
    | HandleConstant
    | MethodTypeConstant
    | DynamicConstant
)


def decode(data: bytes) -> str:
    """Text in the modified UTF-8 of class files; one character for each UTF-16 code unit."""
    try:
        if data.isascii():
            return data.decode("ascii")
        return data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise BadClassFile("a name or string is not valid modified UTF-8") from None


class ConstantPool:
    """The constants of one class file; each is decoded when it is first asked for."""

    def __init__(self, data: bytes, offset: int) -> None:
        self.data = data
        count = _U2(data, offset)[0]
        places = [0] * count
        at = offset + 2
        number = 1
        while number < count:
            places[number] = at
            tag = data[at]
            if tag == UTF8:
                at += 3 + _U2(data, at + 1)[0]
            elif tag in _LENGTHS:
                at += _LENGTHS[tag]
                if tag in (LONG, DOUBLE):
                    number += 1
            else:
                raise BadClassFile(f"constant {number} is of the unknown kind {tag}, at byte {at}")
            number += 1
        self.end = at
        """the offset of what follows the pool"""
        self._places = places
        self._texts: dict[int, str] = {}
        self._known: dict[int, Constant] = {}

    def __len__(self) -> int:
        return len(self._places)

    def tag(self, index: int) -> int:
        """The kind of a constant."""
        if not 0 < index < len(self._places) or not self._places[index]:
            raise BadClassFile(f"there is no constant {index}")
        return self.data[self._places[index]]

    def _expect(self, index: int, *tags: int) -> int:
        tag = self.tag(index)
        if tag not in tags:
            raise BadClassFile(f"constant {index} is of kind {tag}, not {' or '.join(map(str, tags))}")
        return self._places[index] + 1

    def text(self, index: int) -> str:
        """A name, descriptor or signature."""
        found = self._texts.get(index)
        if found is None:
            at = self._expect(index, UTF8)
            length = _U2(self.data, at)[0]
            found = self._texts[index] = decode(self.data[at + 2 : at + 2 + length])
        return found

    def class_name(self, index: int) -> str:
        """The name of a class constant."""
        return self.text(_U2(self.data, self._expect(index, CLASS))[0])

    def optional_class(self, index: int) -> str | None:
        """The name of a class constant; None for index 0."""
        return self.class_name(index) if index else None

    def name_and_type(self, index: int) -> tuple[str, str]:
        """A name and its descriptor."""
        name, descriptor = _TWO(self.data, self._expect(index, NAME_AND_TYPE))
        return self.text(name), self.text(descriptor)

    def member(self, index: int) -> MemberConstant:
        """A field or method."""
        at = self._expect(index, FIELD, METHOD, INTERFACE_METHOD)
        owner, pair = _TWO(self.data, at)
        name, descriptor = self.name_and_type(pair)
        return MemberConstant(self.class_name(owner), name, descriptor, self.data[at - 1] == INTERFACE_METHOD)

    def dynamic(self, index: int) -> DynamicConstant:
        """A dynamic constant or call site."""
        bootstrap, pair = _TWO(self.data, self._expect(index, DYNAMIC, INVOKE_DYNAMIC))
        return DynamicConstant(bootstrap, *self.name_and_type(pair))

    def __getitem__(self, index: int) -> Constant:
        """What instructions and bootstrap methods may refer to."""
        found = self._known.get(index)
        if found is None:
            found = self._known[index] = self._decode(index)
        return found

    def _decode(self, index: int) -> Constant:
        tag = self.tag(index)
        data, at = self.data, self._places[index] + 1
        match tag:
            case 3:
                return IntConstant(_INT(data, at)[0])
            case 4:
                return FloatConstant(_FLOAT(data, at)[0])
            case 5:
                return LongConstant(_LONG(data, at)[0])
            case 6:
                return DoubleConstant(_DOUBLE(data, at)[0])
            case 7:
                return ClassConstant(self.class_name(index))
            case 8:
                return StringConstant(self.text(_U2(data, at)[0]))
            case 9 | 10 | 11:
                return self.member(index)
            case 15:
                return HandleConstant(data[at], self.member(_U2(data, at + 1)[0]))
            case 16:
                return MethodTypeConstant(self.text(_U2(data, at)[0]))
            case 17 | 18:
                return self.dynamic(index)
        raise BadClassFile(f"constant {index} of kind {tag} is no value")

    def indices(self) -> Sequence[int]:
        """The indices that hold a constant."""
        return [index for index, place in enumerate(self._places) if place]
