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
