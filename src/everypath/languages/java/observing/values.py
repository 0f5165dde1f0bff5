"""From what the JVM tells about values and objects to those of a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from everypath.cases.model import Heap, HeapState, Literal, Named, ObjectState, Opaque, Pointer, SequenceState, Value
from everypath.languages.java.frontend.hierarchy import Hierarchy
from everypath.languages.java.scripts.subject import BOXES

ANYTHING = Opaque("anything")
_BOXES = {letter: name for name, letter in BOXES.items()}
_PRIMITIVE = frozenset("IJSBCZFD")


class Reading:
    """Collects the objects of one heap."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self.heap: Heap = {}
        self._boxes = 0

    def value(self, told: list[Any], descriptor: str) -> Value:
        """A value at a place of this type; where that is no primitive type, numbers are objects."""
        match told:
            case ["plain", "null", _]:
                return Literal(None)
            case ["plain", "text", text]:
                return Literal(text)
            case ["plain", letter, text]:
                plain = Literal(_number(letter, text))
                return plain if descriptor in _PRIMITIVE else self._box(letter, plain)
            case ["constant", cls, name]:
                package, _, simple = cls.rpartition(".")
                return Named(package, f"{simple}.{name}")
            case ["object", name, _]:
                return Pointer(name)
        return ANYTHING

    def _box(self, letter: str, plain: Literal) -> Pointer:
        self._boxes += 1
        name = f"box{self._boxes}"
        package, _, simple = _BOXES[letter].rpartition(".")
        self.heap[name] = ObjectState(simple, package, (("value", plain),))
        return Pointer(name)

    def objects(self, described: Mapping[str, list[Any]]) -> Heap:
        """The heap of a description; what a test cannot look into is not in it."""
        for name, state in described.items():
            read = self._state(state)
            if read is not None:
                self.heap[name] = read
        return self.heap

    def _state(self, state: list[Any]) -> HeapState | None:
        match state:
            case ["array", descriptor, items]:
                return SequenceState(_dotted(descriptor), self.all(items, descriptor[1:]))
            case ["builder", cls, text]:
                return self._object(cls, (("text", Literal(text)),))
            case ["items", cls, items]:
                return self._object(cls, numbered(self.all(items, "")))
            case ["entries", cls, flat]:
                return self._object(cls, paired(self.all(flat, "")))
            case ["fields", cls, fields]:
                found = self._hierarchy.find(cls)
                known = found.all_fields if found is not None else {}
                held = [(name, self.value(value, known[name].descriptor)) for name, value in fields if name in known]
                return self._object(cls, tuple(held))
        return None

    def all(self, told: Iterable[list[Any]], descriptor: str) -> tuple[Value, ...]:
        """Several values of one type."""
        return tuple(self.value(each, descriptor) for each in told)

    def _object(self, cls: str, fields: tuple[tuple[str, Value], ...]) -> ObjectState:
        package, _, simple = cls.rpartition(".")
        return ObjectState(simple, package, fields)


def numbered(items: Iterable[Value]) -> tuple[tuple[str, Value], ...]:
    """The elements of a collection as a case has them."""
    return tuple((f"${number}", item) for number, item in enumerate(items))


def paired(flat: tuple[Value, ...]) -> tuple[tuple[str, Value], ...]:
    """The keys and values of a map as a case has them."""
    names = (f"${kind}{number}" for number in range(len(flat) // 2) for kind in ("key", "value"))
    return tuple(zip(names, flat))


def _dotted(descriptor: str) -> str:
    return descriptor.replace("/", ".")


def _number(letter: str, text: str) -> bool | int | float:
    if letter == "Z":
        return text == "true"
    if letter in "FD":
        return float(text.replace("Infinity", "inf"))
    return int(text)
