"""Stand-ins behave like what a class expects, and say what they are."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod

import pytest

from everypath.race.state.walking import snapshot
from everypath.race.subject.doubles import (
    RECORD,
    callback,
    concrete,
    counting_function,
    failing_function,
    host,
    other_callback,
    recorded,
    stub_function,
    stub_object,
)


def test_a_stub_function_returns_something_new_each_time() -> None:
    stub = stub_function()
    assert [stub(), stub("key"), stub(1, size=2), stub()] == [
        "value 1",
        "value of 'key'",
        "value of 1, size=2",
        "value 2",
    ]


def test_what_is_made_of_the_same_looks_the_same_and_is_another_object() -> None:
    stub = stub_function()
    first, second = stub("a"), stub("a")
    assert first == second
    assert first is not second
    assert snapshot([first, first]).key == snapshot([second, second]).key != snapshot([first, second]).key


def test_what_is_made_of_nothing_is_unique_and_looks_the_same() -> None:
    stub = stub_function()
    first, second = stub(), stub()
    assert first != second
    assert snapshot(first).key == snapshot(second).key


def test_numbering_restarts_with_each_stub() -> None:
    assert stub_function()() == stub_function()() == "value 1"
    assert stub_function("other")() == "other 1"


def test_a_stub_function_is_a_function_with_its_name() -> None:
    stub = stub_function("attribute")
    assert inspect.isfunction(stub)
    assert stub.__name__ == "attribute"


def test_a_counting_function_returns_numbers() -> None:
    stub = counting_function()
    assert [stub(), stub()] == [1, 2]
    assert stub("a") == stub("a") != stub("b")
    assert stub(1) != stub(2)


def test_callbacks_are_the_same_wherever_they_are_mentioned() -> None:
    assert callback is not other_callback
    assert callback("event", x=1) is None
    with pytest.raises(ValueError):
        failing_function(1)


def test_callbacks_are_recorded_in_no_order() -> None:
    RECORD.clear()
    other_callback(1, [2], at=(3, object()))
    callback("b")
    callback("a")
    callback("b")
    assert recorded() == ["callback('a')", "callback('b')", "callback('b')", "other_callback(1, list, at=(3, object))"]
    RECORD.clear()
    assert recorded() == []


def test_what_counts_is_marked_as_no_state() -> None:
    stub = stub_function()
    assert stub.__everypath_ignore__  # type: ignore[attr-defined]
    assert all(cell.cell_contents.__everypath_ignore__ for cell in stub.__closure__[1:])  # type: ignore[index]
    assert type(stub_object()).__everypath_ignore__


def test_a_stub_object_has_every_attribute() -> None:
    stub = stub_object()
    assert [stub.load("a"), stub.load("b"), stub.save()] == ["load of 'a'", "load of 'b'", "save 1"]
    assert stub() == "called 1"
    assert list(stub) == []
    assert repr(stub) == "stub_object()"
    assert {stub: 1}[stub] == 1
    with stub as entered:
        assert entered is stub
    with pytest.raises(AttributeError):
        stub.__wrapped__  # noqa: B018


def test_a_host_has_the_descriptor_as_attribute() -> None:
    made = host(property(lambda self: 7))
    assert made.attribute == 7


class Store(ABC):
    @abstractmethod
    def load(self, key: str) -> str: ...

    @property
    @abstractmethod
    def size(self) -> int: ...

    def get(self, key: str) -> str:
        return self.load(key)


def test_a_concrete_subclass_has_every_abstract_method() -> None:
    made = concrete(Store)()
    assert made.get("a") is None
    assert made.size is None
    assert concrete(Store) is concrete(Store)
