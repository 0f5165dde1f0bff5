"""An error is a finding only if callers can bring it about; the same error at the same line is one finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import everypath

CACHE = """\
class Cache:
    def __init__(self, limit: int) -> None:
        if limit <= 0:
            raise ValueError("limit")
        self.limit = limit
        self._items: dict[str, int] = {}
        self._order: list[str] = []

    def put(self, key: str, value: int) -> None:
        if key not in self._items:
            self._order.append(key)
        self._items[key] = value
        if len(self._order) > self.limit:
            del self._items[self._order.pop(0)]

    def oldest(self) -> int:
        return self._items[self._order[0]]

    def share(self) -> int:
        return 100 // self.limit
"""
PLAIN = """\
from dataclasses import dataclass


@dataclass
class Line:
    price: int
    count: int


@dataclass
class Order:
    lines: list[Line]
    people: int = 1


def each(order: Order) -> int:
    return sum(line.price * line.count for line in order.lines) // order.people


def dearest(orders: dict[str, Order], name: str) -> int:
    return orders[name].lines[0].price
"""
CHECKED = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    whole: int
    people: int

    def __post_init__(self) -> None:
        if self.people < 1:
            raise ValueError("nobody")

    def each(self) -> int:
        return self.whole // self.people


def halves(share: Share) -> int:
    return 1 // (share.people - 3)
"""
STEPS = """\
class Door:
    def __init__(self) -> None:
        self._turns = 0
        self._code = [1]

    def turn(self) -> None:
        self._turns += 1

    def back(self) -> None:
        if self._turns > 0:
            self._turns -= 1

    def open(self) -> int:
        if self._turns < 0:
            return self._code[7]
        return 6 // (self._turns - 3)
"""
REFUSED = """\
def port(text: str) -> int:
    return int(text) + len(text.encode("utf-32", text)) + len(text.encode(text))


def largest(numbers: list[int]) -> int:
    return max(numbers)
"""
LISTED = """\
from dataclasses import dataclass
from typing import Literal, Optional, Union

Mode = Union[Literal["read"], Literal["write"]]
NUMBERS = {"read": 1, "write": 2}


def number(mode: Mode) -> int:
    return NUMBERS[mode]


def label(mode: Optional[Literal["read", "write"]]) -> str:
    return "" if mode is None else {"read": "r", "write": "w"}[mode]


@dataclass
class File:
    mode: Literal["read", "write"]

    def number(self) -> int:
        return NUMBERS[self.mode]


def level(n: Literal[1, -2]) -> str:
    if n == 1:
        return "one"
    if n == -2:
        return "two"
    raise ValueError(n)


def share(n: Literal[0, 1]) -> int:
    return 3 // n


def unread(mode: Mode, n: int) -> int:
    return n + 1
"""
GROUPED = """\
def ratio(top: int, bottom: int) -> int:
    if top > 100:
        top = 100
    return top // bottom


def percent(top: int, bottom: int) -> int:
    return ratio(top, bottom) * 100
"""


def suite(folder: Path, source: str, *options: str) -> dict[str, Any]:
    (folder / "sample.py").write_text(source)
    result = everypath(folder, "generate", "sample.py", "--format", "json", "-o", "out.json", *options)
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    assert result.code == (1 if found["findings"] else 0), result
    return found


def errors(found: dict[str, Any], key: str = "findings") -> list[tuple[int, str]]:
    return sorted((each["line"], each["message"].partition(":")[0]) for each in found[key])


def test_invariants_that_constructor_and_methods_keep_are_believed(tmp_path: Path) -> None:
    found = suite(tmp_path, CACHE)
    assert errors(found) == [(17, "IndexError")]
    assert found["findings"][0]["reached_by"] == ["Cache(1), then oldest()"]
    assert errors(found, "unreached") == [
        (14, "IndexError"),
        (14, "KeyError"),
        (17, "KeyError"),
        (20, "ZeroDivisionError"),
    ]
    needs = {each["line"]: each["needs"] for each in found["unreached"] if each["message"].startswith("KeyError")}
    assert needs[17] == ["Cache._items", "Cache._order"]


def test_what_a_constructor_takes_is_a_state_that_callers_can_make(tmp_path: Path) -> None:
    found = suite(tmp_path, PLAIN)
    assert errors(found) == [(17, "ZeroDivisionError"), (21, "IndexError"), (21, "KeyError")]
    assert found["unreached"] == []


def test_what_a_constructor_refuses_is_no_state(tmp_path: Path) -> None:
    found = suite(tmp_path, CHECKED)
    assert errors(found) == [(18, "ZeroDivisionError")]
    assert errors(found, "unreached") == [(14, "ZeroDivisionError")]


def test_a_state_is_reached_by_several_calls(tmp_path: Path) -> None:
    found = suite(tmp_path, STEPS)
    assert errors(found) == [(16, "ZeroDivisionError")]
    assert found["findings"][0]["reached_by"] == ["Door(), then turn(), then turn(), then turn(), then open()"]
    assert errors(found, "unreached") == [(15, "IndexError")]


def test_what_a_called_function_refuses_is_raised_on_purpose(tmp_path: Path) -> None:
    assert errors(suite(tmp_path, REFUSED)) == [(6, "ValueError")]


def test_values_that_are_not_declared_are_tried_and_are_no_finding(tmp_path: Path) -> None:
    found = suite(tmp_path, LISTED)
    assert errors(found) == [(33, "ZeroDivisionError")] and found["unreached"] == []
    of_level = [case for case in found["cases"] if case["entry"]["name"] == "level"]
    assert len(of_level) == 3
    (unread,) = (case for case in found["cases"] if case["entry"]["name"] == "unread")
    assert "'read'" in str(unread["inputs"])


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ("", []),
        (": dict", []),
        (": dict[str, Any]", []),
        (": Mapping[str, Any]", []),
        (": dict[str, int]", [(2, "KeyError")]),
        (": Prices", [(2, "KeyError")]),
    ],
)
def test_what_a_collection_of_a_guessed_type_lacks_is_no_finding(
    tmp_path: Path, declared: str, found: list[tuple[int, str]]
) -> None:
    types = "\nfrom typing import Any, Mapping, TypedDict\n\n\nclass Prices(TypedDict, total=False):\n    tea: int\n"
    source = f"def price(prices{declared}):\n    return prices['tea'] + 1\n{types}"
    assert errors(suite(tmp_path, f"from __future__ import annotations\n{source}")) == [
        (line + 1, error) for line, error in found
    ]


def test_the_same_error_at_the_same_line_is_one_finding(tmp_path: Path) -> None:
    found = suite(tmp_path, GROUPED)
    [finding] = found["findings"]
    assert finding["line"] == 4 and len(finding["cases"]) == 4
    assert finding["case"] == finding["cases"][0]
    assert finding["reached_by"][0].startswith("ratio(")
    assert sorted(map(len, finding["reached_by"])) == list(map(len, finding["reached_by"]))


def test_the_terminal_tells_what_callers_cannot_bring_about_if_asked(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CACHE)
    told = everypath(tmp_path, "generate", "sample.py::Cache.share")
    assert told.code == 0 and "findings 0 (1 unreached)" in told.out and "ZeroDivisionError" not in told.out
    told = everypath(tmp_path, "generate", "sample.py::Cache.share", "--unreached")
    assert "not known to be within callers' reach: Cache.limit" in told.out and told.code == 0
    test = (tmp_path / "test_sample_generated.py").read_text()
    assert "ZeroDivisionError" in test and "Finding" not in test


def test_a_comment_tells_once_how_callers_come_to_a_finding(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(GROUPED)
    everypath(tmp_path, "generate", "sample.py")
    test = (tmp_path / "test_sample_generated.py").read_text()
    assert test.count("# Finding: ZeroDivisionError") == test.count("# Reached by: ratio(") == 1
    assert "`return top // bottom`" in test


@pytest.mark.parametrize("private", ["count", "_count"])
def test_public_fields_that_methods_leave_alone_can_be_assigned(tmp_path: Path, private: str) -> None:
    source = "class Pool:\n    def __init__(self) -> None:\n        self.COUNT: int = 1\n\n"
    source += "    def share(self) -> int:\n        return 10 // self.COUNT\n"
    found = suite(tmp_path, source.replace("COUNT", private))
    assert bool(found["findings"]) == (private == "count") and bool(found["unreached"]) == (private == "_count")


FORWARDING = """\
class Base:
    def __init__(self, name: str, size: int = 1) -> None:
        self.name = name
        self.size = size


class Child(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


def make(*args):
    return Base(*args)


def of_row(row: list[str]) -> Base:
    return Base(row[0], *row)
"""


def test_arguments_that_are_handed_on_and_do_not_fit_are_the_callers_affair(tmp_path: Path) -> None:
    found = suite(tmp_path, FORWARDING)
    # A list of any length is no argument list: that it does not fit is a fault of the function.
    assert errors(found) == [(17, "IndexError"), (17, "TypeError")]
    raising = {case["entry"]["name"] for case in found["cases"] if "raises" in case["expected"]}
    assert {"__init__", "make"} <= raising


NAMED = """\
class State:
    def __init__(self) -> None:
        self.on_enter: list[str] = []
        self.kind = int

    def wrong(self) -> int:
        return getattr(self, "nothing")

    def add(self, trigger: str, callback: str) -> None:
        listed = getattr(self, "on_" + trigger)
        listed.append(callback)
"""


def test_only_names_that_the_source_says_are_promised_to_exist(tmp_path: Path) -> None:
    found = suite(tmp_path, NAMED)
    assert errors(found) == [(7, "AttributeError")]


MARKS = """\
from typing import TypeVar, Union

T = TypeVar("T")


class _Missing:
    def __bool__(self) -> bool:
        return False


MISSING = _Missing()
Maybe = Union[T, _Missing]


def size(text: Maybe[str] = MISSING) -> int:
    return 0 if text is MISSING else len(text)


def shared(text: Maybe[str], people: Maybe[int] = MISSING) -> float:
    return size(text) / (people or 1)
"""


def test_callers_make_no_further_object_of_a_mark(tmp_path: Path) -> None:
    found = suite(tmp_path, MARKS)
    assert found["findings"] == []
    assert {each["line"] for each in found["unreached"]} == {16}


OPEN = """\
def pairs(calls: dict) -> int:
    for first, second in calls:
        if first > second:
            return 1
    return 0


def starts(names: set, found: dict) -> int:
    for name in names:
        if name.startswith("a"):
            return found["a"]
    return 0
"""


def test_what_a_bare_dict_or_set_holds_is_what_the_code_takes_it_for(tmp_path: Path) -> None:
    found = suite(tmp_path, OPEN)
    # Nobody declares what a bare dict holds but the code that asks it for a key.
    assert errors(found) == []
    outcomes = [case["expected"] for case in found["cases"] if case["entry"]["name"] == "starts"]
    assert any("KeyError" in str(outcome) for outcome in outcomes)
    assert len([case for case in found["cases"] if case["entry"]["name"] == "pairs"]) >= 3


PASSED_ON = """\
from typing import Generic, Optional, TypeVar, Union

N = TypeVar("N", bound=Union[int, str])


def known(numbers: dict[str, int], key: str) -> int:
    try:
        return numbers[key]
    except KeyError as error:
        print("unknown")
        raise error


def logged(numbers: dict[str, int], key: str) -> int:
    try:
        return numbers[key]
    except Exception:
        print("failed")
        raise


class Bound(Generic[N]):
    def __init__(self, most: Optional[N] = None) -> None:
        self.most: Optional[N] = most

    def admits(self, other: N) -> bool:
        return self.most is None or other <= self.most
"""


def test_what_the_code_catches_by_name_and_passes_on_is_its_answer(tmp_path: Path) -> None:
    # Nor can the type variable of a class mean two types at once.
    assert errors(suite(tmp_path, PASSED_ON)) == [(16, "KeyError")]


COMPUTED = """\
class Fixed:
    def __init__(self) -> None:
        setattr(self, "kind", 1)
        object.__setattr__(self, "size", 2)


class Free:
    def __init__(self, **known: int) -> None:
        for name, value in known.items():
            setattr(self, name, value)


class Filled:
    def __init__(self, **known: int) -> None:
        self.__dict__.update(known)


def fixed(given: Fixed) -> int:
    return given.kind + given.size


def free(given: Free, filled: Filled) -> int:
    return given.kind + filled.kind


def missing(given: Fixed) -> int:
    return given.colour
"""


def test_attributes_that_a_constructor_sets_by_call_are_there(tmp_path: Path) -> None:
    found = suite(tmp_path, COMPUTED)
    assert errors(found) == [(27, "AttributeError")]


OVERLOADED = """\
from typing import Callable, Optional, Union, overload


class Plain:
    pass


class Filled:
    size = 3


@overload
def make(state: Plain) -> int: ...
@overload
def make(state: Filled, factory: Callable[[], int]) -> int: ...
def make(state: Union[Plain, Filled], factory: Optional[Callable[[], int]] = None) -> int:
    if isinstance(state, Filled):
        assert factory is not None, "needs a factory"
        return factory() // state.size
    assert factory is None
    return 1


@overload
def half(n: int, by: None = ...) -> int: ...
@overload
def half(n: int, by: int) -> int: ...
def half(n: int, by: Optional[int] = None) -> int:
    return n // (2 if by is None else by)
"""


def test_arguments_that_no_overload_declares_are_the_callers_affair(tmp_path: Path) -> None:
    assert errors(suite(tmp_path, OVERLOADED)) == [(29, "ZeroDivisionError")]


FILLED = """\
def first(numbers{declared}):
    found = []
    for number in numbers:
        found.append(number + 1)
    return found[0]
"""


@pytest.mark.parametrize(("declared", "found"), [("", []), (": list[int]", [(5, "IndexError")])])
def test_what_is_put_into_a_collection_is_where_its_content_comes_from(
    declared: str, found: list[tuple[int, str]], tmp_path: Path
) -> None:
    assert errors(suite(tmp_path, FILLED.replace("{declared}", declared))) == found


ANNOUNCED = """\
def sphinx(numbers: dict[str, int], key: str) -> int:
    '''Look it up.

    :raises KeyError: if there is none; never a ValueError
    '''
    return 6 // numbers[key]


def google(numbers: list[int]) -> int:
    '''Take the first.

    Raises:
        LookupError: if there is none
    '''
    return numbers[0]


def numpy(numbers: list[int]) -> int:
    '''Take the first.

    Raises
    ------
    IndexError
        If there is none.
    '''
    return sphinx({"a": numbers[0]}, "b")


def silent(numbers: list[int]) -> int:
    '''Take the first; an IndexError is bad luck.'''
    return numbers[0]
"""


def test_errors_that_a_docstring_announces_are_no_findings(tmp_path: Path) -> None:
    assert errors(suite(tmp_path, ANNOUNCED)) == [(6, "ZeroDivisionError"), (31, "IndexError")]


RECORDS = """\
class Cache:
    def __init__(self, name: str, size: int = 1) -> None:
        self.name = name
        self.size = size


class Caches:
    def __init__(self) -> None:
        self._configured: dict[str, dict[str, object]] = {}

    def configure(self, alias: str, config: dict[str, object]) -> None:
        self._configured[alias] = config

    def get(self, alias: str) -> Cache:
        return Cache(**self._configured[alias])


def make(config: dict[str, object]) -> Cache:
    return Cache(**config)


def setting(config: dict[str, object], prefix: str) -> object:
    config = {key: value for key, value in config.items() if value is not None}
    return config[f"{prefix}.backend"]


def wrong() -> Cache:
    return Cache(**{"nam": "a"})
"""


def test_which_names_a_dict_of_arguments_holds_is_agreed_on_with_its_maker(tmp_path: Path) -> None:
    found = suite(tmp_path, RECORDS)
    assert errors(found) == [(15, "KeyError"), (28, "TypeError")]


CALLABLES = """\
from typing import Callable


def kind(view: Callable[[], int]) -> str:
    if view() > 3:
        return view.endpoint
    return view.__name__
"""


def test_what_a_function_has_besides_being_called_nobody_has_declared(tmp_path: Path) -> None:
    found = suite(tmp_path, CALLABLES)
    assert found["findings"] == []
    assert any("AttributeError" in str(case["expected"]) for case in found["cases"])


LIBRARY = """\
import heapq
import html
from importlib.metadata import EntryPoint
from typing import Optional


def module_of(point: EntryPoint) -> str:
    return point.module


def smallest(numbers: list[int]) -> int:
    return heapq.heappop(numbers)


def shown(text: Optional[str]) -> str:
    return html.escape(text, False)
"""


def test_what_a_library_finds_wrong_with_its_own_values_is_a_refusal(tmp_path: Path) -> None:
    found = suite(tmp_path, LIBRARY)
    # An empty list and None are what the program has handed over.
    assert {error for _, error in errors(found)} == {"IndexError", "AttributeError"} and len(found["findings"]) == 2


OWN_ERRORS = """\
import pickle
import zlib


def load(data: bytes) -> object:
    return pickle.loads(data)


def unpack(data: bytes) -> bytes:
    return zlib.decompress(data)


def first(items: list[int]) -> int:
    return next(iter(items))


def share(part: int, whole: int) -> int:
    return divmod(part, whole)[0]
"""


def test_errors_of_a_function_s_own_about_texts_and_bytes_are_refusals(tmp_path: Path) -> None:
    """What it says of objects, and errors that the language has for mistakes, are another matter."""
    assert errors(suite(tmp_path, OWN_ERRORS)) == [(14, "StopIteration"), (18, "ZeroDivisionError")]
