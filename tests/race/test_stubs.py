"""Stand-ins behave like what a class expects, and say what they are."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod

import pytest

from everypath.race.stubs import (
    callback,
    concrete,
    counting_function,
    failing_function,
    host,
    other_callback,
    stub_function,
    stub_object,
)


def test_a_stub_function_returns_something_new_each_time() -> None:
    stub = stub_function()
    assert [stub(), stub("key"), stub(1, size=2)] == ["value 1", "value 2", "value 3"]


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


def test_callbacks_are_the_same_wherever_they_are_mentioned() -> None:
    assert callback is not other_callback
    assert callback("event", x=1) is None
    with pytest.raises(ValueError):
        failing_function(1)


def test_what_counts_is_marked_as_no_state() -> None:
    stub = stub_function()
    assert stub.__everypath_ignore__  # type: ignore[attr-defined]
    assert all(cell.cell_contents.__everypath_ignore__ for cell in stub.__closure__[1:])  # type: ignore[index]
    assert type(stub_object()).__everypath_ignore__


def test_a_stub_object_has_every_attribute() -> None:
    stub = stub_object()
    assert [stub.load("a"), stub.load("b"), stub.save()] == ["load 1", "load 2", "save 1"]
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
