"""Readable, unique names for the objects of a test."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Collection, Mapping

from everypath.cases.model import (
    CallCase,
    Heap,
    HeapState,
    Literal,
    MappingState,
    ObjectState,
    Pointer,
    Returned,
    SequenceState,
    StandInState,
    StreamState,
    TupleValue,
    UnusedState,
    Value,
    parts,
)
from everypath.languages.python.scripts.graph import on_cycle, owners, pointers, reachable

_UNREADABLE = ("l", "I", "O")
"""Names that look like digits."""


def snake_case(name: str) -> str:
    """`LinkedList` as `linked_list`."""
    parts = re.sub(r"([A-Z]+)([A-Z][a-z])|([a-z0-9])([A-Z])", r"\1\3_\2\4", name)
    return re.sub(r"\W+", "_", parts).strip("_").lower() or "value"


def unique(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; from now on it is."""
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate)
    return candidate


class Scope:
    """The variables of one test function."""

    def __init__(self, reserved: Collection[str]) -> None:
        self._reserved = frozenset(reserved)
        self._taken = set(reserved)
        self._numbers: dict[str, int] = {}

    def claim(self, base: str, alternative: str = "value") -> str:
        """A free name close to `base`; `alternative` is the word added when `base` would mislead."""
        base = base.strip("_") or alternative
        if keyword.iskeyword(base) or hasattr(builtins, base):
            base = f"{base}_"
        elif base in self._reserved or base in _UNREADABLE or not base.isidentifier():
            base = f"{base}_{alternative}"
        name, number = base, self._numbers.get(base, 2)
        while name in self._taken:
            name, number = f"{base.rstrip('_')}_{number}", number + 1
        self._numbers[base] = number
        self._taken.add(name)
        return name


def roots_of(case: CallCase) -> list[tuple[str, Value]]:
    """The receiver and the arguments, each with the name it suggests for its object."""
    roots: list[tuple[str, Value]] = []
    receiver = case.inputs.receiver
    if receiver is not None:
        state = case.inputs.heap.get(receiver.id) if isinstance(receiver, Pointer) else None
        cls = state.cls if isinstance(state, ObjectState) else case.entry.cls or "receiver"
        roots.append((snake_case(cls.rpartition(".")[2]), receiver))
    for name, value, kind in case.inputs.arguments:
        state = case.inputs.heap.get(value.id) if isinstance(value, Pointer) else None
        if kind == "star" and isinstance(value, TupleValue):
            roots += [(name, item) for item in value.items]
        elif kind == "doublestar" and isinstance(state, MappingState):
            # The callee gets a new dict, so the one in the model is nobody's but its own.
            roots += [(_key_hint(key), item) for key, item in state.entries]
        else:
            roots.append((name, value))
    return roots


def name_objects(case: CallCase, scope: Scope) -> dict[str, str]:
    """A variable for every object that the test must be able to refer to, parents before children."""
    heap = case.inputs.heap
    roots = roots_of(case)
    names: dict[str, str] = {}
    functions = functions_in_place(case)
    for suggestion, value in roots:
        if isinstance(value, Pointer) and value.id in heap and value.id not in (*names, *functions):
            names[value.id] = scope.claim(suggestion, _kind(heap[value.id]))
    in_place = _written_in_place(case, set(names)) | functions
    hints = _hints(heap)
    for target in reachable((value for _, value in roots), heap):
        if target not in names and target not in in_place:
            names[target] = scope.claim(hints[target])
    return names


def functions_in_place(case: CallCase) -> set[str]:
    """The functions that a test writes where it passes them: nothing else refers to them, and nobody counts calls."""
    if not any(isinstance(state, StandInState) for state in case.inputs.heap.values()):
        return set()
    from everypath.languages.python.scripts.mocks import in_place

    before, after = owners(case.inputs.heap), owners(case.expected.heap)
    counted = {asked.target for asked in case.expected.asked if asked.arguments or asked.keywords}
    passed = [target for _, value in roots_of(case) for target in pointers(value)]
    outcome = case.expected.outcome
    returned = set(pointers(outcome.value)) if isinstance(outcome, Returned) else set()
    return {
        target
        for target, state in case.inputs.heap.items()
        if isinstance(state, StandInState)
        and in_place(state) is not None
        and (target not in counted or state.strict)
        and passed.count(target) + _uses(before, target) == 1
        and before.get(target) == after.get(target)
        and target not in returned
    }


def _uses(by: Mapping[str, Counter[str]], target: str) -> int:
    return by[target].total() if target in by else 0


def _written_in_place(case: CallCase, roots: set[str]) -> set[str]:
    """Containers with one owner, the same before and after, that need no name: equality says enough about them."""
    heap, after = case.inputs.heap, case.expected.heap
    before_owners, after_owners = owners(heap), owners(after)
    outcome = case.expected.outcome
    results = set(pointers(outcome.value)) if isinstance(outcome, Returned) else set()
    from_arguments = {p for _, value in roots_of(case) for p in pointers(value)}
    chosen = set()
    filled = {
        target
        for state in heap.values()
        if isinstance(state, ObjectState)
        for name, value in state.fields
        if not name.isidentifier()
        for target in pointers(value)
    }
    for target, state in heap.items():
        before = before_owners.get(target)
        if (
            not isinstance(state, (ObjectState, StandInState))
            and target not in roots | results | from_arguments
            and before is not None
            and before.total() == 1
            and (after_owners.get(target) == before or target in filled)
            and not on_cycle(target, heap)
        ):
            chosen.add(target)
    return chosen


def _hints(heap: Heap) -> dict[str, str]:
    """What each object would be called: its class, or for containers the field that holds it."""
    hints: dict[str, str] = {}
    for state in heap.values():
        match state:
            case ObjectState(fields=fields):
                labelled = [(name.rpartition("__")[2], value) for name, value in fields]
            case MappingState(entries=entries):
                labelled = [(_key_hint(key), value) for key, value in entries]
            case SequenceState(items=items):
                labelled = [("item", value) for value in items]
            case StandInState(fields=fields):
                labelled = [*fields, *(("answer", value) for value in parts(state))]
            case StreamState() | UnusedState():
                labelled = []
        for label, value in labelled:
            for target in pointers(value):
                hints.setdefault(target, label)
    for target, state in heap.items():
        if isinstance(state, StandInState) and not state.cls:
            hints.setdefault(target, re.sub(r"\W+", "_", target.rpartition(".")[2]).strip("_"))
        if isinstance(state, (ObjectState, UnusedState, StandInState)) and state.cls:
            hints[target] = snake_case(state.cls.rpartition(".")[2])
        by_kind = "mapping" if isinstance(state, MappingState) else "items"
        hints.setdefault(target, "stream" if isinstance(state, StreamState) else by_kind)
    return hints


def _kind(state: HeapState) -> str:
    if isinstance(state, (ObjectState, UnusedState, StandInState)):
        return snake_case(state.cls.rpartition(".")[2])
    if isinstance(state, StreamState):
        return "stream"
    return state.kind if isinstance(state, SequenceState) else "dict"


def _key_hint(key: Value) -> str:
    if isinstance(key, Literal) and isinstance(key.value, str) and key.value.isidentifier():
        return key.value
    return "value"
