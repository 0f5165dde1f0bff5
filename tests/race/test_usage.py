"""What the source does with parameters is seen."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import pytest

from everypath.race.subject.usage import parameter_uses, touches_shared_state


class Worker:
    total = 0
    known: ClassVar[dict[str, int]] = {}

    def __init__(self, loader: Any, guard: Any, table: Any, size: Any, source: Any) -> None:
        self._loader = loader
        self._guard = guard or threading.Lock()
        self._table = table
        self._size = size
        self._source = source

    def run(self, command: Any, count: Any, words: Any, n: Any) -> Any:
        if command == "start" or command in ("stop", "pause"):
            return count - 1
        match n:
            case 3:
                return None
        if n > 10:
            return 0
        for word in words:
            print(word)
        with self._guard:
            if len(self._table) < self._size:
                self._table.setdefault("a", self._loader())
        return self._source.fetch_all()

    @classmethod
    def create(cls) -> Worker:
        return cls(None, None, None, None, None)

    @classmethod
    def count(cls) -> int:
        cls.total += 1
        return cls.total

    @staticmethod
    def remember(name: str) -> None:
        Worker.known[name] = 1

    @staticmethod
    def plain(x: int) -> int:
        return x


@pytest.mark.parametrize(
    ("method", "parameter", "way"),
    [
        ("__init__", "loader", "called"),
        ("__init__", "guard", "lock"),
        ("__init__", "table", "mapping"),
        ("__init__", "size", "number"),
        ("__init__", "source", "object"),
        ("run", "count", "number"),
        ("run", "words", "iterated"),
        ("run", "n", "number"),
    ],
)
def test_ways_of_use(method: str, parameter: str, way: str) -> None:
    assert way in parameter_uses(Worker, method)[parameter].ways


def test_constants_that_parameters_are_compared_with() -> None:
    uses = parameter_uses(Worker, "run")
    assert set(uses["command"].constants) == {"'start'", "'stop'", "'pause'"}
    assert set(uses["n"].constants) == {"3", "10", "11"}


def test_methods_without_source_have_no_uses() -> None:
    assert parameter_uses(dict, "get") == {}
    assert parameter_uses(Worker, "absent") == {}


@pytest.mark.parametrize(
    ("method", "touches"), [("create", False), ("count", True), ("remember", True), ("plain", False)]
)
def test_shared_state_of_class_methods(method: str, touches: bool) -> None:
    assert touches_shared_state(Worker, method) is touches
