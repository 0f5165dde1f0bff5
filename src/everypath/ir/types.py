"""The types of registers, fields and inputs: what a front end knows about a value before it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everypath.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type whose values are not references: int, bool, str, float, bytes, none."""

    name: str
    values: tuple[int | str | bytes, ...] = field(default=(), compare=False)
    """the only values that are declared, if they are listed; apart from that, the type is the one without them"""
    bounds: tuple[int, int] | None = field(default=None, compare=False)
    """the least and the largest value of an integer type that has fewer than the language's integers"""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class AnyType:
    """Nothing is known."""

    def __str__(self) -> str:
        return "any"


@dataclass(frozen=True, slots=True)
class ClassType:
    """A non-null reference to an object of the class or of one of its subclasses."""

    name: str
    arguments: tuple[Type, ...] = ()
    """what a collection of the library holds"""

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.arguments))}]" if self.arguments else self.name


@dataclass(frozen=True, slots=True)
class MemberType:
    """One of the members of an enumeration, which are the only objects of their class."""

    name: str

    def __str__(self) -> str:
        return f"member of {self.name}"


@dataclass(frozen=True, slots=True)
class RecordType:
    """A mapping with the keys that a class declares, each with a type of its own."""

    name: str

    def __str__(self) -> str:
        return f"record {self.name}"


@dataclass(frozen=True, slots=True)
class UnionType:
    """One of several types; a nullable reference is the union of a class and none."""

    options: tuple[Type, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.options))


@dataclass(frozen=True, slots=True)
class ListType:
    """A growable sequence."""

    element: Type

    def __str__(self) -> str:
        return f"list[{self.element}]"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A sequence of fixed length."""

    element: Type

    def __str__(self) -> str:
        return f"array[{self.element}]"


@dataclass(frozen=True, slots=True)
class SetType:
    """An unordered collection without repetitions; one that is frozen never changes."""

    element: Type
    frozen: bool = False

    def __str__(self) -> str:
        return f"{'frozenset' if self.frozen else 'set'}[{self.element}]"


@dataclass(frozen=True, slots=True)
class DictType:
    """A mapping in insertion order."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.value}]"


@dataclass(frozen=True, slots=True)
class TupleType:
    """An immutable sequence; with `rest`, any number of further elements of that type follow."""

    elements: tuple[Type, ...]
    rest: Type | None = None

    def __str__(self) -> str:
        parts = [str(e) for e in self.elements]
        if self.rest is not None:
            parts.append(f"*{self.rest}")
        return f"tuple[{', '.join(parts)}]"


@dataclass(frozen=True, slots=True)
class DataType:
    """An algebraic data type, declared in the program; with `only`, values of these constructors."""

    name: str
    arguments: tuple[Type, ...] = ()
    only: tuple[str, ...] = ()

    def __str__(self) -> str:
        arguments = f"<{', '.join(map(str, self.arguments))}>" if self.arguments else ""
        return f"data {self.name}{arguments}{{{', '.join(self.only)}}}" if self.only else f"data {self.name}{arguments}"


@dataclass(frozen=True, slots=True)
class TypeParameter:
    """A parameter of a data type, as it occurs in the types of its constructors' arguments."""

    name: str

    def __str__(self) -> str:
        return f"'{self.name}"


@dataclass(frozen=True, slots=True)
class FunctionType:
    """Something callable, described by the result of a call and by the tuple of its arguments."""

    result: Type
    parameters: Type

    def __str__(self) -> str:
        taken = str(self.parameters).removeprefix("tuple[").removesuffix("]")
        return f"function({taken}) -> {self.result}"


@dataclass(frozen=True, slots=True)
class FutureType:
    """The result of an asynchronous call, there or still to come."""

    result: Type

    def __str__(self) -> str:
        return f"future[{self.result}]"


Type = (
    Scalar
    | AnyType
    | ClassType
    | MemberType
    | RecordType
    | UnionType
    | ListType
    | ArrayType
    | SetType
    | DictType
    | TupleType
    | DataType
    | TypeParameter
    | FunctionType
    | FutureType
)

INT = Scalar("int")
BOOL = Scalar("bool")
STR = Scalar("str")
FLOAT = Scalar("float")
BYTES = Scalar("bytes")
RATIONAL = Scalar("rational")
NONE = Scalar("none")
ANY = AnyType()
SOME = Scalar("something")
"""What is left of any type when a value is known not to be null."""
FUNCTION = FunctionType(ANY, TupleType((), ANY))
"""Something callable about which nothing else is known."""
COMPLEX = Scalar("complex")
SCALARS = {t.name: t for t in (INT, BOOL, STR, FLOAT, BYTES, RATIONAL, NONE)}


def optional(inner: Type) -> Type:
    """The nullable form of `inner`."""
    return union((NONE, inner))


def not_null(type: Type) -> Type:
    """The type without null; null alone stays as it is."""
    left = tuple(option for option in options_of(type) if option != NONE)
    return union(left) if left else type


_CLASS_OF = "type["


def class_of(name: str) -> Scalar:
    """The type of a class itself: the one of this name, or one below it."""
    return Scalar(f"{_CLASS_OF}{name}]")


def named_class(type_: Type) -> str | None:
    """The name of the class that values of such a type are, or are below; None for any other type."""
    if isinstance(type_, Scalar) and type_.name.startswith(_CLASS_OF):
        return type_.name.removeprefix(_CLASS_OF).removesuffix("]")
    return None


def element_kind(element: Type) -> object:
    """Equal for the elements of sequences that may be one and the same object: integers of other bounds are others."""
    return (element, element.bounds) if isinstance(element, Scalar) else element


def has_samples_only(type_: Type) -> bool:
    """Whether there are no terms for values of the type, so that only a few known ones are tried as inputs.

    Such are classes, complex numbers, and unchanging objects of a library: the dotted name of their class is the type.
    """
    return isinstance(type_, Scalar) and (type_ == COMPLEX or "." in type_.name or named_class(type_) is not None)


def options_of(type_: Type) -> tuple[Type, ...]:
    """The options of a union; any other type is its own only option."""
    return type_.options if isinstance(type_, UnionType) else (type_,)


def _merged(one: Type, other: Type) -> Type:
    """One type for two that are equal apart from listed values: it lists those of both, unless one admits any value."""
    if not isinstance(one, Scalar) or not isinstance(other, Scalar) or not one.values:
        return one
    return replace(one, values=(*one.values, *other.values)) if other.values else other


def union(options: Iterable[Type]) -> Type:
    """The union of `options`, flattened and without repetitions; a single option stays itself."""
    flat: dict[Type, Type] = {}
    for part in (part for option in options for part in options_of(option)):
        flat[part] = _merged(flat[part], part) if part in flat else part
    if ANY in flat:
        return ANY
    parts = tuple(flat.values())
    return parts[0] if len(parts) == 1 else UnionType(parts)


def classes_in(type_: Type) -> Iterator[str]:
    """The names of the classes that a type is made of."""
    match type_:
        case ClassType(name):
            yield name
        case UnionType(parts) | TupleType(parts, None):
            for part in parts:
                yield from classes_in(part)
        case ListType(inner) | SetType(inner) | TupleType(_, inner):
            if inner is not None:
                yield from classes_in(inner)
        case DictType(key, value):
            yield from classes_in(key)
            yield from classes_in(value)
        case FunctionType(result):
            yield from classes_in(result)
