"""Which parts of a test's inputs are one and the same object."""

from __future__ import annotations

from everypath.cases.model import Inputs, MappingState, ObjectState, Pointer, SequenceState, TupleValue, Value


def aliases_of(inputs: Inputs) -> frozenset[frozenset[str]]:
    """Which access paths lead to the same object: the groups of two and more."""
    paths: dict[str, list[str]] = {}

    def walk(value: Value, path: str) -> None:
        if isinstance(value, TupleValue):
            for i, item in enumerate(value.items):
                walk(item, f"{path}[{i}]")
        if not isinstance(value, Pointer):
            return
        known = paths.setdefault(value.id, [])
        known.append(path)
        if len(known) > 1:
            return
        made = inputs.heap.get(value.id)
        if made is None:
            return
        if isinstance(made, ObjectState):
            for name, content in made.fields:
                walk(content, f"{path}.{name}")
        elif isinstance(made, SequenceState):
            for i, item in enumerate(made.items):
                walk(item, f"{path}[{i}]")
        elif isinstance(made, MappingState):
            for i, (_, content) in enumerate(made.entries):
                walk(content, f"{path}[{i}]")

    if inputs.receiver is not None:
        walk(inputs.receiver, "self")
    for name, value, _ in inputs.arguments:
        walk(value, name)
    return frozenset(frozenset(group) for group in paths.values() if len(group) > 1)
