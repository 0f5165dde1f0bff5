"""Values for every common form of annotation."""

from __future__ import annotations

import collections
import datetime
import enum
import pathlib
import threading
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NewType, Optional, Protocol, TypeVar, Union

import pytest

from everypath.languages.python.parameters.hints import EMPTY
from everypath.race.subject.annotations import Annotations, accepts, element_hints
from everypath.race.subject.class_source import Known
from everypath.race.subject.construct import Construction
from everypath.race.subject.scope import Scope
from everypath.race.subject.trials import Trials
from tests.race.plain_attempt import attempt_with

K = TypeVar("K")
V = TypeVar("V")
N = TypeVar("N", bound=int)
UserId = NewType("UserId", int)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass
class Config:
    size: int
    name: str = "x"


class Deep:
    def __init__(self, config: Config) -> None:
        self.config = config


class Reader(Protocol):
    def read(self) -> str: ...


class Subject(Generic[K, V]):
    pass


def annotations() -> Annotations:
    scope = Scope(dict(globals()))
    return Construction(Subject, scope, Trials(attempt_with(globals())), Known()).annotations


@pytest.mark.parametrize(
    ("annotation", "first"),
    [
        (int, "1"),
        (str, "'a'"),
        (float, "1.0"),
        (bool, "True"),
        (bytes, "b'a'"),
        (None, "None"),
        (Optional[int], "1"),  # noqa: UP007
        (int | None, "1"),
        (Union[str, int], "'a'"),  # noqa: UP007
        (Literal["on", "off"], "'on'"),
        (list[int], "[1, 2, 0]"),
        (list, "[3, 1, 2]"),
        (set[str], "{'a', 'b'}"),
        (frozenset[int], "frozenset({1, 2, 0})"),
        (dict[str, int], "{'a': 1, 'b': 2}"),
        (dict[int, list[str]], "{1: ['a', 'b'], 2: ['a']}"),
        (Mapping[str, int], "{'a': 1, 'b': 2}"),
        (tuple[str, int], "('a', 1)"),
        (tuple[int, ...], "(1,)"),
        (Sequence[str], "['a', 'b']"),
        (Iterable[int], "[1, 2, 0]"),
        (typing.List[int], "[1, 2, 0]"),  # noqa: UP006
        (Iterator[int], "iter([1, 2, 0])"),
        (collections.OrderedDict[str, int], "collections.OrderedDict({'a': 1, 'b': 2})"),
        (collections.deque[int], "collections.deque([1, 2, 0])"),
        (Callable[[], str], "stub_function()"),
        (Callable[..., int], "counting_function()"),
        (Callable[[int], bool], "lambda *args: True"),
        (Callable[[str], None], "callback"),
        (Callable[[], Config], "lambda *args: Config(1)"),
        (Callable, "stub_function()"),
        (type, "int"),
        (type[Config], "Config"),
        (Color, "Color.RED"),
        (Config, "Config(1)"),
        (Deep, "Deep(Config(1))"),
        (Reader, "stub_object()"),
        (Subject, "sut"),
        (Subject[str, int], "sut"),
        ("Subject", "sut"),
        (K, "'a'"),
        (N, "1"),
        (UserId, "1"),
        (datetime.timedelta, "datetime.timedelta(seconds=60)"),
        (pathlib.Path, "pathlib.Path('a')"),
        (threading.Event, "threading.Event()"),
        (type(threading.Lock()), "threading.Lock()"),
        (typing.Annotated[int, "positive"], "1"),
        (collections.ChainMap, "collections.ChainMap()"),
    ],
    ids=str,
)
def test_the_first_value(annotation: Any, first: str) -> None:
    assert annotations().values(annotation)[0] == first


@pytest.mark.parametrize("annotation", [Any, object, EMPTY, V, "NoSuchName", collections.abc.Hashable])
def test_annotations_that_say_nothing(annotation: Any) -> None:
    assert annotations().values(annotation) == []


def test_two_values_of_one_kind_come_first_in_a_union() -> None:
    assert annotations().values(int | str | None) == ["1", "2", "0", "'a'", "'b'", "None"]


def test_annotations_are_resolved_one_by_one() -> None:
    def method(self: Any, key: int, other: NoSuchClass, same: Subject[str, int]) -> None:  # type: ignore[name-defined]  # noqa: F821
        pass

    found = annotations().resolve(method)
    assert found["key"] is int
    assert found["other"] is EMPTY
    assert typing.get_origin(found["same"]) is Subject


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (int, 1, True),
        (int, True, False),
        (float, 1, True),
        (str, 1, False),
        (str | None, None, True),
        (Literal[1, 2], 3, False),
        (Any, object(), True),
        (K, 1, True),
        (N, "a", False),
        (list[int], [1], False),
    ],
)
def test_accepts(annotation: Any, value: Any, expected: bool) -> None:
    assert accepts(annotation, value) is expected


class Groups(dict[str, list[int]]):
    pass


def test_a_collection_says_what_it_holds() -> None:
    assert element_hints(Groups)["value"] == list[int]
    assert element_hints(Subject) == {}
