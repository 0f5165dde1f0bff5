"""Copies of start states: equal to the original and apart from it, or refused."""

from __future__ import annotations

import collections
import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.race.copying import copy_state, save_state
from everypath.race.locks import ControlledLock, ControlledRLock
from everypath.race.reach import walk
from everypath.race.snapshot import snapshot
from everypath.race.stubs import stub_function, stub_object
from tests.race.graphs import Graph, Plain, build, graphs


class Cache:
    def __init__(self) -> None:
        self._lock = ControlledRLock()
        self._changed = threading.Condition(ControlledLock())
        self._data = collections.OrderedDict(a=[1], b=(1, [2]))
        self._groups = collections.defaultdict(list, a=[self])
        self._recent = collections.deque([1, 2], 3)
        self._seen = {1, "a", (1, 2)}
        self._ids = itertools.count(3)
        self.callback = self.get
        self.closed = False

    def get(self) -> None:
        """Nothing."""


class Words(list[str]):
    pass


def test_a_typical_object() -> None:
    names = {"sut": Cache(), "words": Words(["a"]), "Cache": Cache, "__builtins__": {}}
    recipe = save_state(names)
    assert recipe is not None
    one, other = recipe(), recipe()
    assert list(one) == ["sut", "words", "Cache", "__builtins__"]
    assert one["__builtins__"] is names["__builtins__"]
    for copied in (one, other):
        assert snapshot(copied["sut"], copied["words"]) == snapshot(names["sut"], names["words"])
        assert copied["sut"].callback.__self__ is copied["sut"]
        assert copied["sut"]._groups["a"][0] is copied["sut"]
    one["sut"]._data["a"].append(2)
    assert next(one["sut"]._ids) == next(other["sut"]._ids) == 3
    one["sut"]._lock.acquire()
    assert not other["sut"]._lock.held
    assert snapshot(other["sut"]) != snapshot(one["sut"])


@settings(max_examples=50)
@given(graphs(6), st.integers(0, 99))
def test_copies_are_equal_and_share_nothing_that_can_change(graph: Graph, seed: int) -> None:
    names = {"sut": build(graph, seed)}
    copied = copy_state(names)
    assert copied is not None
    assert snapshot(copied["sut"]) == snapshot(names["sut"])
    mine = {id(each) for each in walk((names["sut"],)).objects if each is not None}
    assert not any(id(each) in mine for each in walk((copied["sut"],)).objects if each is not None)


class Keyed:
    def __hash__(self) -> int:
        raise AssertionError("code of the class was run")


class Made:
    def __new__(cls) -> Made:
        MADE.append(1)
        return super().__new__(cls)

    def __reduce__(self) -> Any:
        raise AssertionError("code of the class was run")


MADE: list[int] = []


def remembered() -> Callable[[], int]:
    n = [0]
    return lambda: len(n)


def by_identity() -> list[Any]:
    one = Plain()
    return [one, {id(one): 1}]


def generating() -> Any:
    yield 1


@pytest.mark.parametrize(
    "make",
    [
        remembered,
        by_identity,
        generating,
        stub_object,
        stub_function,
        lambda: weakref.ref(Cache),
        lambda: (lambda lock: (lock.acquire(), lock)[1])(ControlledLock()),
        lambda: iter([1]),
        threading.local,
        lambda: [[] for _ in range(1000)],
    ],
)
def test_refused(make: Callable[[], Any]) -> None:
    assert copy_state({"sut": [make()]}) is None


def test_no_code_of_the_class_is_run() -> None:
    made = Made()
    MADE.clear()
    copied = copy_state({"sut": made})
    assert copied is not None
    assert MADE == []
    keyed: dict[Any, int] = {}
    key = Plain()
    keyed[key] = 1
    key.__class__ = Keyed  # type: ignore[assignment]
    assert copy_state({"sut": keyed}) is None
