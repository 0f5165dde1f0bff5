"""From a call that a search has found to the inputs of a case.

Arrays and collections are values; objects of classes become steps, and with them the collections that hold some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everypath.cases.model import Arguments, BuildStep, Inputs, ObjectState, Pointer, SequenceState, Value
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import method_types
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaMethod
from everypath.languages.java.observing.values import Reading, numbered, paired

_ADD = "add(Ljava/lang/Object;)Z"
_PUT = "put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"
_EMPTY = "<init>()V"


def read_inputs(trial: list[Any], method: JavaMethod, before: dict[str, Any], hierarchy: Hierarchy) -> Inputs:
    """The inputs of a call, and the objects that they reach right before it."""
    reader = _Reader(hierarchy)
    receiver, arguments = trial
    target = reader.value(receiver, "") if receiver is not None else None
    given = reader.arguments(arguments, method.parameters, method.parameter_names)
    ready = Reading(hierarchy).objects(before)
    return Inputs(target, given, reader.reading.heap, tuple(reader.steps), ready if reader.steps else {})


class _Reader:
    """Collects the objects and steps of one call."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.reading = Reading(hierarchy)
        self.steps: list[BuildStep] = []
        self._done: set[str] = set()

    def arguments(self, told: Sequence[list[Any]], types: Sequence[str], names: Sequence[str] = ()) -> Arguments:
        shown = names or [f"argument{number}" for number in range(len(types))]
        return tuple((name, self.value(value, type_), "normal") for name, value, type_ in zip(shown, told, types))

    def value(self, told: list[Any], descriptor: str) -> Value:
        match told:
            case ["made", name, how, kind, text, parts, steps]:
                if name not in self._done:
                    self._done.add(name)
                    self._make(name, how, kind, text, parts)
                    for method, arguments in steps:
                        self._call(name, kind, method, arguments)
                return Pointer(name)
            case ["object", *_]:
                raise Unsupported("an input that nobody knows how to make")
        return self.reading.value(told, descriptor)

    def _make(self, name: str, how: str, kind: str, text: str, parts: list[Any]) -> None:
        package, _, simple = kind.rpartition(".")
        heap = self.reading.heap
        if how == "OBJECT":
            self._call(name, kind, text, parts)
        elif how == "BUILDER":
            heap[name] = ObjectState(simple, package, (("text", self.reading.value(["plain", "text", text], "")),))
        elif how == "ARRAY":
            items = tuple(self.value(each, kind[1:]) for each in parts)
            heap[name] = SequenceState(kind.replace("/", "."), items)
            if any(map(self._is_stepped, items)):
                raise Unsupported("an array of objects that calls make")
        else:
            held = tuple(self.value(each, "") for each in parts)
            if any(map(self._is_stepped, held)):
                self._step(name, kind, _EMPTY, ())
                width = 2 if how == "ENTRIES" else 1
                for at in range(0, len(held), width):
                    given = tuple(("element", value, "normal") for value in held[at : at + width])
                    self._step(name, kind, _PUT if width == 2 else _ADD, given)
            else:
                fields = paired(held) if how == "ENTRIES" else numbered(held)
                heap[name] = ObjectState(simple, package, fields)

    def _is_stepped(self, value: Value) -> bool:
        """Whether a value is there only when some steps were taken."""
        return isinstance(value, Pointer) and value.id not in self.reading.heap

    def _call(self, target: str, cls: str, method: str, arguments: list[Any]) -> None:
        types = method_types(method[method.index("(") :])[0]
        self._step(target, cls, method, self.arguments(arguments, types))

    def _step(self, target: str, cls: str, method: str, arguments: Arguments) -> None:
        package, _, simple = cls.rpartition(".")
        self.steps.append(BuildStep(target, package, simple, method.removeprefix("<init>"), arguments))
