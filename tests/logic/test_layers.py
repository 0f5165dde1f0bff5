"""The two layers in Python on their own: intervals, difference bounds, and the repair of a witness."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.errors import Internal
from everypath.logic import differences, ranges, texts
from everypath.logic import terms as T
from everypath.logic.bounds import Bounds
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.logic.moves import moves
from everypath.logic.ranges import Range
from everypath.logic.verdicts import BOTH, FALSE, TRUE, UNSURE
from everypath.options import SolverOptions

ends = st.none() | st.integers(-4, 4)
some_range = st.tuples(ends, ends).filter(lambda r: r[0] is None or r[1] is None or r[0] <= r[1])


def members(around: Range) -> list[int]:
    return [n for n in range(-6, 7) if (around[0] is None or n >= around[0]) and (around[1] is None or n <= around[1])]


def inside(value: int, around: Range) -> bool:
    return (around[0] is None or value >= around[0]) and (around[1] is None or value <= around[1])


@settings(max_examples=200)
@given(some_range, some_range, st.integers(1, 4))
def test_ranges_contain_every_result(a: Range, b: Range, k: int) -> None:
    for x in members(a):
        assert inside(x // k, ranges.floordiv(a, k))
        assert inside(x % k, ranges.floormod(a, k))
        assert inside(-k * x, ranges.scale(a, -k))
        assert inside(x, ranges.hull(a, b))
        for y in members(b):
            assert inside(x + y, ranges.plus(a, b))
            assert inside(x * y, ranges.times(a, b))
    for x in set(members(a)) & set(members(b)):
        assert inside(x, ranges.meet(a, b))


@pytest.fixture
def numbers() -> tuple[Any, ...]:
    return tuple(T.int_var(name) for name in "abcdef")


def assumed(*conditions: Any) -> Bounds:
    bounds = Bounds()
    for condition in conditions:
        bounds.assume(condition)
    return bounds


RELATIONS = {"==": T.eq, "!=": T.ne, "<=": T.le}
often_apart = st.sampled_from(("==", "!=", "!=", "!=", "<="))
sides = st.tuples(often_apart, st.integers(0, 3), st.integers(0, 4), st.integers(-1, 2))
"""a relation of one variable with another one, or (4) with a constant alone"""
ranges_of_four = st.lists(st.sampled_from(((0, 1), (0, 2), (0, 3), (1, 4), (0, 6))), min_size=4, max_size=4)


@settings(max_examples=400)
@given(ranges_of_four, st.lists(sides, min_size=1, max_size=9))
def test_verdicts_of_bounds_agree_with_enumeration(around: list[Range], path: list[tuple[str, int, int, int]]) -> None:
    unknown = [T.int_var(name, *limits) for name, limits in zip("abcd", around)]
    left = list(itertools.product(*(range(low, high + 1) for low, high in around)))  # type: ignore[arg-type]
    bounds = Bounds()
    for op, one, other, k in path:

        def holds(values: tuple[int, ...]) -> bool:
            right = (*values, 0)[other] + k  # noqa: B023
            return {"==": values[one] == right, "!=": values[one] != right, "<=": values[one] <= right}[op]  # noqa: B023

        condition = RELATIONS[op](unknown[one], T.add((*unknown, 0)[other], k))
        yes, no = [v for v in left if holds(v)], [v for v in left if not holds(v)]
        if not isinstance(condition, T.Term):
            assert bool(yes) == condition
            continue
        verdict = bounds.decide(condition)
        assert verdict == UNSURE or verdict == (BOTH if yes and no else TRUE if yes else FALSE)
        condition, left = (condition, yes) if yes else (T.not_(condition), no)
        bounds.assume(condition)  # type: ignore[arg-type]


def test_many_values_leave_room_for_disequalities() -> None:
    a, b, c = (T.int_var(name, -(2**31), 2**31 - 1) for name in "abc")
    bounds = assumed(T.ne(a, b), T.ne(a, 3))
    assert bounds.decide(T.eq(b, c)) == BOTH
    assert bounds.decide(T.eq(b, 3)) == BOTH
    assert bounds.decide(T.le(a, c)) == BOTH
    bounds.assume(T.lt(b, c))
    assert bounds.decide(T.eq(a, 4)) == UNSURE
    assert bounds.decide(T.ne(a, 4)) == UNSURE


def test_chains_of_orders_are_closed(numbers: tuple[Any, ...]) -> None:
    bounds = assumed(*(T.lt(x, y) for x, y in itertools.pairwise(numbers)))
    first, last = numbers[0], numbers[-1]
    assert bounds.decide(T.le(T.add(first, 5), last)) == TRUE
    assert bounds.decide(T.eq(first, last)) == FALSE
    assert bounds.decide(T.lt(T.add(first, 5), last)) == BOTH


def test_equal_bounds_make_equal_values(numbers: tuple[Any, ...]) -> None:
    a, b, c, d, *_ = numbers
    bounds = assumed(T.le(a, b), T.le(b, c), T.le(c, a), T.ne(b, d))
    assert bounds.decide(T.eq(a, c)) == TRUE
    assert bounds.decide(T.eq(a, d)) == FALSE
    bounds.assume(T.eq(c, 4))
    assert bounds.value(b) == 4
    assert bounds.decide(T.ne(d, 4)) == TRUE


def test_disequalities_sharpen_bounds(numbers: tuple[Any, ...]) -> None:
    a, b, *_ = numbers
    bounds = assumed(T.ge(a, 0), T.le(a, 2), T.ne(a, 0), T.ne(a, 2))
    assert bounds.value(a) == 1
    bounds = assumed(T.le(a, b), T.ne(a, b))
    assert bounds.decide(T.lt(a, b)) == TRUE


def test_sums_narrow_intervals(numbers: tuple[Any, ...]) -> None:
    a, b, c, *_ = numbers
    bounds = assumed(T.ge(a, 0), T.ge(b, 0), T.le(T.add(T.add(a, b), T.mul(2, c)), 10), T.ge(c, 2))
    assert bounds.interval(a) == (0, 6)
    assert bounds.interval(c) == (2, 5)
    assert bounds.decide(T.le(T.add(a, c), 11)) == TRUE
    assert bounds.decide(T.le(T.add(a, c), 3)) == UNSURE


def test_what_is_known_of_strings() -> None:
    s, t = T.str_var("s"), T.str_var("t")
    bounds = assumed(T.starts_with(s, "https://"), T.str_lt(s, t))
    assert bounds.decide(T.starts_with(s, "http")) == TRUE
    assert bounds.decide(T.starts_with(s, "ftp")) == FALSE
    assert bounds.decide(T.contains(s, "://")) == TRUE
    assert bounds.decide(T.str_eq(s, "http")) == FALSE
    assert bounds.decide(T.gt(T.str_len(s), 7)) == TRUE
    assert bounds.decide(T.str_eq(s, t)) == FALSE
    assert bounds.decide(T.str_lt(t, s)) == FALSE
    empty = assumed(T.eq(T.str_len(t), 0))
    assert empty.value(t) == ""
    assert empty.decide(T.contains(t, "x")) == FALSE


def test_an_open_closure_is_still_sound(monkeypatch: pytest.MonkeyPatch, numbers: tuple[Any, ...]) -> None:
    monkeypatch.setattr(differences, "MAX_CLOSURE", 1)
    bounds = assumed(*(T.lt(x, y) for x, y in itertools.pairwise(numbers)))
    assert bounds.decide(T.lt(numbers[0], numbers[1])) == TRUE
    assert bounds.decide(T.lt(numbers[0], numbers[-1])) in (TRUE, UNSURE)


def test_impossible_assumptions_are_our_own_fault(numbers: tuple[Any, ...]) -> None:
    a, b, *_ = numbers
    for layers in (("bounds", "witness", "smt"), ("witness", "smt"), ("bounds",)):
        condition = PathCondition(Decider(SolverOptions(layers=layers)))
        condition.assume(T.lt(a, b))
        with pytest.raises(Internal):
            condition.assume(T.lt(b, a))
        with pytest.raises(Internal):
            condition.assume(False)


def test_a_move_makes_the_goal_true(numbers: tuple[Any, ...]) -> None:
    a, b, c, *_ = numbers
    s, p = T.str_var("s"), T.bool_var("p")
    goals = (
        T.eq(a, 7),
        T.gt(T.add(T.mul(3, a), b), 10),
        T.eq(T.floormod(a, 5), 3),
        T.eq(T.floordiv(T.add(a, b), 4), -6),
        T.eq(T.ite(p, a, b), 9),
        T.bool_eq(p, T.eq(c, 0)),
        T.str_eq(s, "word"),
        T.gt(T.str_len(s), 4),
        T.eq(T.bit_and(a, T.add(a, 1)), 2),
    )
    for goal in goals:
        assert any(T.evaluate(goal, dict(move)) for move in moves(goal, {})), str(goal)


def test_strings_are_repaired_without_the_solver() -> None:
    decider = Decider(SolverOptions(layers=("bounds", "witness")))
    s = T.str_var("s")
    condition = PathCondition(decider)
    for goal in (
        T.starts_with(s, "https://"),
        T.contains(s, "?"),
        T.ends_with(s, "/"),
        T.gt(T.str_len(s), 12),
        T.contains(s, "@"),
        T.not_(T.contains(s, "@@")),
    ):
        assert condition.add(goal)
    model = condition.model([s])
    assert str(model[s]).startswith("https://") and len(str(model[s])) == 13


def test_edits_stay_near_the_string() -> None:
    assert "ab?c" in set(texts.edits("abc", ["?"]))
    assert "ac" in set(texts.edits("abc", []))
    assert all(len(text) == 5 for text in texts.resized("abc", 5))
    assert all(len(text) == 2 for text in texts.resized("abc", 2))
    assert all(len(text) < 6 for text in texts.shorter("abcdef"))


def test_long_paths_stay_usable() -> None:
    condition = PathCondition(Decider())
    counter = T.int_var("n")
    for i in range(400):
        assert condition.decide(T.gt(counter, i)) == BOTH
        other = condition.copy()
        other.assume(T.le(counter, i))
        assert other.value(counter) == i or i == 0
        condition.assume(T.gt(counter, i))
    assert condition.model()[counter] == 400
    assert len(condition.constraints()) == 400
