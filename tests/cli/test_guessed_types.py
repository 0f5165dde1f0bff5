"""Types that nobody declares are guesses: errors about them are no findings, and other guesses are tried."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .command import everypath

HIDDEN = """\
TABLE = {"a": 1, "b": 2}


def known(letter):
    value = pick(letter)
    return value + 1 if value > 1 else 0


def pick(code):
    return next(v for k, v in TABLE.items() if k + code == "b" + code)


def shout(part):
    return wrap(part)


def wrap(part):
    return "<" + part + ">"
"""
FIELD = """\
class Reader:
    def __init__(self, source, limit=None):
        self.source = source
        self.limit = limit
        self.buffer = None

    def fill(self, count):
        if count > 3:
            return self.buffer + count
        return count
"""
DECLARED = """\
def first(items: list[int] | None) -> int:
    return items[0]


def total(amount, extra=None):
    return amount + extra


def never(flag):
    value = None
    return value + 1 if flag else 0
"""


def _suite(place: Path, code: str, *options: str) -> dict[str, object]:
    (place / "sample.py").write_text(code)
    result = everypath(place, "generate", "sample.py", "--format", "json", "-o", "-", *options)
    found: dict[str, object] = json.loads(result.out)
    return found


def _findings(suite: dict[str, object]) -> list[str]:
    findings = suite["findings"]
    assert isinstance(findings, list)
    return [f"{finding['line']} {finding['message'].partition(':')[0]}" for finding in findings]


def test_a_refuted_guess_gives_way_to_one_that_fits(tmp_path: Path) -> None:
    suite = _suite(tmp_path, HIDDEN)
    assert _findings(suite) == []
    cases = suite["cases"]
    assert isinstance(cases, list)
    raising = [case for case in cases if case["expected"].get("raises") == "TypeError"]
    assert raising == []


def test_cases_of_another_guess_are_replayed_with_it(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text("def f(x):\n    return g(x)\n\n\ndef g(z):\n    return str.upper(z)\n")
    assert everypath(tmp_path, "generate", "sample.py::f").code == 0
    assert '"guess":{"x":"str"}' in (tmp_path / ".everypath" / "sample.py--f.json").read_text()
    replayed = everypath(tmp_path, "replay", "sample.py::f")
    assert replayed.code == 0, replayed


def test_an_error_that_calls_lead_to_is_a_finding_whatever_was_guessed(tmp_path: Path) -> None:
    assert _findings(_suite(tmp_path, FIELD)) == ["9 TypeError"]


def test_errors_about_guessed_fields_ask_for_the_type(tmp_path: Path) -> None:
    hidden = "        self.buffer = 1\n\n    def _drop(self):\n        self.buffer = None\n"
    (tmp_path / "sample.py").write_text(FIELD.replace("        self.buffer = None\n", hidden))
    result = everypath(tmp_path, "generate", "sample.py::Reader.fill")
    assert result.code == 0, result
    assert "findings 0" in result.out
    assert "--types 'Reader.buffer: ...'" in result.out + result.err


@pytest.mark.parametrize("line", ["2 TypeError", "6 TypeError", "11 TypeError"])
def test_what_declared_types_defaults_and_constants_lead_to_stays_a_finding(tmp_path: Path, line: str) -> None:
    assert line in _findings(_suite(tmp_path, DECLARED))


@pytest.mark.parametrize(
    "code",
    [
        "def narrower(kinds, others):\n    return all(map(issubclass, kinds, others))\n",
        "def titles(groups):\n    return [head(group) for group in groups]\n\n\n"
        "def head(group):\n    return group[0]\n",
        "def spread(limit):\n    kind = type(limit).__name__\n    return sum(kind)\n",
        "def matches(names, sign):\n    assert sign\n    return [name for name in names if name != sign]\n",
        "def check(first, rest):\n    ok = bool(rest)\n    assert ok and is_known(first)\n    return 1\n\n\n"
        "def is_known(item):\n    return len(item) > 3\n",
        "class Attempt:\n    def __init__(self, value, failed):\n        self.value = value\n"
        "        self.failed = failed\n\n"
        "    def get(self):\n        if self.failed:\n            problem, trace = self.value\n"
        "            raise problem.with_traceback(trace)\n        return self.value\n",
    ],
    ids=[
        "passed through library code",
        "element of a guess",
        "made by the library",
        "promised",
        "promised by a call",
        "element of what a constructor is given",
    ],
)
def test_errors_that_only_derive_from_guesses_are_no_findings(tmp_path: Path, code: str) -> None:
    assert _findings(_suite(tmp_path, code)) == []


def test_an_error_about_a_constant_is_a_finding_whatever_else_was_guessed(tmp_path: Path) -> None:
    code = (
        "def best(items):\n    found = None\n    for item in items:\n        if item > 3:\n            found = item\n"
    )
    assert _findings(_suite(tmp_path, code + "    return found + 1\n")) == ["6 TypeError"]


def test_a_declared_argument_is_held_against_an_assertion(tmp_path: Path) -> None:
    code = "def half(number: int) -> int:\n    assert number % 2 == 0\n    return number // 2\n"
    assert [line.partition(" ")[0] for line in _findings(_suite(tmp_path, code))] == ["2"]


WIDE = """\
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def mark(something: T) -> T:
    something.marked = True
    return something


def head(items: Sequence[T]) -> T:
    return items[0]


class Lazy:
    def __init__(self, make: Callable[[], Iterator[int]]) -> None:
        self.make = make

    def get(self) -> int:
        return next(self.make())
"""


def test_one_type_in_place_of_many_that_are_declared_is_a_guess(tmp_path: Path) -> None:
    assert _findings(_suite(tmp_path, WIDE)) == ["13 IndexError"]


def test_a_missing_attribute_is_blamed_on_the_object_that_was_asked(tmp_path: Path) -> None:
    code = "def known(word, options):\n    return [o for o in list(options) if check(o, word)]\n\n\n"
    (tmp_path / "sample.py").write_text(code + "def check(option, word):\n    return option.fits(word)\n")
    result = everypath(tmp_path, "generate", "sample.py::known")
    assert "fits parameter 'options'" in result.out + result.err
    assert "fits parameter 'word'" not in result.out + result.err


OVERRIDDEN = """\
class Plain:
    def send(self, count: int) -> int:
        return self.put(count, 1)

    def put(self, count: int, more: int) -> int:
        return 1 // (count + more)


class Bulk(Plain):
    def send(self, count: int) -> int:
        return self.put([count])

    def put(self, counts: list[int]) -> int:
        return len(counts)
"""


def test_an_object_with_a_method_of_its_own_is_no_evidence_against_the_overridden_one(tmp_path: Path) -> None:
    assert _findings(_suite(tmp_path, OVERRIDDEN)) == ["6 ZeroDivisionError"]


def test_a_mapping_that_has_no_such_key_answers_by_the_rules_of_the_language(tmp_path: Path) -> None:
    code = "class Table:\n    def __init__(self) -> None:\n        self._rows: dict[str, int] = {}\n\n"
    code += "    def __getitem__(self, key: str) -> int:\n        return self._rows[key]\n\n"
    code += "    def row(self, key: str) -> int:\n        return self._rows[key]\n"
    assert _findings(_suite(tmp_path, code)) == ["9 KeyError"]


METACLASS = """\
class EnumMeta(type):
    def __call__(cls, name):
        made = object.__new__(cls)
        made._name_ = name
        return made


class Enum(metaclass=EnumMeta):
    def __str__(self):
        return "<" + self._name_ + ">"
"""


def test_a_metaclass_of_the_program_is_not_taken_for_that_of_the_library(tmp_path: Path) -> None:
    assert _findings(_suite(tmp_path, METACLASS)) == []


INTERFACE = """\
from typing import Protocol, Type


class Dispatcher(Protocol):
    def dispatch(self, n: int) -> int: ...


class Mediator:
    def __init__(self, n: int, kind: Type[Dispatcher]) -> None:
        self.dispatcher = kind(n)


def use(dispatcher: Dispatcher) -> int:
    return dispatcher.dispatch(1)
"""


def test_a_protocol_is_not_handed_in_as_a_class_to_call(tmp_path: Path) -> None:
    assert _findings(_suite(tmp_path, INTERFACE)) == []
