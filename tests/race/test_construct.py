"""Objects are made with no help: by default, annotation, name, use and trial."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from everypath.errors import BadInput
from tests.race.plain_attempt import inspected


class ByDefault:
    def __init__(self, name: str = "x") -> None:
        self.name = name

    def get(self) -> str:
        return self.name


class Bounded(ByDefault):
    def __init__(self, maxsize: int = 128, ttl: int = 600) -> None:
        self.maxsize = maxsize


class Limited(ByDefault):
    def __init__(self, calls=15, period=900):
        self.calls = calls


class Untyped(ByDefault):
    def __init__(self, capacity, ttl, loader, key, items):
        self.loader = loader


class Typed(ByDefault):
    def __init__(self, size: int, names: list[str], on_change: Callable[[], None] | None) -> None:
        self.size = size


class ByUse(ByDefault):
    def __init__(self, first, second, third):
        self._first = first
        self._second = second
        self._third = third

    def get(self):
        with self._second:
            return self._first() + self._third.lower()


class ByTrial(ByDefault):
    def __init__(self, thing):
        self.pairs = sorted(thing.union({4}))


class OnlyLaterWrong:
    """The constructor takes anything; only the methods show what is needed."""

    def __init__(self, backend):
        self.parts = [backend]

    def read(self, name):
        return self.parts[0][name.lower()] + 1


@dataclass
class Options:
    size: int
    label: str = "x"


class WithOptions(ByDefault):
    def __init__(self, options: Options) -> None:
        self.options = options


@dataclass
class Record:
    key: str
    lock: threading.Lock
    parts: list[int] = field(default_factory=list)

    def add(self, part: int) -> None:
        self.parts.append(part)


class Single:
    _instance: Single | None = None

    def __init__(self) -> None:
        raise RuntimeError("use instance()")

    @classmethod
    def instance(cls) -> Single:
        if cls._instance is None:
            cls._instance = object.__new__(cls)
        return cls._instance

    def get(self) -> int:
        return 1


class Storage(ABC):
    @abstractmethod
    def load(self) -> dict[str, int]: ...


class MemoryStorage(Storage):
    def load(self) -> dict[str, int]:
        return {}


class FileStorage(Storage):
    def __init__(self, path: str) -> None:
        raise OSError(path)

    def load(self) -> dict[str, int]:
        return {}


class Table(ByDefault):
    def __init__(self, storage: Storage) -> None:
        self.storage = storage


class Template(ABC):
    def __init__(self, size: int) -> None:
        self.size = size

    @abstractmethod
    def step(self) -> int: ...

    def run(self) -> None:
        self.step()


class OnlyOne(type):
    _made: dict[type[Any], Any] = {}  # noqa: RUF012

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls not in cls._made:
            cls._made[cls] = super().__call__(*args, **kwargs)
        return cls._made[cls]


class Unique(metaclass=OnlyOne):
    def __init__(self, size: int) -> None:
        self.size = size

    def get(self) -> int:
        return self.size


@pytest.mark.parametrize(
    ("cls", "setup"),
    [
        (Unique, "Unique(1)"),
        (ByDefault, "ByDefault()"),
        (Bounded, "Bounded(maxsize=1)"),
        (Limited, "Limited(calls=1)"),
        (Untyped, "Untyped(1, 60, stub_function(), 'a', [3, 1, 2])"),
        (Typed, "Typed(1, ['a', 'b'], callback)"),
        (ByUse, "ByUse(stub_function(), threading.Lock(), 'a')"),
        (ByTrial, "ByTrial({1, 2})"),
        (OnlyLaterWrong, "OnlyLaterWrong({'a': 1, 'b': 2})"),
        (WithOptions, "WithOptions(Options(1))"),
        (Record, "Record('a', threading.Lock())"),
        (Single, "Single.instance()"),
        (Table, "Table(MemoryStorage())"),
        (Template, "concrete(Template)(1)"),
    ],
)
def test_setup(cls: type[Any], setup: str) -> None:
    assert inspected(cls).setup == setup


def test_the_setup_can_be_evaluated_with_the_namespace() -> None:
    subject = inspected(Untyped)
    assert isinstance(eval(subject.setup, subject.scope.namespace()), Untyped)


def test_the_users_setup_wins() -> None:
    assert inspected(Bounded, setup="Bounded(7)").setup == "Bounded(7)"


def test_the_users_argument_is_used() -> None:
    assert inspected(Bounded, args={"maxsize": ["5"]}).setup == "Bounded(maxsize=5)"
    assert inspected(Untyped, args={"__init__.ttl": ["9"]}).setup.startswith("Untyped(1, 9, ")


def test_values_found_elsewhere_are_tried_first() -> None:
    assert inspected(Typed, values={("__init__", "size"): ["17"]}).setup.startswith("Typed(17, ")


class Picky:
    def __init__(self, width: int, secret: str) -> None:
        if secret != "".join(["open", "sesame"]):
            raise ValueError("secret is wrong")

    def get(self) -> int:
        return 1


class Broken:
    def __init__(self) -> None:
        raise RuntimeError("not today")

    def get(self) -> int:
        return 1


def local_class() -> type[Any]:
    class Local:
        def get(self) -> int:
            return 1

    return Local


@pytest.mark.parametrize(
    ("cls", "parts"),
    [
        (Picky, ("argument 'secret'", "secret is wrong", "--setup 'Picky(width, secret)'")),
        (Broken, ("its constructor raises RuntimeError: not today", "test_construct.py:", "--setup")),
        (local_class(), ("defined inside a function",)),
    ],
)
def test_what_cannot_be_made_is_explained(cls: type[Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(BadInput) as caught:
        inspected(cls)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("Bounded(", "no expression"),
        ("Absent(1)", "no expression"),
        ("Bounded(1, 2, 3)", "TypeError"),
        ("ByDefault()", "gives a ByDefault, not a Bounded"),
    ],
)
def test_bad_setups_are_explained(setup: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        inspected(Bounded, setup=setup)


def test_bad_arguments_are_explained() -> None:
    with pytest.raises(BadInput, match="--arg maxsize=absent"):
        inspected(Bounded, args={"maxsize": ["absent"]})
    with pytest.raises(BadInput, match="no parameter has this name; there are maxsize, ttl"):
        inspected(Bounded, args={"size": ["1"]})
