"""Small programs are decided without the solver: a few likely numbers satisfy products and remainders."""

from __future__ import annotations

import pytest

from everypath.logic.comparisons import eq, lt, ne, not_
from everypath.logic.condition import BOTH, PathCondition
from everypath.logic.decider import Decider
from everypath.logic.integers import add, floormod, mul
from everypath.logic.moves import truth
from everypath.logic.nodes import Term, Var
from everypath.logic.strings import str_eq
from everypath.logic.witness import nearby
from everypath.options import SolverOptions

A, B, C, D = (Var(name, "int") for name in "abcd")
TRIANGLE = [lt(0, A), lt(0, B), lt(0, C), lt(C, add(A, B)), lt(A, add(B, C)), lt(B, add(A, C))]


@pytest.mark.parametrize(
    ("goal", "given", "witness"),
    [
        (ne(A, B), TRIANGLE, {A: 1, B: 1, C: 1}),
        (lt(mul(A, B), 0), [], {}),
        (lt(mul(A, B), mul(C, D)), [], {}),
        (eq(floormod(A, 100), 0), [ne(floormod(A, 400), 0)], {A: 1}),
        (eq(floormod(A, 4), 0), [ne(floormod(A, 400), 0), ne(floormod(A, 100), 0)], {A: 1}),
    ],
)
def test_likely_numbers_satisfy_what_no_single_move_does(goal: Term, given: list[Term], witness: dict) -> None:
    found = nearby(goal, given, witness)
    assert found is not None
    assert all(truth(each, found) for each in (goal, *given))


def test_the_range_of_a_variable_is_kept() -> None:
    month = Var("month", "int", 3, 12)
    goal = eq(floormod(month, 5), 0)
    found = nearby(goal, [], {})
    assert found is not None
    assert found[month] in (5, 10)
    assert nearby(eq(mul(month, month), 4), [], {}) is None


def test_strings_and_many_unknowns_are_left_to_the_solver() -> None:
    text, e = Var("s", "str"), Var("e", "int")
    assert nearby(str_eq(text, "x"), [], {}) is None
    assert nearby(lt(mul(mul(A, B), mul(C, D)), e), [], {}) is None


def test_a_path_with_products_and_remainders_never_asks_the_solver() -> None:
    decider = Decider(SolverOptions())
    path = PathCondition(decider)
    assert path.decide(lt(mul(A, B), 0)) == BOTH
    path.assume(lt(mul(A, B), 0))
    assert path.decide(eq(floormod(A, 6), 0)) == BOTH
    path.assume(not_(eq(floormod(A, 6), 0)))
    assert decider.counts["smt"] == 0
