"""Definitions 1 to 5 of the paper: traces, coverage, improvement, the better-than relation, redundancy."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from everypath.race.events import ENTER, EXIT, READ, SITES, WRITE, Event, Site
from everypath.race.search.coverage import Explored, Reached, better, code, folded, redundant, replaceable, trace_of
from tests.race.definitions import call_traces, improvement, readable, sequential_coverage

A, B, C = ("a",), ("b",), ("c",)


def event(kind: int, line: int, key: object = None) -> Event:
    site = SITES.number(Site("counter.py", line, 0, "Counter.add", "self.n" if kind < ENTER else "Counter.add"))
    return Event(kind, site, object(), key, False, ())


def call(value: int) -> list[Event]:
    return [event(ENTER, 1), event(READ, 2, value), event(WRITE, 2, value), event(EXIT, 1)]


def test_a_trace_is_code_and_order_without_values() -> None:
    assert trace_of(call(1)) == trace_of(call(2))
    assert trace_of(call(1)) != trace_of(reversed(call(1)))
    assert code(event(READ, 2)) != code(event(WRITE, 2)) != code(event(WRITE, 3))
    assert [readable(each) for each in map(code, call(1))] == [
        "enter Counter.add",
        "read self.n",
        "write self.n",
        "leave Counter.add",
    ]


def test_the_events_of_a_sequence_are_parted_by_its_calls() -> None:
    events = [*call(1), event(READ, 9), *call(2)]
    assert list(call_traces(events, [0, 4, 5])) == [trace_of(call(1)), trace_of([event(READ, 9)]), trace_of(call(1))]
    assert list(call_traces([], [])) == []


def test_coverage_ignores_order_repetition_and_calls_without_events() -> None:
    assert sequential_coverage([A, B, A, ()]) == sequential_coverage([B, A]) == {A, B}


def test_improvement_is_what_no_earlier_sequence_covers() -> None:
    assert improvement(frozenset({A, B, C}), [frozenset({A}), frozenset({B})]) == {C}
    assert improvement(frozenset({A}), []) == {A}
    assert improvement(frozenset({A}), [frozenset({A, B})]) == frozenset()


def test_better_is_more_traces_then_fewer_calls() -> None:
    two, one = frozenset({A, B}), frozenset({A})
    assert better(Reached(0, two, 9), Reached(0, one, 1))
    assert better(Reached(0, one, 1), Reached(0, one, 2))
    assert not better(Reached(0, one, 1), Reached(1, frozenset({B}), 1))


def test_redundancy_looks_at_the_traces_not_at_their_number() -> None:
    """Sequences C and D of Figure 6: fewer traces, but one that the other does not have."""
    c, d = Reached(0, frozenset({A, B}), 2), Reached(0, frozenset({C}), 2)
    assert not redundant(d, c)
    assert redundant(Reached(0, frozenset({A}), 1), c)
    assert not redundant(Reached(1, frozenset({A}), 1), c)
    assert redundant(Reached(0, frozenset({A, B}), 3), c)
    assert redundant(c, Reached(0, frozenset({A, B}), 2))
    assert not redundant(c, Reached(0, frozenset({A, B}), 3))


reached = st.builds(
    Reached, st.integers(0, 1), st.frozensets(st.sampled_from([A, B, C])), st.integers(0, 3), st.integers(0, 2)
)


@given(st.lists(reached, max_size=8), reached, st.sampled_from([redundant, replaceable]))
def test_the_sequences_kept_decide_as_all_explored_ones_would(
    explored: list[Reached], sequence: Reached, rule: type[redundant]
) -> None:
    kept = Explored(rule)
    for each in explored:
        kept.add(each)
    assert kept.redundant(sequence) == any(rule(sequence, each) for each in explored)


@given(st.lists(reached, min_size=1, max_size=6), st.sampled_from([redundant, replaceable]))
def test_a_sequence_is_not_redundant_because_of_itself(explored: list[Reached], rule: type[redundant]) -> None:
    kept = Explored(rule)
    for position, each in enumerate(explored):
        kept.add(each)
        others = [other for other in explored[: position + 1] if other is not each]
        assert kept.redundant(each) == any(rule(each, other) for other in others)


@given(reached, reached)
def test_what_is_replaceable_is_redundant(first: Reached, second: Reached) -> None:
    assert not replaceable(first, second) or redundant(first, second)


def test_loops_are_told_apart_up_to_the_given_rounds() -> None:
    assert folded(tuple("abbbbc"), 2) == tuple("abbc")
    assert folded(tuple("xababababy"), 2) == tuple("xababy")
    assert folded(tuple("abc"), 2) == tuple("abc")
    assert folded((), 2) == ()
    nested = "".join("o" + "i" * n for n in (3, 4, 5, 6))
    assert folded(tuple(nested), 2) == tuple("oiioii")


@given(st.lists(st.sampled_from("ab"), max_size=14).map(tuple), st.integers(1, 3))
def test_folding_ends_with_nothing_left_to_fold(trace: tuple[str, ...], repeats: int) -> None:
    short = folded(trace, repeats)
    assert folded(short, repeats) == short
    assert set(short) == set(trace)
    for size, begin in itertools.product(range(1, len(short) + 1), range(len(short))):
        part = short[begin : begin + size]
        assert len(part) < size or short[begin : begin + size * (repeats + 1)] != part * (repeats + 1)
