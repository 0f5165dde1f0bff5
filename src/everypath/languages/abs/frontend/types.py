"""The types of ABS after names are resolved, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from everypath.records import dataclass

STDLIB = "ABS.StdLib"


@dataclass(frozen=True, slots=True)
class Type:
    """What a value may be."""

    def __str__(self) -> str:
        """The type as a user writes it, without the names of modules."""
        match self:
            case DataType(name, arguments):
                short = name.rpartition(".")[2]
                return f"{short}<{', '.join(map(str, arguments))}>" if arguments else short
            case InterfaceType(name) | ClassType(name) | TypeParameter(name):
                return name.rpartition(".")[2]
            case NullType():
                return "null"
            case Meta():
                bound = self.lower if self.lower is not None else self.upper
                return "?" if bound is None else str(bound)
        return "?"


@dataclass(frozen=True, slots=True)
class DataType(Type):
    """A data type with its arguments; the built-in types are data types too. The name is qualified."""

    name: str
    arguments: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class InterfaceType(Type):
    """A reference to an object that implements an interface, or null."""

    name: str


@dataclass(frozen=True, slots=True)
class ClassType(Type):
    """A reference to an object of exactly this class: the type of `this` and of `new`, never written."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeParameter(Type):
    """A type parameter inside its declaration."""

    name: str


@dataclass(frozen=True, slots=True)
class NullType(Type):
    """The type of `null`."""


@dataclass(frozen=True, slots=True)
class NoValue(Type):
    """The type of what has no value: elements of an empty list nobody uses, the result of `get` on a Destiny."""


@dataclass(frozen=True, slots=True)
class Wrong(Type):
    """The type of what was already reported; it fits everywhere."""


class Meta(Type):
    """A type to be found out: somewhere between what flows into it and what it flows into."""

    __slots__ = ("lower", "upper")
    __setattr__ = object.__setattr__

    def __init__(self) -> None:
        self.lower: Type | None = None
        self.upper: Type | None = None

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"Meta({self.lower!r}, {self.upper!r})"


def builtin(name: str, *arguments: Type) -> DataType:
    """A type of the standard library."""
    return DataType(f"{STDLIB}.{name}", arguments)


INT, RAT, FLOAT, BOOL = builtin("Int"), builtin("Rat"), builtin("Float"), builtin("Bool")
STRING, UNIT, DESTINY, EXCEPTION = builtin("String"), builtin("Unit"), builtin("Destiny"), builtin("Exception")
OBJECT = InterfaceType(f"{STDLIB}.Object")
NULL, NO_VALUE, WRONG = NullType(), NoValue(), Wrong()
UNCHECKED = TypeParameter("unchecked")
"""The type of what the parser made and the checker has not seen yet; it fits nowhere."""
FUT, LIST = f"{STDLIB}.Fut", f"{STDLIB}.List"
NUMBERS = (INT, RAT, FLOAT)


def mapped(type: Type, change: Callable[[Type], Type | None]) -> Type:
    """The type with parts replaced; `change` returns None for what stays."""
    new = change(type)
    if new is not None:
        return new
    if isinstance(type, DataType) and type.arguments:
        arguments = tuple(mapped(a, change) for a in type.arguments)
        if arguments != type.arguments:
            return DataType(type.name, arguments)
    return type


def substituted(type: Type, values: Mapping[str, Type]) -> Type:
    """The type with its type parameters replaced."""
    if not values:
        return type
    return mapped(type, lambda t: values.get(t.name) if isinstance(t, TypeParameter) else None)
