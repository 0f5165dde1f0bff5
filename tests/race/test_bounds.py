"""Small bounds make the code for "full" reachable; a second setup has what a small bound rules out."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from everypath.race.subject.bounds import bound_of, is_bound, seconds_in, widened
from tests.race.plain_attempt import inspected, sources


def parameters(function: Any) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())


def signature(capacity: int = 128, *, limit=10, ttl=600, timeout=None, name="x") -> None: ...


def required(maxsize, getsizeof=None, /, *, max_age=5) -> None: ...


@pytest.mark.parametrize(
    ("function", "name", "expected"),
    [
        (signature, "capacity", True),
        (signature, "limit", True),
        (signature, "ttl", False),
        (signature, "name", False),
        (required, "maxsize", True),
        (required, "max_age", False),
        (lambda maxsize=0: None, "maxsize", True),
        (lambda max_items=None: None, "max_items", True),
        (lambda size=None: None, "size", False),
        (lambda min_size=2: None, "min_size", False),
        (lambda parties=2: None, "parties", False),
        (lambda n_shards=16: None, "n_shards", True),
        (lambda strict_limit=True: None, "strict_limit", False),
    ],
)
def test_what_is_a_bound(function: Any, name: str, expected: bool) -> None:
    assert is_bound(inspect.signature(function).parameters[name]) == expected


@pytest.mark.parametrize(
    ("setup", "function", "bound", "wider", "seconds"),
    [
        ("Cache(1)", signature, 1, "Cache(2)", 600),
        ("Cache(1, limit=1)", signature, 1, "Cache(2)", 600),
        ("Cache(capacity=1, limit=1, ttl=60)", signature, 1, "Cache(capacity=2, ttl=60)", 60),
        ("host(lazy(1))", required, 1, "host(lazy(2))", 5),
        ("Cache(len('ab'))", required, 0, None, 5),
        ("make().cache", required, 0, None, 5),
        ("Cache(", required, 0, None, 5),
    ],
)
def test_bounds_in_a_setup(setup: str, function: Any, bound: int, wider: str | None, seconds: float) -> None:
    known = parameters(function)
    assert bound_of(setup, known) == bound
    assert widened(setup, known) == wider
    assert seconds_in(setup, known) == seconds


class Store:
    def __init__(self, capacity: int = 100) -> None:
        self.capacity = capacity
        self._data: dict[str, int] = {}

    def put(self, key: str, value: int) -> None:
        self._data[key] = value
        if len(self._data) > self.capacity:
            self._data.popitem()

    def get(self, key: str) -> int | None:
        return self._data.get(key)


def test_room_for_one_first_then_for_two_with_one_more_key() -> None:
    subject = inspected(Store)
    assert subject.setups == ("Store(capacity=1)", "Store(capacity=2)")
    assert subject.calls_for(subject.setup) == subject.calls
    further = [call.source for call in subject.calls_for("Store(capacity=2)") if call not in subject.calls]
    assert further == ["sut.put('c', 1)"]


class Pairs(Store):
    """Nothing can be put in unless two fit."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)

    def put(self, key: str, value: int) -> None:
        if self.capacity < 2:
            raise ValueError("too small")
        super().put(key, value)


def test_a_bound_with_which_calls_do_not_work_is_not_used() -> None:
    subject = inspected(Pairs)
    assert subject.setups == ("Pairs(2)",)
    assert "sut.put('c', 1)" in [call.source for call in subject.calls_for("Pairs(2)")]


class AtLeastFour(Store):
    def __init__(self, capacity: int = 8) -> None:
        if capacity < 4:
            raise ValueError(capacity)
        super().__init__(capacity)


def test_a_bound_that_the_constructor_refuses_is_not_used() -> None:
    assert inspected(AtLeastFour).setups == ("AtLeastFour()",)


class Heating:
    """The limit is on a value, not on a number of things."""

    def __init__(self, target: int = 20, maximum: int = 25) -> None:
        self.target = target
        self._maximum = maximum

    def warmer(self) -> None:
        if self.target < self._maximum:
            self.target += 1


class ClampedHeating(Heating):
    def __init__(self, target: int = 20, maximum: int = 25) -> None:
        self.target = target
        self._maximum = maximum

    def warmer(self) -> None:
        self.target = min(self.target + 1, self._maximum)


def test_other_limits_get_their_default_back() -> None:
    assert inspected(Heating).setups == ("Heating(maximum=1)", "Heating()")
    assert inspected(ClampedHeating).setups == ("ClampedHeating()",)


def test_the_users_setup_stands_alone() -> None:
    subject = inspected(Store, setup="Store(2)")
    assert subject.setups == ("Store(2)",)
    assert "sut.put('c', 1)" not in sources(subject)
    assert "sut.put('c', 1)" in [call.source for call in subject.calls_for("Store(2)")]
    assert inspected(Store, args={"capacity": ["3"]}).setups == ("Store(capacity=3)",)
