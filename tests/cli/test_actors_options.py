"""Options for actor programs: read, checked, kept apart from those for Python, set together by `--apet`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everypath.options import ActorOptions
from everypath.records import asdict

from .actor_programs import COUNTER, MAIN, command, generated

APET = {
    "every_order": True,
    "spare_actor": True,
    "input_errors": False,
    "bound_concrete": True,
    "bound_references": True,
    "oldest_first": True,
    "static_independence": True,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "count.abs").write_text(COUNTER + MAIN)
    (tmp_path / "plain.py").write_text("def f(x: int) -> int:\n    return x\n")
    return tmp_path


def settings(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = generated("count.abs::main", *arguments)["options"]
    return found


def test_each_option_arrives(folder: Path) -> None:
    given = ["--switches", "3", "--actors", "2", "--queue", "1", "--order", "stable", "--policy", "Counter=lifo"]
    actors = settings(*given)["actors"]
    assert (actors["switches"], actors["actors"], actors["queue"]) == (3, 2, 1)
    assert (actors["order"], actors["policies"]) == ("stable", [["Counter", "lifo"]])
    defaults = settings()["actors"]
    assert (defaults["switches"], defaults["actors"], defaults["queue"]) == (5, 2, 0)
    assert defaults["order"] == "optimal" and defaults["input_errors"] and not defaults["every_order"]


@pytest.mark.parametrize("name", list(APET))
def test_each_item_of_the_preset_is_a_switch(folder: Path, name: str) -> None:
    option = name.replace("_", "-")
    switched = settings(f"--{'no-' if name == 'input_errors' else ''}{option}")["actors"]
    defaults = settings()["actors"]
    assert {key for key in defaults if defaults[key] != switched[key]} == {name}


def test_the_preset_and_what_goes_before_it(folder: Path) -> None:
    found = settings("--apet")
    assert {name: found["actors"][name] for name in APET} == APET
    assert (found["heap"], found["solver"]["int_range"], found["actors"]["order"]) == (
        "noalias",
        [-10, 10],
        "independent",
    )
    other = settings("--apet", "--heap", "lazy", "--int-range=0:3", "--order", "all", "--no-every-order")
    assert (other["heap"], other["solver"]["int_range"], other["actors"]["order"]) == ("lazy", [0, 3], "all")
    assert not other["actors"]["every_order"] and other["actors"]["spare_actor"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--switches", "0"], "'--switches': 0 is not in the range x>=1"),
        (["--actors", "0"], "'--actors': 0 is not in the range x>=1"),
        (["--queue", "-1"], "'--queue': -1 is not in the range x>=0"),
        (["--order", "some"], "'--order': 'some' is not one of"),
        (["--policy", "Counter"], "'Counter' is not CLASS=POLICY, where POLICY is one of any, fifo, lifo"),
        (["--policy", "Counter=best"], "'Counter=best' is not CLASS=POLICY"),
        (["--types", "x: int"], "--types is for Python code, but count.abs::main is an ABS program"),
        (["--assume", "acyclic(a)"], "--assume is for Python code"),
        (["--allow-io"], "--allow-io is for Python code"),
        (["--strategy", "random"], "--strategy is for Python code"),
        (["--format", "pytest"], "--format pytest is for Python code; for an ABS program it is abs or json"),
        (["plain.py"], "plain.py is no ABS file, but other targets are; use separate runs"),
    ],
)
def test_bad_options(folder: Path, arguments: list[str], words: str) -> None:
    result = command("generate", "count.abs::main", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--switches", "2"], "--switches is for an ABS program, but plain.py is Python code"),
        (["--apet"], "--apet is for an ABS program"),
        (["--no-input-errors"], "--input-errors is for an ABS program"),
        (["--format", "abs"], "--format abs is for an ABS program; for Python code it is pytest or "),
    ],
)
def test_actor_options_for_python(folder: Path, arguments: list[str], words: str) -> None:
    result = command("generate", "plain.py", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr


def test_races_are_not_written_as_abs(folder: Path) -> None:
    assert command("race", "plain.py", "--format", "abs").exit_code == 2


def test_settings_of_a_configuration_file_apply_where_they_mean_something(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        "[tool.everypath]\nswitches = 4\norder = 'all'\npolicy = ['Counter=fifo']\nspare-actor = true\n"
        "input-errors = false\ntypes = ['x: int']\nformat = 'abs'\nmemory = 900\n"
    )
    actors = settings()["actors"]
    assert (actors["switches"], actors["order"], actors["policies"]) == (4, "all", [["Counter", "fifo"]])
    assert actors["spare_actor"] and not actors["input_errors"]
    assert settings("--order", "stable", "--input-errors")["actors"]["order"] == "stable"
    assert settings()["types"] == [] and settings()["fence"]["memory_mb"] == 1024
    result = command("generate", "plain.py", "--no-validate")
    assert result.exit_code == 0 and "wrote test_plain_generated.py" in result.stdout
    assert command("run", "count.abs").exit_code == 0


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("switches = 0", "switches: 0 is not in the range x>=1"),
        ("order = 'best'", "order: 'best' is not one of"),
        ("policy = 'Counter=best'", "policy: 'Counter=best' is not CLASS=POLICY"),
        ("every-order = 'yes'", "every-order: must be true or false, not 'yes'"),
        ("format = 'xml'", "format: 'xml' is not one of 'pytest', "),
    ],
)
def test_bad_settings_of_a_configuration_file(folder: Path, setting: str, words: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.everypath]\n{setting}\n")
    result = command("generate", "count.abs::main")
    assert result.exit_code == 2
    assert "pyproject.toml:2:" in result.stderr and words in result.stderr


def test_the_bounds_of_a_command_line_that_names_none(folder: Path) -> None:
    bounds = ActorOptions(switches=5, actors=2, assumed=("switches", "actors"))
    assert json.loads(json.dumps(asdict(bounds))) == settings()["actors"]


def test_the_language_decides_the_format(folder: Path) -> None:
    assert settings()["format"] == "json"
    for arguments in (["count.abs::main", "--format", "pytest"], ["plain.py", "--format", "abs"]):
        assert "--format" in command("generate", *arguments).stderr
