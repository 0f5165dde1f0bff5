"""Objects of the JDK that tests make and compare through public methods."""

from __future__ import annotations

from everypath.cases.model import Heap, Literal, ObjectState, Value
from everypath.languages.java.classfile.descriptors import Generic, Parameterised
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.subject import binary
from everypath.languages.java.scripts.values import Values

_OBJECT: Generic = Parameterised("java/lang/Object")
MAPS = frozenset(("java.util.HashMap", "java.util.LinkedHashMap", "java.util.TreeMap"))
SETS = frozenset(("java.util.HashSet", "java.util.LinkedHashSet", "java.util.TreeSet"))
WITHOUT_EQUALS = frozenset(("java.util.ArrayDeque", "java.util.PriorityQueue"))
COLLECTIONS = (
    MAPS
    | SETS
    | WITHOUT_EQUALS
    | frozenset(("java.util.ArrayList", "java.util.LinkedList", "java.util.Vector", "java.util.Stack"))
)
"""the collections that cases show by their elements"""
_ONE_BY_ONE = frozenset(("java.util.PriorityQueue", "java.util.Stack"))


def is_collection(state: ObjectState) -> bool:
    """Whether a case shows an object by its elements; one of a class under test it shows by its fields."""
    return binary(state.module, state.cls) in COLLECTIONS and all(key.startswith("$") for key, _ in state.fields)


def elements(state: ObjectState) -> list[Value] | None:
    """The elements of a collection of the JDK in order; None for what is none. The module of their semantics tells how
    cases show them."""
    if not is_collection(state) or binary(state.module, state.cls) in MAPS:
        return None
    return [value for key, value in state.fields if key.startswith("$")]


def entries(state: ObjectState) -> list[tuple[Value, Value]] | None:
    """The keys of a map of the JDK with their values; None for what is none."""
    if not is_collection(state) or binary(state.module, state.cls) not in MAPS:
        return None
    values = [value for _, value in state.fields]
    return list(zip(values[::2], values[1::2]))


BUILDERS = frozenset({"java.lang.StringBuilder", "java.lang.StringBuffer"})
"""Texts that change; what they hold is their field `text`."""


def library_object(
    target: str, state: ObjectState, heap: Heap, values: Values, type_: Generic, imports: Imports
) -> tuple[str, list[str]] | None:
    """An expression for a new object, and statements that fill it, in which `$` stands for its name."""
    name = binary(state.module, state.cls)
    if name in BUILDERS:
        text = dict(state.fields).get("text")
        held = values.value(text, _OBJECT) if isinstance(text, Literal) and text.value else ""
        return f"new {imports.cls(name)}({held})", []
    made = f"new {imports.cls(name)}<>" if name in COLLECTIONS else ""
    pairs = entries(state)
    if pairs is not None:
        key_type, value_type = _arguments(type_, 2)
        return f"{made}()", [f"$.put({values.value(k, key_type)}, {values.value(v, value_type)});" for k, v in pairs]
    items = elements(state)
    if items is None:
        return None
    written = [values.value(item, _arguments(type_, 1)[0]) for item in items]
    if not written:
        return f"{made}()", []
    # Neither of the two has a constructor that keeps the order of what it is given.
    if "null" in written or name in _ONE_BY_ONE:
        return f"{made}()", [f"$.add({item});" for item in written]
    return f"{made}({imports.cls('java.util.List')}.of({', '.join(written)}))", []


def _arguments(type_: Generic, count: int) -> tuple[Generic, ...]:
    arguments = type_.arguments if isinstance(type_, Parameterised) else ()
    return arguments if len(arguments) == count else (_OBJECT,) * count
