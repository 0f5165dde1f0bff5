"""What the source does with parameters is seen."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, ClassVar

import pytest

from everypath.cases.races import ParameterUse
from everypath.languages.python.classes_under_test import find_targets
from everypath.languages.python.parameter_uses import parameter_uses
from everypath.race.protocol import RaceRequest, parse_request, request_text
from everypath.race.subject.class_source import touches_shared_state
from tests.race.plain_attempt import uses_of


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

    def greet(self, whom: Any, times: Any = None) -> Any:
        """Say hello.

        >>> worker.greet("you", times=[1, 2])
        """
        return whom, times

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
        ("greet", "whom", "text"),
        ("greet", "times", "list"),
    ],
)
def test_ways_of_use(method: str, parameter: str, way: str) -> None:
    assert way in uses_of(Worker).of(Worker, method)[parameter].ways


def test_constants_that_parameters_are_compared_with() -> None:
    uses = uses_of(Worker).of(Worker, "run")
    assert set(uses["command"].constants) == {"'start'", "'stop'", "'pause'"}
    assert set(uses["n"].constants) == {"3", "10", "11"}


def test_methods_without_source_have_no_uses() -> None:
    assert uses_of(dict).of(dict, "get") == {}
    assert uses_of(Worker).of(Worker, "absent") == {}


@pytest.mark.parametrize(
    ("method", "touches"), [("create", False), ("count", True), ("remember", True), ("plain", False)]
)
def test_shared_state_of_class_methods(method: str, touches: bool) -> None:
    assert touches_shared_state(Worker, method) is touches


def test_the_modules_of_bases_and_annotated_classes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "shop/__init__.py": "from .base import Base\n",
        "shop/base.py": "class Base:\n    def __init__(self, load):\n        self.item = load()\n",
        "shop/till.py": "class Till:\n    def __init__(self, names):\n        self.names = sorted(names)\n",
        "shop/other.py": "class Other:\n    def f(self, x):\n        return x - 1\n",
        "shop/cart.py": "from shop import Base\nfrom shop.till import Till\nfrom shop.other import thing\n\n"
        "class Cart(Base):\n    def pay(self, till: Till, how):\n        return how == 'cash'\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (target,) = find_targets(["shop/cart.py::Cart"])
    uses = parameter_uses(target)
    assert set(uses) == {
        ParameterUse("shop.cart:Cart", "pay", "how", (), ("'cash'",)),
        ParameterUse("shop.base:Base", "__init__", "load", ("called",)),
        ParameterUse("shop.till:Till", "__init__", "names", ("iterated",)),
    }
    request = RaceRequest("shop.cart", "Cart", uses=uses)
    assert parse_request(request_text(request)) == request


def test_what_cannot_be_read_has_no_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "from gone import Base\nclass C(Base):\n    def f(self, x):\n        return x\n"
    (tmp_path / "c.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (target,) = find_targets(["c.py::C"])
    assert parameter_uses(target) == ()
