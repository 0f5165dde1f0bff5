"""Plain command lines are read without click, and mean the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everypath.app import start

from .command import everypath

CODE = "def sign(x: int) -> int:\n    return 1 if x > 0 else -1\n"


def test_both_ways_of_reading_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    results = []
    for plain in (True, False):
        arguments = ["generate", "sample.py::sign", "-o", "test_it.py", *([] if plain else ["--loops", "1"])]
        assert (start._plain(arguments) is not None) == plain
        done = everypath(tmp_path, *arguments)
        [stored] = (tmp_path / ".everypath").glob("*.json")
        suite = json.loads(stored.read_text())
        suite["suite"]["stats"]["seconds"] = 0
        results.append((done.code, done.err, (tmp_path / "test_it.py").read_text(), suite))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--help"],
        ["generate"],
        ["generate", "--help"],
        ["generate", "a.py", "-h"],
        ["generate", "a.py", "-o"],
        ["generate", "a.py", "-o", "--format"],
        ["generate", "a.py", "--format", "xml"],
        ["generate", "a.py", "-otests"],
        ["generate", "a.py", "--output=tests"],
        ["generate", "--", "a.py"],
        ["generate", "a.py", "--no-validate"],
        ["replay", "a.py"],
    ],
)
def test_everything_else_is_left_to_click(arguments: list[str]) -> None:
    assert start._plain(arguments) is None


def test_settings_are_left_to_click(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["generate", "a.py", "--format", "json", "b.py"]
    found = start._plain(arguments)
    assert found is not None and found[0] == ["a.py", "b.py"] and found[1].format == "json"
    for settings in ("[tool.everypath]\nloops = 2\n", "[tool.everypath]\nlops = 2\n", "[tool.everypath"):
        (tmp_path / "pyproject.toml").write_text(settings)
        assert start._plain(arguments) is None
    for others in ("[tool.other]\nloops = 2\n", "not TOML, and none of our business"):
        (tmp_path / "pyproject.toml").write_text(others)
        assert start._plain(arguments) is not None
