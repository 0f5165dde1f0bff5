"""What a class file holds, as values; sections 4.1 to 4.7 of "The Java Virtual Machine Specification"."""

from __future__ import annotations

from typing import NamedTuple

from everypath.languages.java.classfile.constants import Constant, HandleConstant
from everypath.records import dataclass, field

PUBLIC, PRIVATE, PROTECTED, STATIC, FINAL = 0x1, 0x2, 0x4, 0x8, 0x10
SYNCHRONIZED, BRIDGE, VARARGS, NATIVE, ABSTRACT, SYNTHETIC = 0x20, 0x40, 0x80, 0x100, 0x400, 0x1000
INTERFACE, ANNOTATION, ENUM = 0x200, 0x2000, 0x4000


class Switch(NamedTuple):
    """The operands of a switch: where it goes for each value, and otherwise."""

    default: int
    cases: tuple[tuple[int, int], ...]


class Dimensions(NamedTuple):
    """The operands of `multianewarray`: the array's class, and for how many dimensions there are lengths."""

    cls: str
    dimensions: int


Operand = None | int | tuple[int, int] | Switch | Dimensions | Constant


class Instruction(NamedTuple):
    """One instruction; targets of jumps are offsets in the code, constants are given as such."""

    offset: int
    opcode: int
    operand: Operand


class Catch(NamedTuple):
    """A row of the exception table: instructions from `start` up to `end` are handled at `handler`."""

    start: int
    end: int
    handler: int
    type: str | None
    """None for everything"""


class LocalVariable(NamedTuple):
    """The name of a local variable, where it has one."""

    start: int
    end: int
    name: str
    descriptor: str
    slot: int


@dataclass(frozen=True, slots=True)
class Code:
    """The body of a method."""

    max_stack: int
    max_locals: int
    instructions: tuple[Instruction, ...]
    catches: tuple[Catch, ...]
    lines: tuple[tuple[int, int], ...]
    """offset of the first instruction of a line, and the line"""
    variables: tuple[LocalVariable, ...]


class Annotation(NamedTuple):
    """An annotation, by the descriptor of its type."""

    type: str


class InnerClass(NamedTuple):
    """What a class file knows about a nested class."""

    name: str
    outer: str | None
    """None for local and anonymous classes"""
    simple: str | None
    """None for anonymous classes"""
    flags: int


class Component(NamedTuple):
    """A component of a record."""

    name: str
    descriptor: str
    signature: str | None


class Bootstrap(NamedTuple):
    """A bootstrap method with its arguments."""

    handle: HandleConstant
    arguments: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A field or method."""

    flags: int
    name: str
    descriptor: str
    signature: str | None = None
    """the generic signature"""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldInfo(Member):
    """A field."""

    constant: Constant | None = None
    """the value of a static field that is a constant"""


@dataclass(frozen=True, slots=True)
class MethodInfo(Member):
    """A method; its code is read when it is asked for."""

    place: tuple[int, int] | None = None
    """where the code lies: offset and length"""
    exceptions: tuple[str, ...] = ()
    """the checked exceptions that it declares"""
    parameter_names: tuple[str, ...] = ()
    """as declared, where the class was compiled with them"""
    parameter_annotations: tuple[tuple[Annotation, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ClassInfo:
    """Everything about a class but the bodies of its methods."""

    version: int
    flags: int
    name: str
    super: str | None
    interfaces: tuple[str, ...]
    fields: tuple[FieldInfo, ...]
    methods: tuple[MethodInfo, ...]
    signature: str | None = None
    source: str | None = None
    """the name of the source file, without a folder"""
    annotations: tuple[Annotation, ...] = ()
    inner: tuple[InnerClass, ...] = ()
    enclosing: tuple[str, str | None, str | None] | None = None
    """the class, method and descriptor that a local or anonymous class is in"""
    bootstraps: tuple[Bootstrap, ...] = ()
    components: tuple[Component, ...] | None = None
    """None unless it is a record"""
    nest_host: str | None = None
    nest_members: tuple[str, ...] = ()
    permitted: tuple[str, ...] = ()
    """the subclasses of a sealed class"""
    others: tuple[str, ...] = field(default=())
    """names of attributes that mean nothing here"""
