"""Conditions on remainders, decided exactly, against brute force."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.generate.exploring import explore_only
from everypath.logic import congruences, terms
from everypath.logic.moves import truth
from everypath.logic.nodes import Term, Var
from everypath.options import Options

REACH = 400
"""Numbers that brute force tries in both directions: beyond the longest period and the largest bound."""

remainders = st.tuples(
    st.sampled_from(("eq", "ne", "le")), st.integers(-3, 3), st.integers(-5, 5), st.integers(2, 7), st.integers(-1, 7)
)
bounds = st.tuples(st.sampled_from(("eq", "ne", "le", "ge")), st.sampled_from((-2, -1, 1, 3)), st.integers(-30, 30))


def compared(how: str, left: terms.IntLike, right: int) -> bool | Term:
    operations = {"eq": terms.eq, "ne": terms.ne, "le": terms.le, "ge": lambda a, b: terms.le(b, a)}
    return operations[how](left, right)


def conditions(
    unknown: Var, drawn: list[tuple[str, int, int, int, int]], ends: list[tuple[str, int, int]]
) -> list[Term]:
    made = [
        compared(how, terms.floormod(terms.add(terms.scale(unknown, factor), shift), divisor), remainder)
        for how, factor, shift, divisor, remainder in drawn
    ]
    made += [compared(how, terms.scale(unknown, factor), end) for how, factor, end in ends]
    return [each for each in made if isinstance(each, Term)]


@given(st.lists(remainders, min_size=1, max_size=3), st.lists(bounds, max_size=3), st.booleans())
def test_as_brute_force(
    drawn: list[tuple[str, int, int, int, int]], ends: list[tuple[str, int, int]], positive: bool
) -> None:
    unknown = terms.int_var("x", 0 if positive else None)
    wanted = conditions(unknown, drawn, ends)
    numbers = sorted(range(0 if positive else -REACH, REACH), key=lambda number: (abs(number), number < 0))
    expected = next((n for n in numbers if all(truth(each, {unknown: n}) for each in wanted)), None)
    try:
        assert congruences.solve(wanted, unknown) == expected
    except congruences.NoSolution:
        assert expected is None


def test_what_has_no_period_is_left_to_others() -> None:
    x = terms.int_var("x")
    quotient = terms.eq(terms.floordiv(x, 3), 2)
    assert isinstance(quotient, Term)
    assert congruences.solve([quotient], x) is None


def test_long_periods_are_left_to_others() -> None:
    x = terms.int_var("x")
    wanted = [terms.eq(terms.floormod(x, divisor), 1) for divisor in (65_521, 65_519)]
    assert congruences.solve([each for each in wanted if isinstance(each, Term)], x) is None


@pytest.mark.parametrize("divisors", [4, 8, 12])
def test_a_chain_of_divisors_needs_no_solver(divisors: int, tmp_path: Path) -> None:
    tests = "".join(f"    if x % {each} == 0:\n        n += 1\n" for each in range(2, divisors + 1))
    (tmp_path / "chain.py").write_text(f"def f(x: int) -> int:\n    n = 0\n{tests}    return n\n")
    _, _, _, decisions = explore_only(f"{tmp_path}/chain.py::f", Options())
    assert decisions["smt"] == 0


@given(st.lists(st.integers(-4, 4), min_size=3, max_size=3), st.lists(st.integers(2, 6), min_size=2, max_size=2))
def test_remainders_of_products_and_of_remainders(numbers: list[int], divisors: list[int]) -> None:
    unknown = terms.int_var("x")
    factor, shift, wanted = numbers
    inner = terms.floormod(terms.add(terms.scale(unknown, factor), shift), divisors[0])
    outer = terms.floormod(terms.add(terms.mul(unknown, unknown), terms.scale(inner, 2)), divisors[1])
    condition = terms.eq(terms.add(outer, inner), wanted)
    if not isinstance(condition, Term):
        return
    holds = [number for number in range(-REACH, REACH) if truth(condition, {unknown: number})]
    try:
        found = congruences.solve((condition,), unknown)
    except congruences.NoSolution:
        assert not holds
    else:
        assert found is None or abs(found) == min(map(abs, holds))
