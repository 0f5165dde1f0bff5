"""The eleven patterns, and what the locks leave of them, against all interleavings of small traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.concurrency.access import WHOLE, Access
from everypath.race.events import ACQUIRE, READ, RELEASE, WRITE, Item
from everypath.race.search.predict import DOUBLE, SINGLE, Requirement, Step, predict

LOCKS = "lm"


def steps(text: str, first_site: int = 0) -> tuple[Step, ...]:
    """`Rx Wy` reads x and writes y; `+l` takes the lock l, `-l` gives it back; every step has a site of its own."""
    made: list[Step] = []
    held: list[str] = []
    for index, word in enumerate(text.split()):
        what, name = word[0], word[1:]
        site = first_site + index
        before = frozenset(held)
        if what == "+":
            made.append(Step(index, ACQUIRE, site, None, name, before, False))
            held.append(name)
        elif what == "-":
            made.append(Step(index, RELEASE, site, None, name, before, False))
            held.remove(name)
        else:
            access = Access("sut", name, what == "R", what == "W")
            made.append(Step(index, READ if what == "R" else WRITE, site, access, None, before, False))
    return tuple(made)


def patterns(outer: str, other: str) -> set[int]:
    return {r.pattern for r in predict(steps(outer), steps(other, 100)).feasible}


@pytest.mark.parametrize(
    ("outer", "other", "expected"),
    [
        ("Rx Wx", "Wx", {1}),
        ("Rx Rx", "Wx", {2}),
        ("Wx Wx", "Rx", {3}),
        ("Wx Rx", "Wx", {4}),
        ("Wx Wx", "Wx", {5}),
        ("Wx Wy", "Wx Wy", {6}),
        ("Wx Wy", "Wy Wx", {7}),
        ("Wx Wy", "Rx Ry", {8}),
        ("Wx Wy", "Ry Rx", {9}),
        ("Rx Ry", "Wx Wy", {10}),
        ("Rx Ry", "Wy Wx", {11}),
        ("Rx Rx", "Rx", set()),
        ("Rx Wy", "Wx Wy", set()),
        ("Wx", "Wx", set()),
    ],
)
def test_every_pattern(outer: str, other: str, expected: set[int]) -> None:
    assert patterns(outer, other) == expected


@pytest.mark.parametrize(
    ("outer", "other", "feasible"),
    [
        ("+l Rx Wx -l", "+l Wx -l", False),
        ("+l Rx -l +l Wx -l", "+l Wx -l", True),
        ("+l Rx Wx -l", "Wx", True),
        ("+l Rx Wx -l", "+m Wx -m", True),
        ("+l Rx Wx -l", "+l Ry -l Wx", True),
    ],
)
def test_locks_decide_what_is_feasible(outer: str, other: str, feasible: bool) -> None:
    prediction = predict(steps(outer), steps(other, 100))
    assert prediction.predicted
    assert bool(prediction.feasible) == feasible


def test_a_lock_that_the_other_call_needs_only_on_its_way_is_passed_first() -> None:
    (candidate,) = set(predict(steps("+l Rx Wx -l"), steps("+l Ry -l Wx", 100)).feasible.values())
    assert candidate.lead == 3


def test_the_whole_container_meets_every_element() -> None:
    whole = Step(0, READ, 0, Access("sut.d", WHOLE, True, False), None, frozenset(), False)
    again = whole._replace(index=1, site=1)
    write = Step(0, WRITE, 100, Access("sut.d", Item("a"), False, True), None, frozenset(), False)
    assert {r.pattern for r in predict((whole, again), (write,)).feasible} == {2}
    attribute = write._replace(access=Access("sut.d", "a", False, True))
    assert not predict((whole, again), (attribute,)).predicted


@pytest.mark.parametrize(
    ("outer", "other", "found"),
    [
        ("+l +m -m -l", "+m +l -l -m", True),
        ("+l +m -m -l", "+l +m -m -l", False),
        ("+g +l +m -m -l -g", "+g +m +l -l -m -g", False),
        ("+l -l +m -m", "+m +l -l -m", False),
    ],
)
def test_cycles_of_locks(outer: str, other: str, found: bool) -> None:
    assert bool(predict(steps(outer), steps(other, 100)).deadlocks) == found


def interleavings(one: Sequence[Step], two: Sequence[Step]) -> Iterator[list[tuple[int, Step]]]:
    """Every order of both that no lock forbids."""

    def go(i: int, j: int, done: list[tuple[int, Step]]) -> Iterator[list[tuple[int, Step]]]:
        if i == len(one) and j == len(two):
            yield list(done)
        for thread, steps_left, other in ((0, one[i:], two[j:]), (1, two[j:], one[i:])):
            if steps_left:
                step = steps_left[0]
                held = other[0].held if other else frozenset()
                if step.kind == ACQUIRE and step.lock in held:
                    continue
                done.append((thread, step))
                yield from go(i + (thread == 0), j + (thread == 1), done)
                done.pop()

    yield from go(0, 0, [])


def matched(order: Sequence[tuple[int, Step]]) -> Iterator[Requirement]:
    """The patterns of thread 0's accesses divided by those of thread 1, read off an interleaving by definition."""
    accesses = [(thread, step) for thread, step in order if step.access is not None]
    for p, (t1, first) in enumerate(accesses):
        for q in range(p + 1, len(accesses)):
            t2, second = accesses[q]
            if t1 or t2:
                continue
            inner = [step for thread, step in accesses[p + 1 : q] if thread == 1]
            kinds = tuple("R" if s.access and s.access.reads else "W" for s in (first, second))
            places = tuple(s.access.key for s in (first, second) if s.access)
            if places[0] == places[1]:
                for step in inner:
                    assert step.access is not None
                    word = (kinds[0], "R" if step.access.reads else "W", kinds[1])
                    if step.access.key == places[0]:
                        for number, pattern in SINGLE.items():
                            if pattern == word:
                                yield Requirement(number, first.site, (step.site,), second.site)
            elif kinds[0] == kinds[1]:
                for a in range(len(inner)):
                    for b in range(a + 1, len(inner)):
                        one, two = inner[a], inner[b]
                        assert one.access is not None and two.access is not None
                        if one.access.reads != two.access.reads:
                            continue
                        numbers = DOUBLE.get((kinds[0], "R" if one.access.reads else "W"))
                        visited = (one.access.key, two.access.key)
                        if numbers is not None and visited in (places, places[::-1]):
                            number = numbers[0] if visited == places else numbers[1]
                            yield Requirement(number, first.site, (one.site, two.site), second.site)


def word_lists(locks: str) -> st.SearchStrategy[str]:
    access = st.sampled_from(["Rx", "Wx", "Ry", "Wy"])
    plain = st.lists(access, min_size=1, max_size=2)
    if not locks:
        return st.lists(access, min_size=1, max_size=4).map(" ".join)
    guarded = st.tuples(st.sampled_from(locks), plain).map(lambda pair: [f"+{pair[0]}", *pair[1], f"-{pair[0]}"])
    return st.lists(st.one_of(plain, guarded), min_size=1, max_size=2).map(
        lambda parts: " ".join(chain.from_iterable(parts))
    )


@settings(max_examples=150, deadline=None)
@given(word_lists(""), word_lists(""))
def test_without_locks_exactly_what_some_interleaving_shows(outer: str, other: str) -> None:
    one, two = steps(outer), steps(other, 100)
    everything = {r for order in interleavings(one, two) for r in matched(order)}
    prediction = predict(one, two)
    assert prediction.feasible.keys() == prediction.predicted == everything


@settings(max_examples=150, deadline=None)
@given(word_lists(LOCKS), word_lists(LOCKS))
def test_with_locks_nothing_that_no_interleaving_shows(outer: str, other: str) -> None:
    one, two = steps(outer), steps(other, 100)
    everything = {r for order in interleavings(one, two) for r in matched(order)}
    prediction = predict(one, two)
    assert prediction.feasible.keys() <= everything <= prediction.predicted


@settings(max_examples=150, deadline=None)
@given(word_lists("l"), word_lists("l"))
def test_with_one_lock_exactly_what_some_interleaving_shows(outer: str, other: str) -> None:
    one, two = steps(outer), steps(other, 100)
    everything = {r for order in interleavings(one, two) for r in matched(order)}
    assert predict(one, two).feasible.keys() == everything
