"""Processes for running tests start before the command line is read, and whatever it then says, none stays behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everypath.app.start import start_early
from everypath.languages.python.language import Python

from .command import everypath

CODE = "def sign(x: int) -> int:\n    return 1 if x > 0 else -1\n"


def test_a_default_that_is_given_means_the_same(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    results = []
    for more in ([], ["--loops", "1"]):
        done = everypath(tmp_path, "generate", "sample.py::sign", "-o", "test_it.py", *more)
        [stored] = (tmp_path / ".everypath").glob("*.json")
        suite = json.loads(stored.read_text())
        suite["suite"]["stats"]["seconds"] = 0
        results.append((done.code, done.err, (tmp_path / "test_it.py").read_text(), suite))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("arguments", "started"),
    [
        (["generate", "a.py"], True),
        (["generate", "shop", "-o", "tests"], True),
        (["generate", "--loops", "2", "a.py"], True),
        ([], False),
        (["--help"], False),
        (["generate"], False),
        (["generate", "--help"], False),
        (["generate", "a.py", "-h"], False),
        (["generate", "a.py", "--no-validate"], False),
        (["generate", "a.abs"], False),
        (["generate", "--loops", "2", "a.abs::C.m"], False),
        (["replay", "a.py"], False),
    ],
)
def test_processes_start_where_tests_will_probably_be_run(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], started: bool
) -> None:
    calls: list[Python] = []
    monkeypatch.setattr(Python, "start_early", lambda language: calls.append(language))
    start_early(arguments)
    assert bool(calls) == started


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "a.py", "-o"],
        ["generate", "a.py", "--format", "xml"],
        ["generate", "a.py", "--loops", "many"],
        ["generate", "a.py", "--no-such-option"],
        ["generate", "sample.py", "--format", "abs"],
    ],
)
def test_no_process_survives_a_bad_command_line(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    assert everypath(tmp_path, *arguments).code == 2
