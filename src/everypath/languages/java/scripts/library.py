"""Objects of the JDK that tests make and compare through public methods, by the fields they have."""

from __future__ import annotations

from collections.abc import Callable

from everypath.cases.model import Heap, Literal, ObjectState, Pointer, SequenceState, Value
from everypath.languages.java.classfile.descriptors import Generic, Parameterised
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.subject import binary
from everypath.languages.java.scripts.values import Values

_OBJECT: Generic = Parameterised("java/lang/Object")


def _array_list(state: ObjectState, heap: Heap) -> list[Value] | None:
    fields = dict(state.fields)
    array, size = fields.get("elementData"), fields.get("size")
    held = heap.get(array.id) if isinstance(array, Pointer) else None
    if not isinstance(size, Literal) or not isinstance(size.value, int):
        return None
    items = held.items if isinstance(held, SequenceState) else ()
    return list(items[: size.value]) if 0 <= size.value <= len(items) else None


def _linked_list(state: ObjectState, heap: Heap) -> list[Value] | None:
    fields = dict(state.fields)
    found: list[Value] = []
    seen: set[str] = set()
    node = fields.get("first")
    while isinstance(node, Pointer) and node.id not in seen:
        seen.add(node.id)
        held = heap.get(node.id)
        if not isinstance(held, ObjectState):
            return None
        inside = dict(held.fields)
        found.append(inside.get("item", Literal(None)))
        node = inside.get("next")
    return found if fields.get("size") == Literal(len(found)) else None


def _array_deque(state: ObjectState, heap: Heap) -> list[Value] | None:
    fields = dict(state.fields)
    array, head, tail = fields.get("elements"), fields.get("head"), fields.get("tail")
    held = heap.get(array.id) if isinstance(array, Pointer) else None
    if not isinstance(held, SequenceState) or not isinstance(head, Literal) or not isinstance(tail, Literal):
        return None
    if not isinstance(head.value, int) or not isinstance(tail.value, int):
        return None
    found: list[Value] = []
    at = head.value
    while at != tail.value and len(found) < len(held.items) and 0 <= at < len(held.items):
        found.append(held.items[at])
        at = (at + 1) % len(held.items)
    return found if at == tail.value and Literal(None) not in found else None


_SEQUENCES: dict[str, Callable[[ObjectState, Heap], list[Value] | None]] = {
    "java.util.ArrayList": _array_list,
    "java.util.LinkedList": _linked_list,
    "java.util.ArrayDeque": _array_deque,
}
"""Collections by how their elements are read off their fields."""


def elements(state: ObjectState, heap: Heap) -> list[Value] | None:
    """The elements of a collection of the JDK in order; None for what is none, or in no state that calls lead to."""
    read = _SEQUENCES.get(binary(state.module, state.cls))
    return None if read is None else read(state, heap)


def inner_objects(state: ObjectState, heap: Heap) -> set[str]:
    """The objects inside of a collection that tests do not see: arrays and nodes."""
    items = elements(state, heap)
    if items is None:
        return set()
    held = {value.id for value in items if isinstance(value, Pointer)}
    found: set[str] = set()
    waiting = [value.id for _, value in state.fields if isinstance(value, Pointer)]
    while waiting:
        current = waiting.pop()
        inside = heap.get(current)
        if current in found or current in held or inside is None:
            continue
        if not isinstance(inside, SequenceState) and not (
            isinstance(inside, ObjectState) and inside.cls.startswith(f"{state.cls}$")
        ):
            continue
        found.add(current)
        values = inside.items if isinstance(inside, SequenceState) else [value for _, value in inside.fields]
        waiting += [value.id for value in values if isinstance(value, Pointer)]
    return found


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
    items = elements(state, heap)
    if items is None:
        return None
    argument = type_.arguments[0] if isinstance(type_, Parameterised) and type_.arguments else _OBJECT
    made = f"new {imports.cls(name)}<>"
    written = [values.value(item, argument) for item in items]
    if not written:
        return f"{made}()", []
    if "null" in written:
        return f"{made}()", [f"$.add({item});" for item in written]
    return f"{made}({imports.cls('java.util.List')}.of({', '.join(written)}))", []
