"""The path condition in words of the source language: constraints on values and facts about references."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.explore.answers import log_of
from everypath.explore.objects import short
from everypath.explore.state import State
from everypath.heap.heap import Heap
from everypath.heap.values import DictCell, InitialDict, Ref, Value
from everypath.ir.names import interface_of
from everypath.ir.types import NONE
from everypath.logic.printing import written
from everypath.logic.terms import Term
from everypath.logic.thresholds import is_about_size


def describe(state: State) -> Iterator[str]:
    """What the inputs must satisfy to follow the path, one readable condition at a time."""
    yield from _kinds(state.heap)
    yield from _known_values(state.heap)
    yield from _classes(state.heap)
    yield from _keys(state.heap)
    yield from (f"{call.name} raises {_class(call.answer)}" for call in log_of(state).calls if call.raised)
    for constraint in state.pc.constraints():
        # That lists are not endlessly long is no condition of the program.
        if not is_about_size(constraint):
            yield str(constraint)


def _kinds(heap: Heap) -> Iterator[str]:
    """Which of their declared types the inputs have."""
    for unknown, options in heap.narrowed.items():
        if NONE in unknown.options and NONE not in options:
            yield f"{unknown.name} is not None"
        elif len(options) < len(unknown.options):
            yield f"{unknown.name} is {' or '.join(map(str, options))}"


def _known_values(heap: Heap) -> Iterator[str]:
    for unknown, value in heap.bind.items():
        if value is None:
            yield f"{unknown.name} is None"
        elif isinstance(value, Ref) and value.name != unknown.name:
            yield f"{unknown.name} is {value.name}"
        elif isinstance(value, (float, bytes)):
            # Numbers and texts are terms, and so among the constraints.
            yield f"{unknown.name} == {written(value)}"


def _classes(heap: Heap) -> Iterator[str]:
    for ref, bound in heap.bounds.items():
        if bound.bound != ref.cls and interface_of(bound.bound) is None:
            yield f"isinstance({ref.name}, {bound.bound.rsplit('.', 1)[-1]})"
        for out in bound.excluded:
            yield f"not isinstance({ref.name}, {out.rsplit('.', 1)[-1]})"


def _keys(heap: Heap) -> Iterator[str]:
    """Which keys dicts have, and which they lack."""
    for ref, cell in heap.cells.items():
        if ref.input and isinstance(cell, DictCell):
            first = heap.first[ref]
            assert isinstance(first, InitialDict)
            for key, _ in first.entries:
                yield f"{_show(key)} in {ref.name}"
            for key in cell.absent:
                if all(key is not known for known, _ in first.entries):
                    yield f"{_show(key)} not in {ref.name}"


def _class(value: Value) -> str:
    assert isinstance(value, Ref)
    return short(value.cls)


def _show(value: Value) -> str:
    return str(value) if isinstance(value, Term) else written(value)
