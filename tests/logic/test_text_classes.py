"""Equalities of unknown texts against brute force, and how little they cost."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.logic import terms as T
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider

CONSTANTS = ("a", "b")
WORDS = (*CONSTANTS, "", "c", "d", "e")
"""Enough for four unknowns to differ from both constants and from each other."""

questions = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.booleans(), st.booleans()), min_size=3, max_size=12
)


@settings(max_examples=120, deadline=None)
@given(questions)
def test_equalities_of_texts_agree_with_brute_force(path: list[tuple[int, int, bool, bool]]) -> None:
    variables = [T.str_var(f"s{i}") for i in range(4)]
    decider = Decider()
    condition = PathCondition(decider)
    worlds = list(itertools.product(WORDS, repeat=4))
    for left, right, negated, preferred in path:
        other = variables[right] if right < 4 else CONSTANTS[right - 4]
        question = T.str_eq(variables[left], other)
        question = T.not_(question) if negated else question
        marked = [((w[left] == (w[right] if right < 4 else other)) != negated, w) for w in worlds]
        want = (1 if any(yes for yes, _ in marked) else 0) | (2 if not all(yes for yes, _ in marked) else 0)
        assert condition.decide(question) == want
        side = preferred if want == 3 else want == 1
        condition.assume(question if side else T.not_(question))
        worlds = [w for yes, w in marked if yes == side]
    model = condition.model()
    assert all(T.evaluate(c, model) for c in condition.constraints())


def test_a_chain_of_equal_texts_needs_no_solver() -> None:
    decider = Decider()
    condition = PathCondition(decider)
    first, second, third, fourth = (T.str_var(f"s{i}") for i in range(4))
    for fact in (T.str_eq(first, second), T.str_eq(third, fourth), T.not_(T.str_eq(second, third))):
        assert condition.add(fact)
    assert condition.decide(T.str_eq(first, fourth)) == 2
    assert condition.add(T.str_eq(fourth, "a"))
    assert condition.decide(T.str_eq(third, "a")) == 1
    assert condition.decide(T.str_eq(third, "b")) == 2
    assert condition.decide(T.str_eq(first, "a")) == 2
    assert decider.counts["smt"] == 0
