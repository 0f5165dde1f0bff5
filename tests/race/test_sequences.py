"""The search for call sequences beside exhaustive walks over small machines: what pruning keeps and may lose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.race.running import Call
from everypath.race.search.coverage import Coverage, Trace
from everypath.race.search.sequences import (
    Extension,
    Found,
    KnownEffects,
    Rule,
    Saturated,
    SearchOptions,
    Stop,
    generate,
)

from .machines import START, Machine, covers, machines

NO_COVERAGE: Coverage = frozenset()
CUTS_NOTHING = 9
"""a saturation level above the number of states of every machine here"""
WITH_REDUNDANCY = [frozenset({Rule.D1, Rule.D3, *more}) for more in ((), (Rule.D2,), (Rule.B1,), (Rule.B2,), Rule)]
"""rules under which no sequence idles through more calls than there are states"""


def never() -> bool:
    return False


def search(
    machine: Machine, covered: frozenset[Trace] = NO_COVERAGE, memory: KnownEffects | None = None, **options: object
) -> Found | Saturated:
    options.setdefault("last_saturation", options.get("saturation", 3))
    chosen = SearchOptions(**options)  # type: ignore[arg-type]
    return generate(machine, machine.calls, covered, chosen, never, memory=memory, start=START)


def size(found: Found | Saturated) -> tuple[int, int]:
    return (len(found.improvement), len(found.sequence)) if isinstance(found, Found) else (0, 0)


def chain(length: int) -> Machine:
    """A call that has to be repeated before another one does something new."""
    last = length - 1
    return Machine([[(min(n + 1, last), "", False), (n, "z" if n == last else "", False)] for n in range(length)])


@given(machines(states=3, calls=2, traces=3), covers(3), st.integers(1, 2), st.booleans())
def test_without_redundancy_the_search_is_exhaustive(
    machine: Machine, covered: frozenset[Trace], k: int, unchanged: bool
) -> None:
    rules = frozenset({Rule.D1, Rule.D2} if unchanged else {Rule.D1})
    assert size(search(machine, covered, saturation=k, rules=rules)) == machine.optimum(covered, k)


@given(machines(), covers(), st.integers(1, 4))
def test_lossless_pruning_finds_as_much_in_as_few_calls(machine: Machine, covered: frozenset[Trace], k: int) -> None:
    assert size(search(machine, covered, saturation=k, lossless=True)) == machine.optimum(covered, k)


@given(machines(), covers(), st.sampled_from(WITH_REDUNDANCY))
def test_the_papers_pruning_loses_no_coverage_where_saturation_cuts_nothing(
    machine: Machine, covered: frozenset[Trace], rules: frozenset[Rule]
) -> None:
    found = search(machine, covered, saturation=len(machine.table), rules=rules)
    most, fewest = machine.optimum(covered, None)
    assert found.stats.saturated == 0
    assert size(found)[0] == most
    assert size(found)[1] >= fewest
    if isinstance(found, Found):
        assert machine.traces(found.sequence) - covered == found.improvement


@given(machines(), st.integers(1, 3), st.booleans())
def test_iterations_cover_everything_that_can_be_reached(machine: Machine, k: int, lossless: bool) -> None:
    memory, covered = KnownEffects(), NO_COVERAGE
    while True:
        found = search(
            machine, covered, memory, saturation=k, last_saturation=CUTS_NOTHING, seed=len(covered), lossless=lossless
        )
        if isinstance(found, Saturated):
            break
        assert found.improvement and not found.improvement & covered
        covered |= found.improvement
    assert found.complete
    assert covered == machine.reachable()


@given(machines(), covers(), st.integers(1, 3), st.integers(0, 3))
def test_memory_changes_the_work_and_nothing_else(
    machine: Machine, covered: frozenset[Trace], k: int, seed: int
) -> None:
    with_memory = search(machine, covered, saturation=k, seed=seed)
    asked = [(machine.state(prefix), call) for prefix, call in machine.executed]
    replayed = len(with_memory.sequence) if isinstance(with_memory, Found) else 0
    searched = asked[: len(asked) - replayed]
    assert len(searched) == len(set(searched))
    without = search(machine, covered, saturation=k, seed=seed, remember=False)
    assert size(with_memory) == size(without)
    assert with_memory.stats.nodes == without.stats.nodes
    assert with_memory.stats.cut == without.stats.cut
    if isinstance(with_memory, Found) and isinstance(without, Found):
        assert with_memory.sequence == without.sequence
        assert with_memory.improvement == without.improvement


@given(machines(), covers())
def test_a_new_trace_comes_with_the_shortest_known_way_to_it(machine: Machine, covered: frozenset[Trace]) -> None:
    found = search(machine, covered)
    if isinstance(found, Found):
        assert {each.trace for each in found.calls} == found.improvement
        for each in found.calls:
            assert machine.extend(each.prefix, each.call).trace == each.trace
            assert len(each.prefix) < len(found.sequence)
    for each in found.raising:
        extension = machine.extend(each.prefix, each.call)
        assert extension.raised and extension.trace == each.trace not in covered


def test_the_papers_pruning_may_find_a_longer_sequence() -> None:
    """Against theorem 1: what covers more is kept although its detour covers what comes later anyway."""
    machine = Machine([[(1, "d", False), (1, "a", False)], [(0, "c", False), (1, "e", False)]])
    assert machine.optimum(NO_COVERAGE, None) == (4, 4)
    assert size(search(machine, saturation=CUTS_NOTHING)) == (4, 6)
    assert size(search(machine, saturation=CUTS_NOTHING, lossless=True)) == (4, 4)


SHADOWED = Machine(
    [
        [(1, "e", False), (1, "d", False)],
        [(2, "e", False), (0, "a", True)],
        [(0, "", False), (1, "e", False)],
    ]
)
"""The way back to the start with `e` covered makes the start redundant, and saturates just there."""


def test_saturation_and_redundancy_together_may_lose_coverage() -> None:
    assert SHADOWED.optimum(NO_COVERAGE, 2) == (2, 2)
    assert size(search(SHADOWED, saturation=2)) == (1, 1)
    assert size(search(SHADOWED, saturation=2, lossless=True)) == (2, 2)
    assert size(search(SHADOWED, saturation=3))[0] == 2


def test_what_was_lost_is_found_in_the_next_iteration() -> None:
    first = search(SHADOWED, saturation=2)
    assert isinstance(first, Found)
    second = search(SHADOWED, first.improvement, saturation=2)
    assert isinstance(second, Found)
    assert first.improvement | second.improvement == SHADOWED.reachable()


def test_a_restart_finds_what_lies_deeper() -> None:
    machine = chain(6)
    found = search(machine, saturation=3, last_saturation=8)
    assert isinstance(found, Found)
    assert (found.k, found.stats.restarts, len(found.sequence)) == (6, 3, 6)
    shallow = search(machine, saturation=3, last_saturation=5)
    assert isinstance(shallow, Saturated)
    assert (shallow.k, shallow.complete) == (5, False)


def test_no_restart_once_nothing_was_cut_off() -> None:
    machine = chain(4)
    found = search(machine, frozenset({("z",)}), saturation=5, last_saturation=50)
    assert isinstance(found, Saturated)
    assert (found.k, found.stats.restarts, found.complete) == (5, 0, True)


def test_a_raising_call_is_set_aside_and_never_extended() -> None:
    machine = Machine([[(0, "x", True), (1, "a", False)], [(0, "y", True), (0, "b", False)]])
    found = search(machine)
    assert isinstance(found, Found)
    assert found.improvement == {("a",), ("b",)}
    assert {(len(each.prefix), each.call.method, each.trace) for each in found.raising} == {
        (0, "m0", ("x",)),
        (1, "m0", ("y",)),
    }
    assert all(machine.calls[0] not in prefix for prefix, _ in machine.executed)
    again = search(machine, frozenset({("x",)}))
    assert [each.trace for each in again.raising] == [("y",)]


def test_a_raising_call_that_changes_nothing_does_not_end_its_prefix() -> None:
    """B1 as printed would leave the start, because the call adds a trace there and keeps the state."""
    machine = Machine([[(0, "x", True), (0, "a", False)]])
    assert size(search(machine)) == (1, 1)


def test_without_d1_exceptions_are_calls_like_others() -> None:
    machine = Machine([[(1, "x", True)], [(1, "a", False)]])
    found = search(machine, rules=frozenset(Rule) - {Rule.D1})
    assert isinstance(found, Found)
    assert found.improvement == {("x",), ("a",)}
    assert found.raising == ()


class Picky(Machine):
    """Every call of m0 is one that must not be used."""

    def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
        extension = super().extend(prefix, call)
        return Extension(extension.trace, extension.state, extension.raised, call.method != "m0")


def test_an_unusable_call_neither_counts_nor_is_extended() -> None:
    machine = Picky([[(1, "x", False), (0, "a", False)], [(0, "b", False), (0, "c", False)]])
    found = search(machine)
    assert isinstance(found, Found)
    assert found.improvement == {("a",)}
    assert found.stats.unusable == 2
    assert all(machine.calls[0] not in prefix for prefix, _ in machine.executed)


def counting() -> Machine:
    """A class with ever new states, up to a bound beyond all limits here, and nothing to cover but one trace."""
    return Machine([[(min(n + 1, 199), "a", False), (max(n - 1, 0), "a", False)] for n in range(200)])


@pytest.mark.parametrize(
    ("options", "stop"),
    [({"executions": 5}, Stop.EXECUTIONS), ({"nodes": 5}, Stop.NODES)],
)
def test_limits_end_the_search_and_keep_what_was_found(options: dict[str, int], stop: Stop) -> None:
    found = search(counting(), saturation=50, **options)
    assert isinstance(found, Found)
    assert found.stats.stopped is stop
    assert size(found) == (1, 1)
    nothing = search(counting(), frozenset({("a",)}), saturation=50, last_saturation=99, **options)
    assert isinstance(nothing, Saturated)
    assert (nothing.stats.stopped, nothing.stats.restarts, nothing.complete) == (stop, 0, False)


def test_the_length_limit_is_reported() -> None:
    found = search(counting(), frozenset({("a",)}), saturation=50, length=7)
    assert isinstance(found, Saturated)
    assert found.stats.deepest == 7
    assert found.stats.too_long > 0 and not found.complete


def test_the_deadline_is_asked_before_every_extension() -> None:
    machine, asked = counting(), []

    def deadline() -> bool:
        asked.append(len(machine.executed))
        return len(asked) > 4

    found = generate(machine, machine.calls, frozenset(), SearchOptions(saturation=50), deadline, start=START)
    assert asked == [0, 1, 2, 3, 4]
    assert isinstance(found, Found)
    assert found.stats.stopped is Stop.DEADLINE


def test_the_first_seed_keeps_the_order_and_the_others_are_repeatable() -> None:
    def first_calls(seed: int) -> list[str]:
        machine = Machine([[(0, chr(ord("a") + n), False) for n in range(8)]])
        search(machine, seed=seed, rules=frozenset({Rule.D1}), executions=8)
        return [call.method for prefix, call in machine.executed if not prefix][:8]

    assert first_calls(0)[0] == "m0"
    assert first_calls(3) == first_calls(3)
    assert len({tuple(first_calls(seed)) for seed in range(5)}) > 1


def test_an_unknown_start_costs_work_but_no_coverage() -> None:
    machine = Machine([[(0, "a", False), (1, "b", False)], [(0, "c", False), (1, "", False)]])
    found = generate(machine, machine.calls, frozenset(), SearchOptions(), never)
    assert isinstance(found, Found)
    assert found.improvement == machine.reachable()


class Forgetful(Machine):
    """From the third call on every call leaves another trace, which the state does not show."""

    def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
        extension = super().extend(prefix, call)
        return Extension(("late", call.method), extension.state) if len(prefix) > 1 else extension


def test_hidden_state_is_noticed_and_memory_no_longer_used() -> None:
    machine = Forgetful([[(1, "a", False), (0, "b", False)], [(0, "c", False), (1, "d", False)]])
    memory = KnownEffects()
    found = search(machine, memory=memory)
    assert isinstance(found, Found)
    assert found.stats.diverged is not None
    assert not memory.reliable
    assert found.improvement == real_coverage(machine, found.sequence)
    assert ("late", "m0") in found.improvement
    again = search(machine, found.improvement, memory)
    assert again.stats.remembered == 0


def test_a_result_is_what_the_sequence_really_does() -> None:
    class Flipping(Machine):
        """The very same call gives another trace from its second execution on."""

        def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
            extension = super().extend(prefix, call)
            return Extension((*extension.trace, "again"), extension.state) if len(self.executed) > 1 else extension

    memory = KnownEffects()
    found = search(Flipping([[(0, "a", False)]]), memory=memory)
    assert isinstance(found, Found)
    assert found.improvement == {("a", "again")}
    assert found.stats.diverged is not None
    assert not memory.reliable


def real_coverage(machine: Machine, sequence: tuple[Call, ...]) -> Coverage:
    return frozenset(machine.extend(sequence[:n], call).trace for n, call in enumerate(sequence))
