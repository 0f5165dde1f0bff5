"""Generic types: what stands for a type variable, and how an object's class sees the arguments of a supertype."""

from __future__ import annotations

from collections.abc import Mapping

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
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, dotted, internal

OBJECT = Parameterised("java/lang/Object")
Binding = Mapping[str, Generic]


def from_descriptor(descriptor: str) -> Generic:
    """The type that a descriptor names."""
    return field_signature(descriptor)


def array_kind(kind: str) -> Generic | None:
    """The type of an array as a case names it: a descriptor, or as Java writes it; None if it does not tell."""
    if kind.startswith("["):
        return from_descriptor(internal(kind))
    if not kind.endswith("[]"):
        return None
    inner, depth = kind.rstrip("[]"), kind.count("[")
    letters = {"byte": "B", "char": "C", "double": "D", "float": "F", "int": "I", "long": "J", "short": "S"}
    letters["boolean"] = "Z"
    return from_descriptor("[" * depth + (letters.get(inner) or f"L{internal(inner)};"))


def substituted(type_: Generic, binding: Binding) -> Generic:
    """The type with variables replaced by what is known about them."""
    match type_:
        case Variable(name=name):
            return binding.get(name, type_)
        case ArrayOf(element=element):
            return ArrayOf(substituted(element, binding))
        case Wildcard(bound=bound, type=inner):
            return type_ if inner is None else Wildcard(bound, substituted(inner, binding))
        case Parameterised(name=name, arguments=arguments):
            return Parameterised(name, tuple(substituted(each, binding) for each in arguments))
        case Primitive():
            return type_


def plain(type_: Generic) -> Generic:
    """A type of which there can be a variable: a wildcard is its bound."""
    match type_:
        case Wildcard(type=inner):
            return OBJECT if inner is None else plain(inner)
        case Parameterised(name=name, arguments=arguments):
            return Parameterised(name, tuple(plain(each) for each in arguments))
        case ArrayOf(element=element):
            return ArrayOf(plain(element))
    return type_


def descriptor_of(type_: Generic) -> str:
    """The erased type as a descriptor; a type variable counts as any object."""
    match type_:
        case Primitive(letter=letter):
            return letter
        case ArrayOf(element=element):
            return f"[{descriptor_of(element)}"
        case Parameterised(name=name):
            return f"L{name};"
        case Wildcard(type=inner) if inner is not None:
            return descriptor_of(inner)
    return "Ljava/lang/Object;"


def class_name(type_: Generic) -> str | None:
    """The binary name of the class that a type names, with dots; None for arrays and primitive types."""
    return dotted(type_.name) if isinstance(type_, Parameterised) else None


def own_type(cls: JavaClass) -> Parameterised:
    """A class with its own type parameters as arguments."""
    return Parameterised(internal(cls.name), tuple(Variable(formal.name) for formal in cls.formals))


def seen_as(hierarchy: Hierarchy, cls: JavaClass, above: str) -> tuple[Generic, ...] | None:
    """The arguments that a supertype has in a class, in terms of the parameters of that class; None if it has none."""
    waiting = [own_type(cls)]
    seen: set[str] = set()
    while waiting:
        current = waiting.pop(0)
        if dotted(current.name) == above:
            return current.arguments
        found = hierarchy.find(dotted(current.name))
        if found is None or current.name in seen:
            continue
        seen.add(current.name)
        binding = dict(zip((formal.name for formal in found.formals), current.arguments))
        for parent in (found.signature.super, *found.signature.interfaces):
            lifted = substituted(parent, binding)
            assert isinstance(lifted, Parameterised)
            waiting.append(lifted)
    return None


def binding_of(hierarchy: Hierarchy, cls: JavaClass, declared: Generic) -> dict[str, Generic]:
    """What the parameters of an object's class are, where the object is known by a declared type."""
    formals = {formal.name for formal in cls.formals}
    if not formals or not isinstance(declared, Parameterised) or not declared.arguments:
        return {}
    lifted = seen_as(hierarchy, cls, dotted(declared.name)) or ()
    found: dict[str, Generic] = {}
    for above, argument in zip(lifted, declared.arguments):
        if isinstance(above, Variable) and above.name in formals:
            found.setdefault(above.name, plain(argument))
    return found


def default_for(formal: FormalParameter) -> Generic:
    """A type for a parameter about which nothing is known: its bound, or numbers where that is about itself."""
    for bound in formal.bounds:
        if isinstance(bound, Parameterised) and bound != OBJECT:
            return Parameterised("java/lang/Integer") if bound.name == "java/lang/Comparable" else plain(bound)
    return OBJECT


def is_array_of_variable(type_: Generic) -> bool:
    """Whether a field's array has elements of a type variable: at run time it is of another class than code expects."""
    return isinstance(type_, ArrayOf) and (isinstance(type_.element, Variable) or is_array_of_variable(type_.element))
