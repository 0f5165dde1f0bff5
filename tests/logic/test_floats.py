"""Float terms: folding as CPython computes, and every layer against brute force over some floats."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.errors import SolverUnknown
from everypath.logic import terms as T
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.logic.float_bounds import asked_about
from everypath.logic.smt import Smt
from everypath.logic.thresholds import LARGEST, above, below, float_at, key_of, preimage
from everypath.logic.verdicts import BOTH, FALSE, TRUE
from everypath.options import SolverOptions

VALUES = (0.0, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, -1.0, -0.5, 3.0, 1e16, 1e200, -1e200, 5e-324, 1.7e308)
SPECIAL = (math.nan, math.inf, -math.inf)
WHOLE = (-3, -1, 0, 1, 2, 3, 7, 2**53 + 1)

Recipe = tuple[Any, ...]
constants = st.sampled_from([value for value in VALUES if abs(value) < 1e100])
leaves: st.SearchStrategy[Recipe] = st.one_of(
    st.sampled_from([("x",), ("y",), ("x",), ("y",), ("float_of_int",), ("quotient", 2), ("quotient", 10)]),
    constants.map(lambda value: ("constant", value)),
)
_NONZERO = st.sampled_from([0.1, 0.5, 2.0, 3.0, -1.5])


def _larger(inner: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    return st.one_of(
        st.tuples(st.sampled_from(["float_add", "float_sub", "float_mul"]), inner, inner),
        st.tuples(st.sampled_from(["float_div", "float_floordiv", "float_mod"]), inner, _NONZERO),
        st.tuples(st.just("float_div"), inner, st.just(("y",))),
        st.tuples(st.sampled_from(["float_neg", "float_abs", "root", "square", "round"]), inner),
        st.tuples(st.just("choice"), inner, inner, inner),
    )


numbers = st.recursive(leaves, _larger, max_leaves=4)
conditions: st.SearchStrategy[Recipe] = st.recursive(
    st.one_of(
        st.tuples(st.sampled_from(["float_lt", "float_le", "float_eq"]), numbers, numbers),
        st.tuples(
            st.sampled_from(["float_lt", "float_le", "float_eq"]), numbers, constants.map(lambda v: ("constant", v))
        ),
        st.tuples(
            st.sampled_from(["is_nan", "is_inf"]), st.sampled_from([("x",), ("y",), ("float_sub", ("x",), ("y",))])
        ),
        st.tuples(st.sampled_from(["floor", "ceil", "trunc", "nearest"]), st.just(("x",)), st.integers(-2, 3)),
        st.tuples(st.just("mixed"), numbers),
    ),
    lambda inner: st.one_of(
        st.tuples(st.just("not_"), inner), st.tuples(st.sampled_from(["and_", "or_"]), inner, inner)
    ),
    max_leaves=3,
)


def cook(recipe: Recipe | float, x: Any, y: Any, i: Any) -> Any:
    """The recipe through the constructors of terms, with variables or with values."""
    if not isinstance(recipe, tuple):
        return recipe
    op, *rest = recipe
    if op == "x":
        return x
    if op == "y":
        return y
    if op == "constant":
        return rest[0]
    if op == "float_of_int":
        return T.int_to_float(i)
    if op == "quotient":
        return T.int_div(i, rest[0])
    if op in ("floor", "ceil", "trunc", "nearest"):
        return T.eq(getattr(T, f"float_{op}")(cook(rest[0], x, y, i)), rest[1])
    args = [cook(arg, x, y, i) for arg in rest]
    if op == "mixed":
        return T.float_lt(i, args[0])
    if op == "root":
        return T.float_sqrt(T.float_abs(args[0]))
    if op == "square":
        return T.float_power(args[0], 2.0)
    if op == "round":
        return T.float_round(args[0], 1)
    if op == "choice":
        return T.ite(T.float_lt(args[0], args[1]), args[1], args[2])
    return getattr(T, op)(*args)


def square(x: Any) -> Any:
    return T.float_mul(x, x)


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (repr(a) == repr(b))


def unknowns() -> tuple[Any, Any, Any]:
    return T.float_var("x"), T.float_var("y"), T.int_var("i", -10, 2**60)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(numbers, conditions), st.sampled_from(VALUES + SPECIAL), st.sampled_from(VALUES), st.sampled_from(WHOLE)
)
def test_terms_fold_to_what_they_evaluate_to(recipe: Recipe, x: float, y: float, i: int) -> None:
    if y == 0:
        return
    a, b, c = unknowns()
    term = cook(recipe, a, b, c)
    assert same(T.evaluate(term, {a: x, b: y, c: i}), cook(recipe, x, y, i))


def possible(constraints: list[Any], variables: tuple[Any, Any, Any]) -> dict[Any, Any] | None:
    """Some of the values under which all constraints hold; inputs are finite unless a constraint asks."""
    x, y, i = variables
    asked = frozenset[Any]().union(*(asked_about(c) for c in constraints if isinstance(c, T.Term)))
    around = [VALUES + SPECIAL if v in asked else VALUES for v in (x, y)]
    for a, b, c in itertools.product(*around, WHOLE):
        model = {x: a, y: b, i: c}
        if b != 0 and all(T.evaluate(constraint, model) for constraint in constraints):
            return model
    return None


LAYERS = (("bounds", "witness", "smt"), ("bounds", "smt"), ("witness", "smt"), ("smt",))


@settings(max_examples=150, deadline=None)
@given(st.lists(conditions, min_size=1, max_size=3), st.sampled_from(LAYERS))
def test_no_layer_excludes_what_is_possible(recipes: list[Recipe], layers: tuple[str, ...]) -> None:
    variables = unknowns()
    divisor = T.not_(T.float_eq(variables[1], 0.0))
    pc = PathCondition(Decider(SolverOptions(layers=layers, timeout_ms=150)))
    pc.assume(divisor)
    assumed: list[Any] = [divisor]
    for recipe in recipes:
        condition = cook(recipe, *variables)
        # Whether an input must be finite depends on what the path has asked before.
        if isinstance(condition, T.Term) and asked_about(condition) and len(assumed) > 1:
            continue
        try:
            verdict = pc.decide(condition)
        except SolverUnknown:
            continue
        for side, excluded in ((condition, FALSE), (T.not_(condition), TRUE)):
            if verdict == excluded and side is not False:
                assert possible([*assumed, side], variables) is None, (assumed, side)
        if verdict != BOTH:
            continue
        try:
            pc.assume(condition)
            model = pc.model()
        except SolverUnknown:
            return
        assumed.append(condition)
        assert all(T.evaluate(c, model) for c in assumed), (assumed, model)
        assert all(not (value == 0 and math.copysign(1, value) < 0) for value in model.values() if type(value) is float)


@settings(max_examples=300, deadline=None)
@given(
    numbers.filter(lambda r: "y" not in str(r)),
    st.sampled_from(VALUES),
    st.sampled_from(VALUES),
    st.sampled_from(WHOLE),
)
def test_a_bound_on_a_chain_is_a_bound_on_its_root(recipe: Recipe, low: float, high: float, i: int) -> None:
    x, y, whole = unknowns()
    term = cook(recipe, x, y, whole)
    if not isinstance(term, T.Term) or term.sort != "float":
        return
    inside = preimage(term, low, high)
    for value in VALUES:
        model = {x: value, whole: i}
        root = inside[0] if inside is not None else None
        if root is None:
            assert not low <= T.evaluate(term, model) <= high
        else:
            within = inside[1] <= T.evaluate(root, model) <= inside[2]
            assert within == (low <= T.evaluate(term, model) <= high) or root is term


def test_floats_are_numbered_in_order() -> None:
    for value in (*VALUES, math.inf, -math.inf, LARGEST):
        assert float_at(key_of(value)) == value
        if math.isfinite(value):
            assert key_of(above(value)) == key_of(value) + 1
            assert key_of(below(value)) == key_of(value) - 1


def test_zeros_of_both_signs_and_the_integer_are_different_constants() -> None:
    x = T.float_var("x")
    terms = {T.float_add(x, 0.0), T.float_add(x, -0.0), T.float_sub(x, 0.0), T.float_round(x, 0)}
    assert len(terms) == 4
    assert T.float_add(x, 0.5) is T.float_add(0.5, x)


def test_integers_are_compared_exactly() -> None:
    i = T.int_var("i")
    assert str(T.float_lt(i, 4.5)) == "i <= 4"
    assert str(T.float_lt(T.int_div(i, 2), 4.5)) == "i <= 8"
    assert str(T.float_le(T.float_mul(T.int_to_float(i), 0.1), 0.3)) == "i <= 2"
    assert T.float_eq(T.int_div(i, 3), 0.1) is False
    assert T.float_eq(i, 0.5) is False
    assert str(T.float_eq(i, float(2**60))) == f"i == {2**60}"


@pytest.mark.parametrize(
    ("build", "satisfiable"),
    [
        (lambda x, y: [T.float_lt(T.float_add(x, y), 3.0), T.float_lt(5.0, T.float_sub(x, y))], True),
        (lambda x, y: [T.float_lt(x, 1.0), T.float_lt(y, 1.0), T.float_lt(2.5, T.float_add(x, y))], False),
        (lambda x, y: [T.float_lt(x, y), T.float_lt(y, x)], False),
        (lambda x, y: [T.float_lt(1.0, x), T.float_lt(x, above(1.0))], False),
        (lambda x, y: [T.float_eq(T.float_add(x, 1.0), x), T.float_lt(0.0, x)], True),
        (lambda x, y: [T.float_eq(T.float_add(x, y), x), T.float_lt(1.0, x), T.float_lt(0.0, y)], True),
        (lambda x, y: [T.float_lt(T.float_mul(x, y), 0.0), T.float_lt(0.0, x), T.float_lt(0.0, y)], False),
        (lambda x, y: [T.is_nan(x), T.float_lt(x, 1.0)], False),
        (lambda x, y: [T.is_nan(T.float_sub(x, y)), T.not_(T.is_nan(x)), T.not_(T.is_nan(y))], True),
        (lambda x, y: [T.not_(T.float_lt(x, y)), T.not_(T.float_lt(y, x)), T.not_(T.float_eq(x, y))], False),
        (lambda x, y: [T.eq(T.float_floor(x), 7), T.float_lt(7.5, x)], True),
        (lambda x, y: [T.eq(T.float_floor(x), 7), T.float_lt(8.5, x)], False),
        (lambda x, y: [T.eq(T.float_nearest(x), 2), T.float_le(2.5, x)], True),
        (lambda x, y: [T.eq(T.float_nearest(x), 3), T.float_le(x, 2.5)], False),
        (lambda x, y: [T.float_eq(x, y), T.not_(T.float_eq(square(x), 0.0)), T.float_eq(square(y), 0.0)], False),
        (lambda x, y: [T.not_(T.float_eq(square(x), 0.0)), T.float_eq(T.float_mul(x, 2.8), 0.0)], False),
        (lambda x, y: [T.and_(T.float_eq(x, 3.0), T.float_eq(y, x)), T.float_eq(square(y), 9.0)], True),
    ],
)
def test_the_solver_decides_with_rounding(build: Any, satisfiable: bool) -> None:
    constraints = build(T.float_var("x"), T.float_var("y"))
    found = Smt(5_000).solution(constraints)
    assert (found is not None) == satisfiable
    assert found is None or all(T.evaluate(c, found) for c in constraints)


def test_inputs_are_finite_unless_somebody_asks() -> None:
    x = T.float_var("x")
    pc = PathCondition(Decider())
    pc.assume(T.not_(T.float_lt(x, 0.0)))
    assert pc.decide(T.float_le(0.0, x)) == TRUE
    assert pc.decide(T.float_le(T.float_abs(x), LARGEST)) == TRUE
    assert pc.decide(T.is_nan(x)) == BOTH
    pc.assume(T.is_nan(x))
    assert pc.decide(T.float_le(0.0, x)) == FALSE
    assert math.isnan(pc.model()[x])


def test_values_are_short() -> None:
    x, y = T.float_var("x"), T.float_var("y")
    pc = PathCondition(Decider())
    for condition in (T.float_le(4.5, T.float_mul(x, 6.0)), T.float_lt(2.21, y), T.float_lt(y, 2.24)):
        assert pc.decide(condition) == BOTH
        pc.assume(condition)
    model = pc.model()
    assert model[x] == 1.0
    assert len(repr(model[y])) <= 5


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (lambda x: T.float_le(4.5, T.float_mul(x, 6.0)), "x * 6.0 >= 4.5"),
        (lambda x: T.not_(T.float_lt(x, 1.0)), "x >= 1.0"),
        (lambda x: T.not_(T.float_eq(T.float_neg(x), -1.5)), "-x != -1.5"),
        (lambda x: T.float_lt(T.float_div(T.float_sub(1.0, x), 3.0), x), "(1.0 - x) / 3.0 < x"),
        (lambda x: T.not_(T.is_nan(x)), "not isnan(x)"),
        (lambda x: T.eq(T.float_trunc(T.float_power(x, 2.0)), 3), "int(x ** 2.0) == 3"),
    ],
)
def test_conditions_read_as_in_the_program(condition: Any, text: str) -> None:
    assert str(condition(T.float_var("x"))) == text
