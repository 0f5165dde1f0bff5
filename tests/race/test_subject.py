"""The calls chosen for a class are what a person would try."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import configparser
import contextlib
import enum
import functools
import itertools
import queue
import random
import re
import sched
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, ClassVar, NamedTuple, Protocol, TypedDict

import pytest

from everypath.errors import BadInput
from everypath.race.running import Endless, Outcome, Refused
from everypath.race.subject import offer
from everypath.race.subject.class_source import Known
from everypath.race.subject.subject import NothingToRace, inspect_class
from tests.race.plain_attempt import attempt_with, inspected, sources, uses_of


class Cache:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._data: dict[str, int] = {}

    def put(self, key: str, value: int) -> None:
        self._data[key] = value

    def get(self, key: str, default: int | None = None) -> int | None:
        return self._data.get(key, default)

    def _private(self) -> None:
        self._data.clear()


def test_keys_are_the_same_and_different_ones() -> None:
    assert sources(inspected(Cache)) == [
        "sut.put('a', 1)",
        "sut.get('a')",
        "sut.put('b', 2)",
        "sut.get('b')",
        "sut.put('a', 2)",
        "sut.get('a', 0)",
    ]


def test_methods_can_be_named_private_ones_too() -> None:
    subject = inspected(Cache, methods=("get", "_private"))
    assert subject.methods == ("get", "_private")
    with pytest.raises(BadInput, match="no method 'gett'; there are get"):
        inspected(Cache, methods=("gett",))


def test_the_users_values_are_used() -> None:
    found = sources(inspected(Cache, args={"key": ["'x'", "'y'"], "put.value": ["7"]}))
    assert "sut.put('x', 7)" in found
    assert "sut.get('y')" in found
    assert not any("'a'" in source for source in found)


def test_solved_values_are_used() -> None:
    assert "sut.put('magic', 1)" in sources(inspected(Cache, values={("put", "key"): ["'magic'"]}))


def test_the_number_of_calls_is_bounded_but_every_method_has_one() -> None:
    assert sources(inspected(Cache, limit=1)) == ["sut.put('a', 1)", "sut.get('a')"]


def test_the_number_of_methods_is_bounded_and_the_rest_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offer, "MOST_METHODS", 1)
    subject = inspected(Cache, limit=1)
    assert sources(subject) == ["sut.put('a', 1)"]
    assert [method for method, _ in subject.problems] == ["get"]
    assert subject.uncalled == (("get", "there are more than 1 methods"),)


class Protocols:
    def __init__(self) -> None:
        self._items = {"a": 1}

    def __getitem__(self, item):
        return self._items[item]

    def __setitem__(self, key, value):
        self._items[key] = value

    def __delitem__(self, key):
        del self._items[key]

    def __contains__(self, key):
        return key in self._items

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        yield from self._items

    def __bool__(self):
        return True

    def __call__(self, x):
        return x

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def __iadd__(self, other):
        self._items.update(dict.fromkeys(other))
        return self

    def __isub__(self, other):
        return Protocols()

    def __repr__(self):
        return str(self._items)

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


def test_operators_are_written_as_such() -> None:
    subject = inspected(Protocols)
    assert set(sources(subject)) >= {
        "sut['a']",
        "sut['b'] = 2",
        "del sut['a']",
        "'a' in sut",
        "len(sut)",
        "list(sut)",
        "bool(sut)",
        "sut(1)",
        "with sut: pass",
        "sut += [3, 1, 2]",
        "repr(sut)",
    }
    assert not {"__eq__", "__hash__", "__exit__", "__init__", "__isub__"} & set(subject.methods)
    assert ("__isub__", "makes a new object instead of changing this one") in subject.problems
    assert sources(subject).index("repr(sut)") > sources(subject).index("list(sut)")


class Lazy:
    def __init__(self) -> None:
        self._items = {"a": 1}

    def pairs(self) -> Iterator[tuple[str, int]]:
        yield from self._items.items()

    def views(self) -> Any:
        return self._items.keys()

    def forever(self) -> Iterator[int]:
        return itertools.count()

    @contextlib.contextmanager
    def open(self) -> Iterator[int]:
        yield 1

    def decorate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper() -> Any:
            return function()

        return wrapper

    def later_wrong(self, first, second):
        both = first, second
        for one, other in zip(*both):
            yield one + other

    async def later(self) -> None: ...

    async def many(self) -> AsyncIterator[int]:
        yield 1

    def hidden(self) -> Any:
        return self.many()


def test_what_is_lazy_is_driven() -> None:
    subject = inspected(Lazy)
    assert set(sources(subject)) >= {
        "list(sut.pairs())",
        "list(sut.views())",
        "list(itertools.islice(sut.forever(), 20))",
        "with sut.open(): pass",
        "list(sut.later_wrong('a', 'b'))",
        "sut.decorate(stub_function())()",
    }
    assert {method for method, _ in subject.problems} == {"later", "many", "hidden"}
    assert all("asynchronous" in reason for _, reason in subject.problems)


class Temperature:
    def __init__(self) -> None:
        self._degrees = 0

    @property
    def degrees(self) -> int:
        return self._degrees

    @degrees.setter
    def degrees(self, value: int) -> None:
        self._degrees = value

    @degrees.deleter
    def degrees(self) -> None:
        self._degrees = 0

    @functools.cached_property
    def scale(self) -> int:
        return 1


def test_properties_are_read_set_and_deleted() -> None:
    assert set(sources(inspected(Temperature))) == {
        "sut.degrees",
        "sut.degrees = 1",
        "sut.degrees = 2",
        "del sut.degrees",
        "sut.scale",
        "del sut.scale",
    }


class Registry:
    _known: ClassVar[dict[str, int]] = {}

    @classmethod
    def register(cls, name: str, value: int) -> None:
        cls._known[name] = value

    @classmethod
    def create(cls) -> Registry:
        return cls()

    @staticmethod
    def double(x: int) -> int:
        return 2 * x


def test_class_methods_count_if_they_share_state() -> None:
    subject = inspected(Registry)
    assert sources(subject)[0] == "Registry.register('a', 1)"
    assert {method for method, _ in subject.problems} == {"create", "double"}


class Emitter:
    def __init__(self) -> None:
        self._listeners: list[Any] = []

    def on(self, listener=None):
        self._listeners.append(listener)

    def off(self, listener):
        self._listeners.remove(listener)

    def fetch(self, loader):
        return loader()


def test_what_is_registered_can_be_removed() -> None:
    found = sources(inspected(Emitter))
    assert {"sut.on(listener=callback)", "sut.off(callback)", "sut.off(other_callback)"} <= set(found)
    assert "sut.fetch(stub_function())" in found
    assert "sut.fetch(failing_function)" in found


class Bank:
    def transfer(self, source: str, target: str, amount: int) -> None:
        pass

    def merge(self, other: Bank) -> None:
        pass

    def mode(self, name: str) -> int:
        return 1 if name == "special" else 2


def test_parameters_of_one_kind_get_different_values_both_ways() -> None:
    found = sources(inspected(Bank))
    assert {"sut.transfer('a', 'b', 1)", "sut.transfer('b', 'a', 2)"} <= set(found)


def test_an_object_of_the_same_class_is_the_shared_one() -> None:
    assert "sut.merge(sut)" in sources(inspected(Bank))


def test_constants_of_the_code_are_tried() -> None:
    assert "sut.mode('special')" in sources(inspected(Bank))


class Times:
    def __init__(self):
        self._at = []

    def at(self, moment: str):
        if not re.match(r"^[0-2]\d:[0-5]\d$", moment):
            raise ValueError(moment)
        self._at.append(moment)


def test_texts_that_a_pattern_of_the_code_matches_are_tried() -> None:
    assert "sut.at('07:07')" in sources(inspected(Times))


class Numbers:
    """Keys turn out to be numbers only when tried; all methods then agree."""

    def __init__(self) -> None:
        self._slots = [None] * 5

    def store(self, key, value):
        self._slots[key] = value

    def peek(self, key):
        return None


def test_methods_agree_on_the_kind_of_a_parameter() -> None:
    found = sources(inspected(Numbers))
    assert "sut.store(1, 1)" in found
    assert "sut.peek(1)" in found
    assert "sut.peek('a')" not in found


class Passing(dict[str, int]):
    def get(self, *args, **kwargs):
        return super().get(*args, **kwargs)

    def update(self, *args, **kwargs):
        super().update(*args, **kwargs)


def test_methods_of_builtin_bases_are_included() -> None:
    found = sources(inspected(Passing))
    assert {"sut.get('a')", "sut.update({'a': 1, 'b': 2})", "sut['a'] = 1", "sut.pop('a')", "list(sut.items())"} <= set(
        found
    )


def hiding(function):
    def wrapper(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    return wrapper


class Hidden:
    @hiding
    def put(self, key, value=1):
        return key.lower()


def test_parameters_that_a_decorator_hides_are_read_from_the_source() -> None:
    assert sources(inspected(Hidden)) == ["sut.put('a')", "sut.put('b')", "sut.put('a', value=2)"]


class Attributes:
    def __init__(self) -> None:
        object.__setattr__(self, "_data", {})

    def __getattr__(self, name: str) -> Any:
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self._data[name] = value


def test_attribute_access_in_code_of_the_class() -> None:
    assert {"sut.a", "sut.b", "sut.a = 1"} <= set(sources(inspected(Attributes)))


class memoized_property:
    def __init__(self, func):
        self.func = func

    def __get__(self, instance, owner):
        if instance is None:
            return self
        value = instance.__dict__[self.func.__name__] = self.func(instance)
        return value


@pytest.mark.parametrize("cls", [memoized_property, functools.cached_property])
def test_descriptors_stand_in_a_host(cls: type[Any]) -> None:
    subject = inspected(cls)
    assert subject.setup == f"host({cls.__name__}(stub_function('attribute')))"
    assert sources(subject) == ["sut.attribute", "del sut.attribute"]


class Unhelpful:
    def fails(self) -> None:
        raise NotImplementedError("sorry")

    def nonsense(self, thing):
        return thing.no + thing.such + [] + thing

    def fine(self) -> int:
        return 1


def test_methods_that_cannot_be_used_are_reported_and_the_rest_kept() -> None:
    subject = inspected(Unhelpful)
    assert sources(subject) == ["sut.fine()"]
    reasons = dict(subject.problems)
    assert reasons["fails"].startswith("raises NotImplementedError: sorry (test_subject.py:")
    assert "--arg nonsense.thing=" in reasons["nonsense"]


def test_refused_and_endless_calls_are_reported() -> None:
    def strict(setup: str, call: str | None) -> Outcome:
        if call and "put" in call:
            return Refused("starts a thread", "/x/cache.py", 7)
        if call and "get" in call:
            return Endless(-1)
        return attempt_with(globals())(setup, call)

    with pytest.raises(NothingToRace, match=r"put starts a thread \(cache.py:7\); get does not end"):
        known = Known(uses=uses_of(Cache))
        inspect_class(Cache, setup=None, methods=(), known=known, names=globals(), attempt=strict)


class Color(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int


class Readable(Protocol):
    def read(self) -> str: ...


class Movie(TypedDict):
    name: str


class Sized(ABC):
    @abstractmethod
    def __len__(self) -> int: ...


class Empty:
    pass


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (Color, "enumeration"),
        (Point, "named tuple"),
        (KeyError, "exception"),
        (type("Meta", (type,), {}), "metaclass"),
        (Readable, "protocol"),
        (Movie, "typed dictionary"),
        (collections.deque, "implemented in C"),
        (dict, "implemented in C"),
        (Sized, r"abstract \(__len__ missing\): name a concrete subclass"),
        (Empty, "no public methods"),
    ],
)
def test_classes_with_nothing_to_race(cls: type[Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        inspected(cls)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("cls", "setup", "expected"),
    [
        (queue.Queue, "Queue(maxsize=1)", {"sut.put(1)", "sut.get()", "sut.get(block=False)", "sut.qsize()"}),
        (collections.UserDict, "UserDict()", {"sut['a'] = 1", "list(sut.items())", "sut.setdefault('a', 1)"}),
        (collections.Counter, "Counter()", {"sut.update({'a': 1, 'b': 2})", "list(sut.elements())"}),
        (collections.ChainMap, "ChainMap()", {"sut['a']", "sut.new_child()", "sut.pop('b')"}),
        (sched.scheduler, "scheduler()", {"sut.enter(60, 1, callback)", "sut.cancel(held)", "sut.run(blocking=False)"}),
        (configparser.ConfigParser, "ConfigParser()", {"sut.add_section('a')", "sut.read('a')"}),
        (random.Random, "Random()", {"sut.random()", "sut.choice([3, 1, 2])", "sut.getstate()"}),
        (weakref.WeakValueDictionary, "WeakValueDictionary()", {"sut['a'] = stub_function()", "list(sut.items())"}),
        (contextlib.ExitStack, "ExitStack()", {"with sut: pass", "sut.callback(callback)", "sut.pop_all()"}),
        (concurrent.futures.Future, "Future()", {"sut.set_result(1)", "sut.result()", "sut.result(timeout=1)"}),
        (asyncio.Queue, "Queue(maxsize=1)", {"sut.put_nowait(1)", "sut.get_nowait()"}),
        (threading.Semaphore, "Semaphore()", {"sut.acquire()", "sut.release()", "sut.acquire(blocking=False)"}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_classes_of_the_standard_library(cls: type[Any], setup: str, expected: set[str]) -> None:
    subject = inspected(cls)
    assert subject.setup == setup
    assert expected <= set(sources(subject))
