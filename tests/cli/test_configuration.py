"""Defaults from `[tool.everypath]`: read, checked with the line that sets them, and overridden by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everypath.app.commands import COMMANDS

from .command import everypath

CODE = """\
def walk(xs: list[int]) -> int:
    n = 0
    while n < len(xs):
        n += 1
    return n


def untyped(x):
    return 1 if x > 3 else 2
"""


def configure(folder: Path, settings: str) -> None:
    (folder / "sample.py").write_text(CODE)
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'x'\n\n[tool.everypath]\n{settings}\n")


def test_settings_apply_below_the_file_and_the_command_line_wins(tmp_path: Path) -> None:
    configure(
        tmp_path,
        "loops = 3\nheap = 'noalias'\ntime = 7\ntypes = ['x: int']\nint-range = '0:9'\nallow-io = true\n"
        "format = 'json'\nno_validate = true",
    )
    below = tmp_path / "below"
    below.mkdir()
    (below / "sample.py").write_text(CODE)
    first = json.loads(everypath(below, "generate", "sample.py").out)
    options = first["options"]
    assert (options["limits"]["loops"], options["limits"]["time"], options["heap"]) == (3, 7, "noalias")
    assert (options["solver"]["int_range"], options["types"]) == ([0, 9], ["x: int"])
    assert options["fence"]["allow_io"] and not options["validate"]
    assert len([case for case in first["cases"] if case["entry"]["name"] == "untyped"]) == 2

    overriding = ["--loops", "0", "--int-range=-5:5", "--no-allow-io", "--validate", "--heap", "lazy"]
    second = json.loads(everypath(below, "generate", "sample.py", *overriding).out)["options"]
    assert (second["limits"]["loops"], second["solver"]["int_range"], second["heap"]) == (0, [-5, 5], "lazy")
    assert not second["fence"]["allow_io"] and second["validate"]
    # A setting of another command is not an error.
    assert everypath(below, "show", "--ir", "sample.py").code == 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("heap = 'lazy'\nlopos = 3", ["pyproject.toml:6:", "unknown setting 'lopos'", "loops"]),
        ("loops = 'two'", ["pyproject.toml:5:", "loops: must be a whole number, not 'two'"]),
        ("loops = true", ["loops: must be a whole number, not True"]),
        ("loops = -1", ["pyproject.toml:5:", "loops: -1 is not in the range x>=0"]),
        ("time = 'long'", ["time: must be a number, not 'long'"]),
        ("types = ['x: int', 3]", ["types: must be a list of texts"]),
        ("heap = 'magic'", ["heap: 'magic' is not one of", "'noalias'"]),
        ("int-range = [5, 1]", ["int-range: '5:1' is not a range such as -10:10"]),
        ("allow-io = 'yes'", ["allow-io: must be true or false, not 'yes'"]),
        ("loops = ", ["pyproject.toml", "cannot be read as TOML", "line 5"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, settings: str, expected: list[str]) -> None:
    configure(tmp_path, settings)
    result = everypath(tmp_path, "generate", "sample.py::walk")
    assert result.code == 2
    for text in expected:
        assert text in result.err
    assert not (tmp_path / "test_sample_generated.py").exists()


@pytest.mark.parametrize("key", sorted({each.key for command in COMMANDS for each in command.settings}))
def test_a_setting_has_the_same_form_for_all_commands(key: str) -> None:
    """A configuration file is read once, whatever the command: what it says must mean the same to each."""
    same = [each for command in COMMANDS for each in command.settings if each.key == key and each.in_file]
    assert len({(each.kind, each.parse, each.joined_by, each.least, each.multiple) for each in same}) <= 1
