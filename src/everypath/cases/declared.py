"""Inputs whose possible values are all declared, such as a parameter `mode: Literal["r", "w"]`.

Code often has a branch for values that are not declared, and a test of it is welcome; so such inputs are arbitrary
while paths are explored. At the end of a path they get declared values if the path admits these. An error that only
other values lead to is the caller's fault, and no finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from everypath.explore.state import State
from everypath.heap.equality import equal
from everypath.logic.comparisons import or_
from everypath.logic.condition import PathCondition
from everypath.logic.terms import BoolLike


def as_declared(state: State) -> State:
    """The last state of a path, with a declared value for each such input if the path admits one."""
    told = state.copy()
    told.outcome = state.outcome
    for condition in _conditions(state):
        told.pc.add(condition)
    return told


def is_undeclared(state: State) -> bool:
    """Whether the path needs an input to have a value that is not declared."""
    pc: PathCondition = state.copy().pc
    return not all(pc.add(condition) for condition in _conditions(state))


def _conditions(state: State) -> Iterator[BoolLike]:
    """For each input with declared values, that it has one of them."""
    for variable, values in state.heap.inputs.admitted.items():
        yield or_(*(equal(state.heap, variable, value) for value in values))
