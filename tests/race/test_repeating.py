"""A method that only repeats another one of the same object is as many calls; nothing else is excused by that."""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import MutableMapping, MutableSequence, MutableSet
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from everypath.race.observe.call_parts import NextRound
from everypath.race.observe.importing import install
from everypath.race.observe.repeating import announcing_rounds, mark_rounds

from .searching import clean, followed, search

BAG = """
class Bag:
    def __init__(self):
        self._lock, self._items = threading.Lock(), {}

    def add(self, item: int) -> None:
        with self._lock:
            self._items[item] = self._items.get(item, 0) + 1

    def take(self, item: int) -> None:
        with self._lock:
            self._items.pop(item, None)

    def extend(self, items: list[int]) -> None:
        for item in items:
            self.add(item)

    def content(self) -> list[tuple[int, int]]:
        with self._lock:
            return sorted(self._items.items())
"""
MOVING = BAG.replace(
    "            self.add(item)", "            self.take(item)\n            self.add(item + 1)"
).replace("items: list[int]", "items: set[int]")
COUNTING = (
    BAG.replace("            self.add(item)", "            self.add(item)\n            self.count += 1")
    .replace("self._lock, self._items", "self.count, self._lock, self._items")
    .replace("threading.Lock(), {}", "0, threading.Lock(), {}")
    + "\n    def counted(self) -> int:\n        return self.count\n"
)
LOST = BAG.replace(
    "        with self._lock:\n            self._items[item]", "        if True:\n            self._items[item]"
)
MAPPING = """
from collections.abc import MutableMapping

class Table(MutableMapping):
    def __init__(self):
        self._lock, self._items = threading.Lock(), {}

    def __getitem__(self, key: str) -> int:
        with self._lock:
            return self._items[key]

    def __setitem__(self, key: str, value: int) -> None:
        with self._lock:
            self._items[key] = value

    def __delitem__(self, key: str) -> None:
        with self._lock:
            del self._items[key]

    def __iter__(self):
        with self._lock:
            return iter(list(self._items))

    def __len__(self) -> int:
        with self._lock:
            return len(self._items)
"""
BETWEEN = ["A until <thread>: read the next call", "B", "A"]


def _marks(source: str) -> int:
    (method,) = ast.parse(source).body
    mark_rounds(method)
    return sum(isinstance(node, NextRound) for node in ast.walk(method))


@pytest.mark.parametrize(
    "body",
    [
        "for item in items:\n        self.add(item)",
        "for key in items:\n        self[key] = items[key]",
        "for key in list(items):\n        if key:\n            del self[key]",
        "for key, value in items:\n        self.put(key, value)\n    return self",
        "try:\n        while True:\n            self.pop()\n    except IndexError:\n        pass",
        "if items is self:\n        items = list(items)\n    for item in items:\n        self.append(item)",
    ],
)
def test_a_repeated_operation_is_marked(body: str) -> None:
    assert _marks(f"def extend(self, items):\n    {body}\n") == 1


@pytest.mark.parametrize(
    "body",
    [
        "self.add(items)",  # no loop
        "self.take(items)\n    self.add(items)",
        "with self.lock:\n        for item in items:\n            self.add(item)",
        "for item in items:\n        with self.lock:\n            self.add(item)",
        "for item in items:\n        self.take(item)\n        self.add(item)",
        "for item in items:\n        self.take(item)\n    for item in items:\n        self.add(item)",
        "for item in items:\n        self._add(item)",  # what nobody else can call
        "for item in self.items:\n        self.add(item)",
        "for item in items:\n        self.add(self.next)",
        "for item in items:\n        if self.add(item):\n            break",
        "for item in items:\n        found = self.get(item)",
        "for item in items:\n        super().add(item)",
        "for item in items:\n        self.add(item)\n    self.size = len(items)",
        "for item in items:\n        self.add(item)\n    return len(self)",
        "for item in items:\n        add(self, item)",
        "for item in items:\n        yield self.add(item)",
    ],
)
def test_whatever_does_more_is_one_call(body: str) -> None:
    assert _marks(f"def extend(self, items):\n    {body}\n") == 0


def test_a_decorated_method_is_one_call() -> None:
    assert _marks("@locked\ndef extend(self, items):\n    for item in items:\n        self.add(item)\n") == 0


@pytest.mark.parametrize(
    ("cls", "name"),
    [(MutableMapping, "update"), (MutableMapping, "clear"), (MutableSequence, "extend"), (MutableSet, "clear")],
)
def test_what_a_class_of_the_library_lends_does_the_same_with_its_rounds_announced(cls: type, name: str) -> None:
    install()
    method = getattr(cls, name)
    assert isinstance(method, FunctionType)
    announced = announcing_rounds(method)
    assert announced is not None
    if cls is MutableMapping:
        made: Any = OrderedDict(a=0)
        announced(made, **({"a": 1, "b": 2} if name == "update" else {}))
        assert made == ({"a": 1, "b": 2} if name == "update" else {})


@pytest.mark.parametrize("name", ["setdefault", "pop", "popitem", "__contains__"])
def test_what_decides_by_the_object_is_one_call(name: str) -> None:
    assert announcing_rounds(getattr(MutableMapping, name)) is None


def test_a_loop_of_single_operations_is_no_fault(tmp_path: Path) -> None:
    assert clean(search(tmp_path, BAG, "Bag"))


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (LOST, "state"),  # an update is lost within one operation
        (MOVING, "result"),  # two operations that belong together
        (COUNTING, "result"),  # something of its own between them
    ],
)
def test_faults_around_and_in_loops_are_still_found(tmp_path: Path, source: str, kind: str) -> None:
    assert kind in {finding.kind for finding in search(tmp_path, source, "Bag").findings}


def test_another_thread_may_come_between_the_rounds(tmp_path: Path) -> None:
    replayed = followed(tmp_path, BAG, "Bag()", (["sut.extend([1, 2])"], ["sut.content()"]), BETWEEN)
    assert not replayed.failed
    assert any("[(1, 1)]" in line for line in replayed.observed)


def test_a_method_that_calls_such_a_method_is_one_call(tmp_path: Path) -> None:
    source = f"{BAG}\n    def fill(self) -> None:\n        self.extend([1, 2])\n"
    schedule = ["A until Bag.add: take self._lock #2", "B", "A"]
    threads = (["sut.fill()"], ["sut.content()"])
    assert followed(tmp_path, source, "Bag()", threads, schedule).failed
    assert not followed(tmp_path, source, "Bag()", (["sut.extend([1, 2])"], threads[1]), schedule).failed


@pytest.mark.parametrize("call", ["sut.update({'a': 1, 'b': 2})", "sut.update([('a', 1), ('b', 2)])"])
def test_rounds_of_the_library_divide_as_well(tmp_path: Path, call: str) -> None:
    replayed = followed(tmp_path, MAPPING, "Table()", ([call], ["len(sut)"]), BETWEEN)
    assert not replayed.failed
    assert any("len(sut) returns 1" in line for line in replayed.observed)
