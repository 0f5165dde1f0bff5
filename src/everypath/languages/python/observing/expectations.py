"""From what two runs have shown to what a test expects: that in which they agree.

What differs between runs (addresses, times, counters, the order of sets) is no part of the expectation.
"""

from __future__ import annotations

import ast
from typing import Any

from everypath.cases.model import (
    Atom,
    Expected,
    Heap,
    HeapState,
    Instance,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Opaque,
    Pointer,
    Raised,
    Returned,
    SequenceState,
    TupleValue,
    Value,
    Written,
)

ANYTHING = Opaque("anything")
_MOST_FILES = 5
_FLOATS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


_OF_THE_MACHINE = frozenset({"RecursionError", "MemoryError"})
"""When these are raised depends on how deep the stack is, and how much memory there is, where a test runs."""


def agreed(one: Any, other: Any) -> Any:
    """What both runs have shown; where they differ, only what kind of thing there is."""
    if one == other:
        return one
    if not isinstance(one, list) or not isinstance(other, list) or not one or not other or one[0] != other[0]:
        return ["anything"]
    match one:
        case ["literal", text]:
            kinds = {type(_literal(text)).__name__, type(_literal(other[1])).__name__}
            return ["instance", "builtins", kinds.pop()] if len(kinds) == 1 else ["anything"]
        case ["tuple", items] if len(items) == len(other[1]):
            return ["tuple", list(map(agreed, items, other[1]))]
        case ["sequence", kind, items] if (
            kind == other[1] and kind not in ("set", "frozenset") and len(items) == len(other[2])
        ):
            return ["sequence", kind, list(map(agreed, items, other[2]))]
        case ["mapping", kind, pairs, factory] if _keys(pairs) == _keys(other[2]):
            return ["mapping", kind, _agreed_pairs(pairs, other[2]), factory]
        case ["object", module, name, fields] if _keys(fields) == _keys(other[3]):
            return ["object", module, name, _agreed_pairs(fields, other[3])]
        case ["returned", value]:
            return ["returned", agreed(value, other[1])]
        case ["raised", module, name, _, line, own] if other[1:3] == [module, name]:
            return ["raised", module, name, "", line, own]
    return ["anything"]


def _keys(pairs: list[Any]) -> list[Any]:
    return [key for key, _ in pairs]


def _agreed_pairs(pairs: list[Any], others: list[Any]) -> list[Any]:
    return [[key, agreed(value, other)] for (key, value), (_, other) in zip(pairs, others)]


def agreed_heap(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The objects that both runs have shown."""
    return {name: agreed(state, other[name]) for name, state in one.items() if name in other}


def files_of(one: dict[str, Any], other: dict[str, Any]) -> tuple[tuple[str, Value], ...]:
    """What both runs have changed in their folders in the same way."""
    found: list[tuple[str, Value]] = []
    for name, state in one.items():
        if name in other and other[name] == state and len(found) < _MOST_FILES:
            match state:
                case None:
                    found.append((name, Literal(None)))
                case ["folder"]:
                    found.append((name, Literal(True)))
                case ["text", text]:
                    found.append((name, Literal(text)))
                case ["bytes", text]:
                    found.append((name, Literal(_literal(text))))
    return tuple(found)


def expected_of(seen: dict[str, Any]) -> Expected | None:
    """The expectation; None where no test can rely on how the runs end."""
    heap, known = heap_of(seen["after"]), seen["after"]
    match seen["outcome"]:
        case ["returned", value]:
            return Expected(Returned(_value(value, known)), heap)
        case ["raised", "builtins", name, *_] if name in _OF_THE_MACHINE:
            return None
        case ["raised", module, name, message, line, own]:
            one_line = message if message and "\n" not in message else None
            return Expected(Raised(name, module, not own, one_line, line), heap)
    return None


def heap_of(described: dict[str, Any]) -> Heap:
    """The objects of a description that a test can look into."""
    shown = ("sequence", "mapping", "object")
    return {name: _state(state, described) for name, state in described.items() if state and state[0] in shown}


def _state(state: list[Any], known: dict[str, Any]) -> HeapState:
    match state:
        case ["sequence", kind, items]:
            return SequenceState(kind, tuple(_value(item, known) for item in items))
        case ["mapping", kind, pairs, factory]:
            return MappingState(tuple((_value(k, known), _value(v, known)) for k, v in pairs), kind, factory)
        case _:
            _, module, name, fields = state
            return ObjectState(name, module, tuple((field, _value(value, known)) for field, value in fields))


def _value(value: list[Any], known: dict[str, Any]) -> Value:
    match value:
        case ["literal", text]:
            return Literal(_literal(text))
        case ["tuple", items]:
            return TupleValue(tuple(_value(item, known) for item in items))
        case ["pointer", target]:
            # Of an object of the library that the inputs hold only the identity is told.
            return Pointer(target) if known.get(target, ("anything",))[0] != "anything" else ANYTHING
        case ["named", module, name]:
            return Named(module, name)
        case ["written", module, text]:
            return Written(module, text)
        case ["instance", module, name]:
            return Instance(module, name)
        case ["callable"]:
            return Opaque("callable")
    return ANYTHING


def _literal(text: str) -> Atom:
    if text in _FLOATS:
        return _FLOATS[text]
    value: Atom = ast.literal_eval(text)
    return value
