"""The encoding for the SMT solver means what evaluation means, and its incremental use changes no answer."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from everypath.errors import SolverUnknown
from everypath.logic import smt
from everypath.logic import terms as T
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.options import SolverOptions

from . import recipes
from .recipes import Undefined, cook, fresh_variables, taste

SOLVER = smt.Smt(2_000)

ints = st.integers(recipes.LOW, recipes.HIGH)
short = st.sampled_from(("", "a", "ab", "ba", "aba", "B", "12", "-3", "é"))
values = st.fixed_dictionaries(
    {name: ints for name in recipes.NAMES}
    | {name: st.booleans() for name in recipes.FLAGS}
    | {name: short for name in recipes.TEXTS}
)


def pinned(table: dict[str, Any], given_values: dict[str, Any]) -> list[Any]:
    """Constraints that leave one value for every variable."""
    fixed = [T.eq(table[name], given_values[name]) for name in recipes.NAMES]
    fixed += [T.bool_eq(table[name], given_values[name]) for name in recipes.FLAGS]
    return fixed + [T.str_eq(table[name], given_values[name]) for name in recipes.TEXTS]


@settings(max_examples=150, deadline=None)
@given(recipes.conditions(3) | recipes.string_conditions(1), values)
def test_the_encoding_agrees_with_python(recipe: Any, given_values: dict[str, Any]) -> None:
    try:
        want = taste(recipe, given_values)
    except Undefined:
        assume(False)
    table = fresh_variables()
    condition = cook(recipe, table)
    assume(isinstance(condition, T.Term))
    found = SOLVER.solution([*pinned(table, given_values), condition])
    assert (found is not None) == bool(want)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(recipes.conditions(1), min_size=1, max_size=5), min_size=2, max_size=6))
def test_earlier_questions_do_not_matter(questions: list[list[Any]]) -> None:
    table = fresh_variables()
    cooked = [[c for c in (cook(r, table) for r in question) if isinstance(c, T.Term)] for question in questions]
    # Growing prefixes first, so that the second round pops and pushes along shared ones.
    asked = [question[:n] for question in cooked for n in range(1, len(question) + 1)] + cooked
    for question in asked:
        together = SOLVER.solution(question)
        alone = smt.Smt(2_000).solution(question)
        assert (together is None) == (alone is None)


def test_a_full_context_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smt, "MAX_EXPRESSIONS", 50)
    solver = smt.Smt(2_000)
    a, b = T.int_var("a"), T.int_var("b")
    for n in range(40):
        question = [T.gt(a, n), T.eq(T.add(a, T.mul(2, b)), n)]
        found = solver.solution([c for c in question if isinstance(c, T.Term)])
        assert found is not None and found[a] > n
        assert solver._characters.size < 200


def test_numbers_of_any_size_pass_both_ways() -> None:
    a = T.int_var("a")
    for value in (2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**40, -(10**40)):
        assert SOLVER.solution([T.eq(a, value)]) == {a: value}
    with pytest.raises(SolverUnknown):
        SOLVER.solution([T.eq(a, 1 << 20_000)])


def test_strings_are_printable_where_that_is_possible() -> None:
    s, t = T.str_var("s"), T.str_var("t")
    found = SOLVER.solution([T.eq(T.str_len(s), 4), T.str_ne(s, t), T.eq(T.str_len(t), 4)])
    assert found is not None
    assert all(" " <= character <= "~" for character in str(found[s]) + str(found[t]))
    assert SOLVER.solution([T.eq(T.ord_(T.str_at(s, 0)), 233), T.eq(T.str_len(s), 1)]) == {s: "é"}
    assert SOLVER.solution([T.str_eq(T.concat(s, "x"), "\u4e2dx")]) == {s: "\u4e2d"}


def test_characters_unknown_to_the_solver_are_not_guessed_about() -> None:
    s = T.str_var("s")
    with pytest.raises(SolverUnknown):
        SOLVER.solution([T.str_eq(T.replace_first(s, "\U000e0041", "x"), "x")])
    assert SOLVER.solution([T.str_eq(s, "\U000e0041")]) == {s: "\U000e0041"}


def test_long_strings_are_not_judged_by_their_beginning() -> None:
    s = T.str_var("s")
    digits = [T.matches(s, "digits"), T.ge(T.str_len(s), 14)]
    found = SOLVER.solution(digits)
    assert found is not None and len(str(found[s])) >= 14
    for impossible in (T.str_eq(T.str_at(s, 13), "a"), T.str_lt(T.str_at(s, 12), "0")):
        try:
            assert SOLVER.solution([*digits, impossible]) is None
        except SolverUnknown:
            continue
    assert SOLVER.solution([*digits, T.str_eq(T.str_at(s, 13), "7"), T.not_(T.contains(s, "77"))]) is not None


def test_single_characters_need_no_theory_of_strings() -> None:
    s, t = T.str_var("s"), T.str_var("t")
    i = T.int_var("i", 0, 5)
    found = SOLVER.solution(
        [
            T.lt(i, T.str_len(s)),
            T.matches(T.str_at(s, i), "digits"),
            T.gt(i, 2),
            T.str_lt(s, "b"),
            T.str_le("abc", s),
            T.eq(T.index_of(t, "=", 0), 2),
            T.str_eq(T.substring(t, 0, 2), "ok"),
            T.str_ne(s, t),
            T.eq(T.str_to_int(T.substring(t, 3, T.str_len(t))), -42),
        ]
    )
    assert found is not None and str(found[t])[:3] == "ok=" and int(str(found[t])[3:]) == -42
    assert str(found[s]).startswith("a") and str(found[s])[int(found[i])].isdigit()


def test_variables_keep_their_bounds() -> None:
    a, b = T.int_var("a", 3, 5), T.int_var("b", None, -2)
    found = SOLVER.solution([T.eq(T.add(a, b), 3)])
    assert found == {a: 5, b: -2}
    assert SOLVER.solution([T.gt(T.mul(a, b), 0)]) is None


def test_variables_of_one_name_are_different() -> None:
    first, second = T.int_var("x"), T.int_var("x")
    found = SOLVER.solution([T.eq(T.add(first, T.mul(2, second)), 7), T.ne(first, second)])
    assert found is not None and found[first] + 2 * found[second] == 7


def test_a_product_of_unknowns_is_not_given_up_at_once() -> None:
    a, b = T.int_var("a"), T.int_var("b")
    found = SOLVER.solution([T.eq(T.mul(a, b), 8_633), T.gt(a, 1), T.gt(b, a)])
    assert found is not None and found[a] * found[b] == 8_633


def shown(value: Any, spec: str) -> tuple[Any, str]:
    """A text that the solver only knows in part, over a variable, and what it is for the value."""
    variable = T.str_var("s") if isinstance(value, str) else T.int_var("n")
    if spec == "repr":
        return T.repr_(variable), repr(value)
    if spec.startswith("%"):
        return T.percent(variable, spec), spec % (value,)
    return T.formatted(variable, spec), format(value, spec)


TEXT_SPECS = st.tuples(st.text("ab '\"\\\n~é", max_size=4), st.sampled_from(("repr", ">6", "%-5s", "%r")))
INT_SPECS = st.tuples(ints, st.sampled_from((">6", "08x", "+d", "%05d", "%x")))


@settings(max_examples=80, deadline=None)
@given(TEXT_SPECS | INT_SPECS)
def test_texts_known_in_part_are_never_taken_for_others(case: tuple[Any, str]) -> None:
    value, spec = case
    text, want = shown(value, spec)
    (variable,) = T.variables(text)
    known = T.str_eq(variable, value) if isinstance(value, str) else T.eq(variable, value)
    try:
        assert SOLVER.solution([known, T.str_eq(text, want)]) is not None
    except SolverUnknown:
        assert spec != "repr" or value == "" or not (value.isascii() and value.isalnum())
    with contextlib.suppress(SolverUnknown):
        assert SOLVER.solution([known, T.str_ne(text, want)]) is None


def test_the_side_that_is_known_to_be_possible_is_told() -> None:
    n = T.int_var("n")
    pc = PathCondition(Decider(SolverOptions()))
    asked = T.str_eq(T.formatted(n, "08x"), "0000002a")
    with pytest.raises(SolverUnknown) as caught:
        pc.decide(asked)
    possible = caught.value.possible
    assert possible is T.not_(asked)
    pc.assume(possible)
    assert pc.holds(possible) and pc.decide(asked) == 2
