"""Arithmetic on Int, Rat and Float agrees with the interpreter, whichever operands are inputs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.heap.conditional import choose
from everypath.heap.values import Rational
from everypath.ir.types import FLOAT, INT, RATIONAL, Type
from everypath.languages.abs.runtime import values as library
from everypath.languages.abs.runtime.values import Raised
from everypath.languages.abs.semantics.semantics import NATIVES, binary, compare, unary
from everypath.logic import terms
from tests.explore.actors_values.inputs import ZERO, Assigned, concretised, follow, new_state

EXPECTED = {
    "+": lambda a, b: library.whole(a + b),
    "-": lambda a, b: library.whole(a - b),
    "*": lambda a, b: library.whole(a * b),
    "/": library.divided,
    "%": library.remainder,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
whole_numbers = st.integers(-7, 7)
fractions = st.builds(Fraction, whole_numbers, st.integers(1, 3)).map(library.whole)


@st.composite
def operands(draw: st.DrawFn, inputs: Any, assigned: Assigned, name: str) -> tuple[Any, Any]:
    """A number as the interpreter and as the engine have it, the latter an input more often than not."""
    value = draw(st.one_of(whole_numbers, fractions))
    type: Type = INT if value.denominator == 1 and draw(st.booleans()) else RATIONAL
    known = draw(st.integers(0, 2)) == 0
    return value, value if known else assigned.add(inputs.fresh(type, name), value)


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Raised as raised:
        return raised.value.name


def run(state: Any, op: str, left: Any, right: Any) -> Any:
    return binary(state, op, left, right, False) if op in "+-*/%" else compare(state, op, left, right)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(tuple(EXPECTED)))
def test_one_operation(data: st.DataObject, op: str) -> None:
    state, assigned = new_state(), Assigned()
    (a, left), (b, right) = (data.draw(operands(state.heap.inputs, assigned, name)) for name in "xy")
    assert assigned.only(state, lambda s: run(s, op, left, right)) == outcome(EXPECTED[op], a, b)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from("+-*/%"), st.sampled_from(tuple(EXPECTED)))
def test_an_operation_on_a_result(data: st.DataObject, first: str, second: str) -> None:
    state, assigned = new_state(), Assigned()
    (a, x), (b, y), (c, z) = (data.draw(operands(state.heap.inputs, assigned, name)) for name in "xyz")
    found = assigned.only(state, lambda s: run(s, second, unary(s, "-", run(s, first, x, y)), z))
    assert found == outcome(lambda: EXPECTED[second](-EXPECTED[first](a, b), c))


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(("abs", "truncate", "numerator", "denominator", "toString")))
def test_functions_of_fractions(data: st.DataObject, name: str) -> None:
    state, assigned = new_state(), Assigned()
    value, number = data.draw(operands(state.heap.inputs, assigned, "x"))
    assert assigned.only(state, lambda s: NATIVES[f"abs.{name}"](s, number)) == library.PURE[name](value)


def test_division_by_zero_is_a_path_of_its_own() -> None:
    state = new_state()
    x, y = terms.int_var("x"), terms.int_var("y")
    for op in "/%":
        failing, going_on = follow(state.copy(), lambda s, op=op: binary(s, op, x, y, False))
        assert failing.fault == ZERO and str(failing.state.pc.constraints()[0]) == "y == 0"
        assert going_on.fault == "" and str(going_on.state.pc.constraints()[0]) == "y != 0"


def test_what_cancels_is_taken_out() -> None:
    state = new_state()
    x = terms.int_var("x")
    assert binary(state, "/", terms.mul(x, 4), 2, False) is terms.mul(x, 2)
    half = binary(state, "/", x, 2, False)
    assert isinstance(half, Rational)
    assert binary(state, "+", half, half, False) is x
    assert binary(state, "*", half, 2, False) is x
    assert binary(state, "-", half, half, False) == 0


def test_an_input_of_type_rat_is_whole_unless_something_says_otherwise() -> None:
    state = new_state()
    number = state.heap.inputs.fresh(RATIONAL, "r")
    model = state.pc.model((number.top, number.bottom))
    assert concretised(state, number, {number.top: 0, number.bottom: 1, **model}) == 0
    within = terms.and_(compare(state, ">", number, 0), compare(state, "<", number, 1))
    state.pc.assume(within)
    model = state.pc.model()
    assert 0 < concretised(state, number, model) < 1


def test_fractions_under_a_condition_stay_one_number() -> None:
    state = new_state()
    guard = terms.bool_var("g")
    number = choose(guard, Fraction(1, 2), 3)
    assert isinstance(number, Rational)
    assert concretised(state, number, {guard: True}) == Fraction(1, 2)
    assert concretised(state, number, {guard: False}) == 3


FLOATS = (0.0, 1.5, -2.25, 1e300, math.inf)


@pytest.mark.parametrize("left", FLOATS)
@pytest.mark.parametrize("right", FLOATS[1:4])
def test_floats(left: float, right: float) -> None:
    state = new_state()
    for op in ("+", "-", "*", "<", "<=", "=="):
        assert run(state, op, left, right) == EXPECTED_FLOATS[op](left, right)
    assert run(state, "/", left, right) == library.float_divided(left, right)
    if math.isfinite(left):
        assert run(state, "%", left, right) == library.remainder(left, right)
    for op in "/%":
        assert follow(new_state(), lambda s, op=op: run(s, op, left, 0.0))[0].fault == ZERO


EXPECTED_FLOATS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
}


@pytest.mark.parametrize("name", ("floor", "ceil", "sqrt", "log", "exp", "rat", "abs"))
@pytest.mark.parametrize("value", (0.0, 2.25, -3.5, 1000.0))
def test_functions_of_floats(name: str, value: float) -> None:
    found = NATIVES[f"abs.{name}"](new_state(), value)
    expected = library.PURE[name](value)
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_floats_of_whole_numbers_and_infinities() -> None:
    assert NATIVES["abs.float"](new_state(), Fraction(1, 4)) == 0.25
    (path,) = follow(new_state(), lambda s: NATIVES["abs.floor"](s, math.inf))
    assert path.fault == ZERO
    (path,) = follow(new_state(), lambda s: NATIVES["abs.float"](s, terms.int_var("x")))
    assert path.stopped == "float() of a symbolic number"


def test_an_input_of_type_float_is_named() -> None:
    state = new_state()
    number = state.heap.inputs.fresh(FLOAT, "temperature")
    (path,) = follow(state, lambda s: binary(s, "+", number, 1.0, False))
    assert path.stopped == "the input temperature has the type float, which cannot be symbolic"
