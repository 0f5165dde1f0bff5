"""Types of collections beside each other: which is the vaguer one, and what converting one into another gives."""

from __future__ import annotations

from everypath.ir.types import (
    ANY,
    NONE,
    STR,
    ClassType,
    DictType,
    ListType,
    SetType,
    TupleType,
    Type,
    UnionType,
    options_of,
    union,
)
from everypath.languages.python.cards.index import COLLECTIONS


def useful(types: list[Type]) -> Type:
    """The union of the types that say something."""
    useful = [t for t in types if t != ANY]
    return union(useful) if useful else ANY


def converted(name: str, source: Type) -> Type:
    """What `list`, `set`, `tuple` or `sorted` make of a value."""
    element = useful([_iterated(option) for option in options_of(source)])
    made: dict[str, Type] = {"set": SetType(element), "tuple": TupleType((), element)}
    return made.get(name, ListType(element))


def _iterated(source: Type) -> Type:
    """The type of what going through a value gives."""
    match source:
        case ListType(element) | SetType(element) | DictType(element):
            return element
        case TupleType(elements, rest):
            return useful([*elements, *([] if rest is None else [rest])])
    return STR if source == STR else ANY


def merge(options: list[Type]) -> list[Type]:
    """Drop a collection of unknown elements next to one of known elements."""
    vague = (ListType(ANY), SetType(ANY), DictType(ANY, ANY))
    precise = {type(o) for o in options if o not in vague}
    return [o for o in options if not (o in vague and type(o) in precise)]


def vague(type_: Type) -> bool:
    """Whether something in the type is not known."""
    match type_:
        case ListType(element) | SetType(element):
            return vague(element)
        case DictType(key, value):
            return vague(key) or vague(value)
        case TupleType(elements, rest):
            return any(map(vague, elements)) or (rest is not None and vague(rest))
        case UnionType(options):
            return any(map(vague, options))
        case ClassType(name, arguments):
            return name in COLLECTIONS and (not arguments or any(map(vague, arguments)))
    return type_ == ANY


def with_keys(declared: Type, used: Type | None) -> Type:
    """A declared type with what uses say about keys and elements of sets that it leaves open, as `dict` does.

    Those of an input must be told apart when it gets its size, which is before anything is done with them.
    """
    match declared, used:
        case DictType(key, value), DictType(used_key, used_value):
            return DictType(used_key if key == ANY else with_keys(key, used_key), with_keys(value, used_value))
        case SetType(element, frozen), SetType(used_element):
            return SetType(used_element if element == ANY else element, frozen)
        case ListType(element), ListType(used_element):
            return ListType(with_keys(element, used_element))
        case UnionType(options), _ if used is not None:
            kinds = {type(option): option for option in options_of(used)}
            return union([with_keys(option, kinds.get(type(option))) for option in options])
    return declared


def refines(used: Type, known: Type) -> bool:
    """Whether what the uses say is about the same kind of thing."""
    wanted = {type(option) for option in options_of(known) if option != NONE}
    return known in (ANY, NONE) or wanted <= {type(option) for option in options_of(used)}
