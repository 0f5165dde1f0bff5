"""Descriptors (`(I[J)Ljava/lang/String;`) and generic signatures.

They are described in sections 4.3 and 4.7.9.1 of "The Java Virtual Machine Specification".
"""

from __future__ import annotations

from functools import lru_cache

from everypath.languages.java.classfile.errors import BadClassFile
from everypath.records import dataclass

PRIMITIVES = {
    "B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short", "Z": "boolean",
    "V": "void",
}  # fmt: skip


def _end(text: str, at: int) -> int:
    """Where the type ends that begins at `at`."""
    while text[at] == "[":
        at += 1
    return text.index(";", at) + 1 if text[at] == "L" else at + 1


@lru_cache(maxsize=4096)
def method_types(descriptor: str) -> tuple[tuple[str, ...], str]:
    """The descriptors of a method's parameters and of its result."""
    try:
        found: list[str] = []
        at = 1
        while descriptor[at] != ")":
            end = _end(descriptor, at)
            found.append(descriptor[at:end])
            at = end
        return tuple(found), descriptor[at + 1 :]
    except (IndexError, ValueError):
        raise BadClassFile(f"{descriptor!r} is no descriptor of a method") from None


def slots(descriptor: str) -> int:
    """How many local variables a value of this type takes."""
    return 2 if descriptor in ("J", "D") else 1


def class_of(descriptor: str) -> str | None:
    """The internal name of the class that a descriptor names; None for primitive types and arrays."""
    return descriptor[1:-1] if descriptor.startswith("L") else None


def readable(descriptor: str) -> str:
    """A type as Java writes it: `int[]`, `java.util.Map.Entry`."""
    depth = len(descriptor) - len(descriptor.lstrip("["))
    inner = descriptor[depth:]
    name = PRIMITIVES.get(inner) or inner[1:-1].replace("/", ".").replace("$", ".")
    return name + "[]" * depth


# Generic signatures


@dataclass(frozen=True, slots=True)
class Primitive:
    """A primitive type or `void`, by its letter."""

    letter: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A type variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Wildcard:
    """An argument `?`, `? extends X` (bound `+`) or `? super X` (bound `-`)."""

    bound: str
    type: Generic | None


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An array."""

    element: Generic


@dataclass(frozen=True, slots=True)
class Parameterised:
    """A class by its internal name, with the arguments of its innermost class."""

    name: str
    arguments: tuple[Generic, ...] = ()


Generic = Primitive | Variable | Wildcard | ArrayOf | Parameterised


@dataclass(frozen=True, slots=True)
class FormalParameter:
    """A type parameter with its bounds."""

    name: str
    bounds: tuple[Generic, ...]


@dataclass(frozen=True, slots=True)
class MethodSignature:
    """The generic types of a method."""

    formals: tuple[FormalParameter, ...]
    parameters: tuple[Generic, ...]
    result: Generic


@dataclass(frozen=True, slots=True)
class ClassSignature:
    """The type parameters of a class, and what it extends."""

    formals: tuple[FormalParameter, ...]
    super: Parameterised
    interfaces: tuple[Parameterised, ...]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self) -> str:
        self.at += 1
        return self.text[self.at - 1]

    def until(self, stops: str) -> str:
        start = self.at
        while self.text[self.at] not in stops:
            self.at += 1
        return self.text[start : self.at]

    def type(self) -> Generic:
        letter = self.take()
        if letter == "L":
            return self.class_type()
        if letter == "T":
            name = self.until(";")
            self.at += 1
            return Variable(name)
        if letter == "[":
            return ArrayOf(self.type())
        if letter in PRIMITIVES:
            return Primitive(letter)
        raise BadClassFile(f"{self.text!r} is no generic signature")

    def class_type(self) -> Parameterised:
        name = self.until("<;.")
        arguments: tuple[Generic, ...] = ()
        while True:
            stop = self.take()
            if stop == ";":
                return Parameterised(name, arguments)
            if stop == "<":
                arguments = tuple(self.arguments())
            else:
                # An inner class of a generic one: its own arguments are the ones that count.
                name, arguments = f"{name}${self.until('<;.')}", ()

    def arguments(self) -> list[Generic]:
        found: list[Generic] = []
        while self.peek() != ">":
            if self.peek() == "*":
                self.at += 1
                found.append(Wildcard("*", None))
            elif self.peek() in "+-":
                found.append(Wildcard(self.take(), self.type()))
            else:
                found.append(self.type())
        self.at += 1
        return found

    def formals(self) -> tuple[FormalParameter, ...]:
        if self.peek() != "<":
            return ()
        self.at += 1
        found: list[FormalParameter] = []
        while self.peek() != ">":
            name = self.until(":")
            bounds: list[Generic] = []
            while self.peek() == ":":
                self.at += 1
                if self.peek() != ":":
                    bounds.append(self.type())
            found.append(FormalParameter(name, tuple(bounds)))
        self.at += 1
        return tuple(found)

    def method(self) -> MethodSignature:
        formals = self.formals()
        self.at += 1
        parameters: list[Generic] = []
        while self.peek() != ")":
            parameters.append(self.type())
        self.at += 1
        return MethodSignature(formals, tuple(parameters), self.type())

    def cls(self) -> ClassSignature:
        formals = self.formals()
        found: list[Parameterised] = []
        while self.peek():
            self.at += 1
            found.append(self.class_type())
        return ClassSignature(formals, found[0], tuple(found[1:]))


def field_signature(text: str) -> Generic:
    """The generic type of a field; a plain descriptor is one, too."""
    try:
        return _Reader(text).type()
    except IndexError:
        raise BadClassFile(f"{text!r} is no generic signature") from None


def method_signature(text: str) -> MethodSignature:
    """The generic types of a method; a plain descriptor is one, too."""
    try:
        return _Reader(text).method()
    except IndexError:
        raise BadClassFile(f"{text!r} is no generic signature of a method") from None


def class_signature(text: str) -> ClassSignature:
    """The type parameters of a class."""
    try:
        return _Reader(text).cls()
    except IndexError:
        raise BadClassFile(f"{text!r} is no generic signature of a class") from None
