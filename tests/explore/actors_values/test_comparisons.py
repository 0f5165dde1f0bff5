"""Equality and order of data values agree with the interpreter, whichever parts are inputs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.heap.values import Data, Unknown
from everypath.ir.types import INT
from everypath.languages.abs.runtime import values as real
from everypath.languages.abs.semantics.semantics import compare
from tests.explore.actors_values.inputs import (
    CONS,
    NIL,
    Assigned,
    concrete,
    follow,
    listing,
    new_state,
    partly,
    types,
)

EXPECTED = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": real.less,
    ">": lambda a, b: real.less(b, a),
    "<=": lambda a, b: not real.less(b, a),
    ">=": lambda a, b: not real.less(a, b),
}


@settings(max_examples=150, deadline=None)
@given(st.data(), types(), st.sampled_from(tuple(EXPECTED)), st.sampled_from(("noalias", "lazy", "solver")))
def test_comparing_agrees_with_the_interpreter(data: st.DataObject, type: Any, op: str, heap: str) -> None:
    left, right = data.draw(concrete(type)), data.draw(concrete(type))
    state, assigned = new_state(heap), Assigned()
    one, other = data.draw(
        st.composite(
            lambda draw: (
                partly(draw, state, type, left, assigned, "left"),
                partly(draw, state, type, right, assigned, "right"),
            )
        )()
    )
    assert assigned.only(state, lambda s: compare(s, op, one, other)) == EXPECTED[op](left, right)


@pytest.mark.parametrize("heap", ("noalias", "lazy", "solver"))
@pytest.mark.parametrize("op", ("==", "<"))
def test_two_open_lists_are_compared_up_to_the_bound(heap: str, op: str) -> None:
    state = new_state(heap, lengths=2)
    left, right = (state.heap.inputs.fresh(listing(INT), name) for name in ("l", "r"))
    paths = follow(state, lambda s: compare(s, op, left, right))
    assert [path for path in paths if "--lengths" in path.stopped]
    assert any(path.value is (op == "==") or path.value is False for path in paths)


def test_an_input_is_opened_only_when_the_parts_before_are_equal() -> None:
    state = new_state()
    left = Data(CONS, (1, state.heap.inputs.fresh(listing(INT), "l")))
    right = Data(CONS, (2, state.heap.inputs.fresh(listing(INT), "r")))
    (path,) = follow(state, lambda s: compare(s, "==", left, right))
    assert path.value is False


def test_a_value_is_equal_to_itself_without_a_look() -> None:
    state = new_state()
    value = Unknown("l", listing(INT))
    (path,) = follow(state, lambda s: compare(s, "==", value, value))
    assert path.value is True and not path.state.heap.bind


def test_long_lists_need_no_deep_stack() -> None:
    state = new_state()
    one, other = Data(NIL), Data(NIL)
    for number in range(20_000):
        one, other = Data(CONS, (number, one)), Data(CONS, (number, other))
    assert compare(state, "==", one, other) is True
    assert compare(state, "<", one, Data(CONS, (0, other))) is False
