"""Constructors, evaluation and printing of terms against plain Python."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from everypath.errors import Unsupported
from everypath.logic import nodes
from everypath.logic import terms as T

from . import recipes
from .recipes import REFERENCE, Recipe, Undefined, cook, fresh_variables, taste

ints = st.integers(recipes.LOW, recipes.HIGH)
short = st.sampled_from(("", "a", "b", "ab", "ba", "aba", "B", "12", "-3"))
values = st.fixed_dictionaries(
    {name: ints for name in recipes.NAMES}
    | {name: st.booleans() for name in recipes.FLAGS}
    | {name: short for name in recipes.TEXTS}
)
any_recipe = st.one_of(recipes.integers(3), recipes.conditions(3), recipes.strings(2), recipes.string_conditions(1))


def expected(recipe: Any, given_values: dict[str, Any]) -> Any:
    try:
        return taste(recipe, given_values)
    except Undefined:
        assume(False)


def model_of(table: dict[str, Any], given_values: dict[str, Any]) -> dict[Any, Any]:
    return {table[name]: value for name, value in given_values.items()}


@settings(max_examples=400, deadline=None)
@given(any_recipe, values)
def test_evaluation_agrees_with_python(recipe: Any, given_values: dict[str, Any]) -> None:
    want = expected(recipe, given_values)
    table = fresh_variables()
    term = cook(recipe, table)
    assert T.evaluate(term, model_of(table, given_values)) == want
    assert T.variables(term) <= set(table.values())


@settings(max_examples=200, deadline=None)
@given(any_recipe, values)
def test_concrete_values_fold(recipe: Any, given_values: dict[str, Any]) -> None:
    want = expected(recipe, given_values)
    got = cook(recipe, given_values)
    assert got == want
    assert not isinstance(got, T.Term)


@settings(max_examples=200, deadline=None)
@given(any_recipe, values, st.sets(st.sampled_from(recipes.NAMES + recipes.FLAGS + recipes.TEXTS)))
def test_partly_concrete_values_agree(recipe: Any, given_values: dict[str, Any], concrete: set[str]) -> None:
    want = expected(recipe, given_values)
    table = fresh_variables()
    mixed = {name: given_values[name] if name in concrete else table[name] for name in table}
    assert T.evaluate(cook(recipe, mixed), model_of(table, given_values)) == want


@settings(max_examples=300, deadline=None)
@given(any_recipe, values)
def test_printed_terms_are_python(recipe: Any, given_values: dict[str, Any]) -> None:
    want = expected(recipe, given_values)
    term = cook(recipe, fresh_variables())
    helpers = {
        "truncdiv": REFERENCE["truncdiv"],
        "truncrem": REFERENCE["truncrem"],
        "is_int": recipes.KINDS["int"],
    }
    text = str(term) if isinstance(term, T.Term) else repr(term)
    assert eval(text, {**helpers, **given_values}) == want


@settings(max_examples=200, deadline=None)
@given(any_recipe)
def test_equal_structure_is_one_object(recipe: Any) -> None:
    table = fresh_variables()
    first, second = cook(recipe, table), cook(recipe, table)
    assert first is second or (first == second and not isinstance(first, T.Term))


@settings(max_examples=200, deadline=None)
@given(recipes.conditions(3) | recipes.string_conditions(1), values)
def test_negation_is_an_involution(recipe: Any, given_values: dict[str, Any]) -> None:
    want = expected(recipe, given_values)
    table = fresh_variables()
    condition = cook(recipe, table)
    opposite = T.not_(condition)
    assert T.not_(opposite) is condition
    assert T.evaluate(opposite, model_of(table, given_values)) is not bool(want)


@settings(max_examples=200, deadline=None)
@given(recipes.integers(3), values)
def test_intrinsic_bounds_hold(recipe: Any, given_values: dict[str, Any]) -> None:
    want = expected(recipe, given_values)
    term = cook(recipe, fresh_variables())
    if isinstance(term, nodes.Node):
        assert term.lo is None or term.lo <= want
        assert term.hi is None or want <= term.hi


def test_opposite_comparisons_are_recognised() -> None:
    a, b = T.int_var("a"), T.int_var("b")
    assert T.not_(T.lt(a, b)) is T.ge(a, b)
    assert T.not_(T.eq(a, b)) is T.ne(b, a)
    assert T.gt(T.add(a, 1), b) is T.ge(a, b)
    assert T.le(T.mul(2, a), 5) is T.le(a, 2)
    assert T.eq(T.mul(2, a), 5) is False
    assert T.eq(a, a) is True
    assert T.lt(T.sub(a, a), 0) is False


def test_products_are_multisets_of_factors() -> None:
    a, b, c = (T.int_var(name) for name in "abc")
    assert T.mul(a, b) is T.mul(b, a)
    assert T.mul(T.mul(a, b), c) is T.mul(a, T.mul(c, b))
    assert T.mul(T.add(a, b), T.sub(a, b)) is T.sub(T.mul(a, a), T.mul(b, b))
    assert T.sub(T.mul(3, T.mul(a, b)), T.mul(b, T.mul(a, 3))) == 0


def test_choices_among_constants_become_conditions() -> None:
    a, p = T.int_var("a"), T.bool_var("p")
    sign = T.ite(T.lt(a, 0), -1, T.ite(T.gt(a, 0), 1, 0))
    assert T.eq(T.bool_to_int(p), 1) is p
    assert T.eq(T.ite(p, 3, 4), 4) is T.not_(p)
    assert T.eq(sign, -1) is T.lt(a, 0)
    assert T.eq(sign, 5) is False
    assert T.str_eq(T.ite(p, "yes", "no"), "no") is T.not_(p)


def test_variables_are_never_confused_by_name() -> None:
    first, second = T.int_var("x"), T.int_var("x")
    assert first is not second
    assert isinstance(T.eq(first, second), T.Term)
    assert first.index < second.index


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda a, b, s: T.le(T.add(a, T.mul(2, b)), 3), "a + 2*b <= 3"),
        (lambda a, b, s: T.str_eq(T.str_at(s, 0), "x"), "s[0] == 'x'"),
        (lambda a, b, s: T.lt(a, b), "a < b"),
        (lambda a, b, s: T.gt(a, 0), "a > 0"),
        (lambda a, b, s: T.lt(a, 0), "a < 0"),
        (lambda a, b, s: T.ge(a, 5), "a >= 5"),
        (lambda a, b, s: T.le(a, T.add(b, 3)), "a <= b + 3"),
        (lambda a, b, s: T.ne(a, b), "a != b"),
        (lambda a, b, s: T.sub(1, a), "1 - a"),
        (lambda a, b, s: T.floordiv(T.add(a, 1), 2), "(a + 1) // 2"),
        (lambda a, b, s: T.not_(T.contains(s, "k")), "'k' not in s"),
        (lambda a, b, s: T.substring(s, 0, a), "s[:a]"),
        (lambda a, b, s: T.eq(T.str_len(s), 0), "len(s) == 0"),
    ],
)
def test_readable_text(build: Any, text: str) -> None:
    assert str(build(T.int_var("a"), T.int_var("b"), T.str_var("s"))) == text


def test_what_cannot_be_encoded_is_reported() -> None:
    a, b = T.int_var("a"), T.int_var("b")
    for attempt in (
        lambda: T.power(a, b),
        lambda: T.power(2, a),
        lambda: T.shift_left(1, a),
        lambda: T.shift_right(a, b),
    ):
        with pytest.raises(Unsupported):
            attempt()


def test_defaults_of_missing_variables() -> None:
    assert T.evaluate(T.int_var("n", 3, 9), {}) == 3
    assert T.evaluate(T.int_var("n", -9, -4), {}) == -4
    assert T.evaluate(T.int_var("n"), {}) == 0
    assert T.evaluate(T.bool_var("p"), {}) is False
    assert T.evaluate(T.str_var("s"), {}) == ""


def test_deep_terms_need_no_recursion() -> None:
    a = T.int_var("a")
    deep: Any = a
    for i in range(3000):
        deep = T.ite(T.eq(a, i), T.mul(deep, deep) if i == 1 else i, deep)
    assert T.evaluate(deep, {a: 2999}) == 2999
    assert T.variables(deep) == {a}
    assert str(deep).startswith("2999 if a == 2999 else ")


def test_unused_terms_are_forgotten() -> None:
    a, b = T.int_var("a"), T.int_var("b")
    gc.collect()
    before = len(nodes._table)
    for i in range(500):
        T.not_(T.eq(T.mul(a, b), i))
    gc.collect()
    assert len(nodes._table) <= before + 5


def test_order_of_parts_does_not_depend_on_construction() -> None:
    a, b, c = (T.int_var(name) for name in "abc")
    product, quotient = T.mul(a, b), T.floordiv(b, 2)
    forms = {T.add(T.add(product, c), quotient), T.add(quotient, T.add(c, product)), T.add(c, T.add(product, quotient))}
    assert len(forms) == 1


def test_recipe_names_exist() -> None:
    assert all(hasattr(T, name) for name in REFERENCE)
    assert isinstance(Recipe("add", (1, 2)), Recipe)
