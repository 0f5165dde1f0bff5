"""What collections of the library hold, as annotations and uses tell."""

from __future__ import annotations

from everypath.ir.types import ANY, INT, ClassType, DictType, ListType, Type

ARGUMENTS = {
    "collections.deque": 1,
    "collections.Counter": 1,
    "collections.OrderedDict": 2,
    "collections.defaultdict": 2,
}
"""How many types an annotation gives to a collection of the library."""


def collection(name: str, types: tuple[Type, ...]) -> ClassType:
    """The type of `deque[int]`, `Counter[str]` and the like; the class alone if the number of types is wrong."""
    if len(types) != ARGUMENTS.get(name):
        return ClassType(name)
    return ClassType(name, (*types, INT) if name == "collections.Counter" else types)


def filled(known: ClassType, used: Type | None) -> ClassType:
    """The type of a collection of the library, completed with what its uses say about its content."""
    name, held = known.name, known.arguments
    if name == "collections.deque" and isinstance(used, ListType) and not held:
        return ClassType(name, (used.element,))
    if name in ARGUMENTS and name != "collections.deque" and isinstance(used, DictType):
        key, value = held or (ANY, ANY)
        # What makes the missing values says more about them than the way in which they are used.
        better = value == ANY or type(value) is type(used.value)
        return ClassType(name, (used.key if key == ANY else key, used.value if better else value))
    return known
