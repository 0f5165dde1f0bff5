"""Java's types as those of the IR.

Every reference may be null. The smaller integer types are integers within bounds. A type variable stands for its
bound, or where it has none for what the bindings say that anything is, Integer by default; `Object` itself is tried
with Integer and String.
"""

from __future__ import annotations

from collections.abc import Mapping

from everypath.ir import types as t
from everypath.ir.types import Type
from everypath.languages.java.classfile.descriptors import (
    ArrayOf,
    FormalParameter,
    Generic,
    Parameterised,
    Primitive,
    Variable,
    Wildcard,
    field_signature,
)

INT_BOUNDS = (-(1 << 31), (1 << 31) - 1)
BOUNDS: dict[str, tuple[int, int]] = {
    "B": (-128, 127),
    "S": (-(1 << 15), (1 << 15) - 1),
    "C": (0, (1 << 16) - 1),
    "I": INT_BOUNDS,
    "J": (-(1 << 63), (1 << 63) - 1),
}
"""the least and the largest value of each integer type"""
FLOAT32 = t.Scalar("java.float")
"""`float`, for which a few known values are tried: terms have the precision of `double`"""
PRIMITIVE_TYPES: dict[str, Type] = {
    **{letter: t.Scalar("int", bounds=bounds) for letter, bounds in BOUNDS.items()},
    "Z": t.BOOL,
    "F": FLOAT32,
    "D": t.FLOAT,
    "V": t.NONE,
}
STRING = "java.lang.String"
_TEXTS = frozenset((STRING, "java.lang.CharSequence"))
_ANYTHING = frozenset(("java.lang.Object", "java.io.Serializable"))
_COMPARED = "java.lang.Comparable"
INTEGER = t.optional(t.ClassType("java.lang.Integer"))
"""what a type variable stands for where nothing else is known"""
INTEGER_OR_TEXT = t.union((INTEGER, t.STR))
"""what is tried for an object of any class"""
Bindings = Mapping[str, Type]
"""type variable -> what it stands for"""
ANYTHING = ""
"""the name under which bindings say what stands for anything"""
_DEEPEST = 4
"""Type arguments nested deeper than this are not looked at."""


def ir_type(generic: Generic, bindings: Bindings, depth: int = 0) -> Type:
    """The type of inputs that are declared with a Java type; `Object` inside of something is what a variable is."""
    match generic:
        case Primitive(letter):
            return PRIMITIVE_TYPES[letter]
        case ArrayOf(element):
            return t.optional(t.ArrayType(ir_type(element, bindings, depth + 1)))
        case Variable(name):
            return bindings.get(name) or _anything(bindings)
        case Wildcard(_, inner):
            return ir_type(inner, bindings, depth) if inner is not None else _anything(bindings)
        case Parameterised(name, arguments):
            return _class_type(name.replace("/", "."), arguments, bindings, depth)


def _class_type(name: str, arguments: tuple[Generic, ...], bindings: Bindings, depth: int) -> Type:
    if name in _TEXTS:
        return t.optional(t.STR)
    if name in _ANYTHING:
        return _anything(bindings) if depth else INTEGER_OR_TEXT
    if name == _COMPARED:
        inner = arguments[0] if arguments and depth < _DEEPEST else None
        return ir_type(inner, bindings, depth + 1) if inner is not None else _anything(bindings)
    held = tuple(ir_type(each, bindings, depth + 1) for each in arguments) if depth < _DEEPEST else ()
    return t.optional(t.ClassType(name, held))


def _anything(bindings: Bindings) -> Type:
    return bindings.get(ANYTHING, INTEGER)


def descriptor_type(descriptor: str) -> Type:
    """The type that a plain descriptor means."""
    return ir_type(field_signature(descriptor), {})


def exact_type(descriptor: str) -> Type:
    """The type of objects that code makes, tests or casts to: not null, and nothing but what the descriptor says."""
    if descriptor.startswith("["):
        return t.ArrayType(exact_type(descriptor[1:]))
    if descriptor.startswith("L"):
        return t.ClassType(descriptor[1:-1].replace("/", "."))
    return PRIMITIVE_TYPES[descriptor]


def descriptor_of(type_: Type) -> str:
    """The descriptor of a type, with dots in the names of classes; of a union, that of the first class."""
    for option in t.options_of(type_):
        match option:
            case t.ArrayType(element) | t.ListType(element):
                return f"[{descriptor_of(element)}"
            case t.ClassType(name) | t.MemberType(name):
                return f"L{name};"
            case t.Scalar("int", bounds=bounds):
                return next((letter for letter, known in BOUNDS.items() if known == bounds), "I")
            case t.Scalar(name) if name in _LETTERS:
                return _LETTERS[name]
    return "Ljava.lang.Object;"


_LETTERS = {"bool": "Z", "float": "D", FLOAT32.name: "F", "str": "Ljava.lang.String;"}
_OBJECT = Parameterised("java/lang/Object")


def bound_variables(formals: tuple[FormalParameter, ...], outer: Bindings | None = None) -> dict[str, Type]:
    """What type variables stand for if nobody says: their first bound, in which they stand for anything themselves."""
    found = dict(outer or {})
    for formal in formals:
        found[formal.name] = _anything(found)
    for formal in formals:
        bound = formal.bounds[0] if formal.bounds else None
        if bound is not None and bound != _OBJECT:
            found[formal.name] = ir_type(bound, found)
    return found


def zero(descriptor: str) -> int | float | bool | None:
    """What a field or element of the type holds at first."""
    if descriptor == "Z":
        return False
    if descriptor in ("F", "D"):
        return 0.0
    return 0 if descriptor in BOUNDS else None
