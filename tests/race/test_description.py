"""States in words: one line for a state, one line for each difference."""

from __future__ import annotations

import collections
import datetime
import threading
from typing import Any

import pytest

from everypath.race.state.description import describe, difference, render_value
from everypath.race.state.walking import snapshot


class Counter:
    def __init__(self, n: int) -> None:
        self.n = n
        self._lock = threading.Lock()


class Store:
    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def test_a_state_in_one_line() -> None:
    assert describe(snapshot(Counter(1))) == "Counter(n=1, _lock=free)"
    assert describe(snapshot(Counter(1), [2]), ["sut", "Counter.log"]) == "Counter(n=1, _lock=free); Counter.log=[2]"
    assert describe(snapshot()) == "nothing"


@pytest.mark.parametrize(
    "value",
    [
        *(1, "a", None, True, 1.5, b"x", [], [1, [2]], (), (1,), (1, 2), {}, {"a": [1]}, {1}, set(), frozenset({1})),
        *(range(3), slice(1, 2, 3), ValueError("x", 1), collections.deque([1], 3), bytearray(b"a"), ...),
    ],
)
def test_plain_values_look_as_in_python(value: Any) -> None:
    assert render_value(value) == repr(value)


def test_other_values() -> None:
    assert render_value(datetime.datetime(2020, 1, 2, 3, 4)) == "datetime(2020, 1, 2, 3, 4)"
    assert render_value(collections.OrderedDict(a=1)) == "OrderedDict({'a': 1})"
    assert render_value(collections.defaultdict(list, a=1)) == "defaultdict(list, {'a': 1})"
    assert render_value(Counter) == "Counter"
    assert render_value(object()) == "object()"
    assert render_value(threading.Event()) == "Event(_cond=Condition(_lock=free, _waiters=deque([])), _flag=False)"
    loop: list[Any] = [1]
    loop.append(loop)
    assert render_value(loop) == "[1, ...]"
    assert len(render_value("a" * 10_000)) < 200


@pytest.mark.parametrize(
    ("found", "expected", "lines"),
    [
        ({"n": 1}, {"n": 2}, ["sut.n: 1, not 2"]),
        ({"n": True}, {"n": 1}, ["sut.n: True, not 1"]),
        ({"n": 1.0}, {"n": 1}, ["sut.n: 1.0, not 1"]),
        ({}, {"n": 2}, ["sut: has no n"]),
        ({"n": [1]}, {}, ["sut: has n = [1]"]),
        ({"d": {"a": 1}}, {"d": {"a": 1, "b": 2}}, ["sut.d: has no key 'b'"]),
        ({"d": {"a": 1, "b": 2}}, {"d": {"a": 1}}, ["sut.d: has key 'b' with 2"]),
        ({"d": {"a": 1, "b": 2}}, {"d": {"b": 2, "a": 1}}, ["sut.d: keys in the order 'a', 'b', not 'b', 'a'"]),
        ({"d": {"a": [1]}}, {"d": {"a": [2]}}, ["sut.d['a'][0]: 1, not 2"]),
        ({"s": {1, 2}}, {"s": {2, 3}}, ["sut.s: has 1", "sut.s: has no 3"]),
        ({"l": [1, 2]}, {"l": [2, 1]}, ["sut.l: [1, 2], not [2, 1]"]),
        ({"l": [1]}, {"l": [1, 2]}, ["sut.l: [1], not [1, 2]"]),
        ({"l": []}, {"l": ()}, ["sut.l: [], not ()"]),
        ({"e": ValueError(1)}, {"e": KeyError(1)}, ["sut.e: ValueError(1), not KeyError(1)"]),
    ],
)
def test_differences(found: dict[str, Any], expected: dict[str, Any], lines: list[str]) -> None:
    assert difference(snapshot(Store(**found)), snapshot(Store(**expected))) == lines


def test_difference_in_sharing() -> None:
    one, other = [1], [1]
    apart, together = snapshot(Store(a=one, b=other)), snapshot(Store(a=one, b=one))
    assert difference(together, apart) == ["sut.b: sut.a, not an object of its own"]
    assert difference(apart, together) == ["sut.b: an object of its own, not sut.a"]


def test_difference_in_a_lock_and_in_another_root() -> None:
    counter = Counter(1)
    before = snapshot(counter, [1])
    counter._lock.acquire()
    lines = difference(snapshot(counter, [2]), before, ["sut", "Counter.log"])
    assert sorted(lines) == ["Counter.log[0]: 2, not 1", "sut._lock: held, not free"]
