"""What a module does when it is run as a script, or when something that it imports is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everypath.languages.python.parameters.comments import parsed
from everypath.languages.python.probing.statements import decided_lines

COMMAND = [sys.executable, "-m", "everypath"]
GENERATE = [*COMMAND, "generate", "--select", "branches", "--total-time", "20"]
TESTS = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
MODULE = """
import sys
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import shop
try:
    import colorsys as colors
except ImportError:
    colors = None
if sys.platform == "win32":
    separator = ";"
else:
    separator = ":"

def double(number: int) -> int:
    return 2 * number

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(double(len(sys.argv)))
    else:
        sys.exit("nothing to do")
"""


def done(command: list[str], folder: Path) -> str:
    """What a command prints that ends well."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def made(folder: Path, text: str, name: str = "tool.py") -> str:
    """The tests of a module, all of which pass."""
    (folder / name).write_text(text)
    done([*GENERATE, name], folder)
    done([*TESTS, "."], folder)
    [file] = folder.glob("test_*.py")
    return file.read_text()


def test_every_way_through_the_statements_of_a_module_is_taken(tmp_path: Path) -> None:
    text = made(tmp_path, MODULE)
    runs = [part for part in text.split("\n\n\n") if "run_module(" in part]
    assert len(runs) == 4
    for told in (
        'sys.modules, "colorsys", None',
        '"sys.platform", "win32"',
        '"nothing to do"',
        '"sys.argv", ["program"',
    ):
        # A long list of arguments has lines of its own.
        assert any("".join(told.split()) in "".join(run.split()) for run in runs), told
    assert 'run_module("tool", run_name="__main__")' in text


def test_statements_that_import_takes_all_and_those_for_type_checkers_ask_for_nothing() -> None:
    assert decided_lines(parsed("x = 1\nfor y in ():\n    pass\ndef f():\n    if x:\n        pass\n")) == {2, 3}
    assert not decided_lines(parsed("import typing as t\nif t.TYPE_CHECKING:\n    import shop\n"))


FUNCTION = "def f(x: int) -> int:\n    return x\n"
AS_SCRIPT = f"{FUNCTION}if __name__ == '__main__':\n    f(1)\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import abc\nif hasattr(abc, 'marked'):\n    raise RuntimeError\nabc.marked = True\n" + FUNCTION, "tool.py"),
        # pytest imports such files in its own way, which `runpy` does not understand.
        (AS_SCRIPT, "tool_test.py"),
        (FUNCTION, "tool.py"),
    ],
)
def test_a_module_is_left_alone_that_cannot_be_run_twice_or_decides_nothing(
    text: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    done([*GENERATE, name, "-o", "checks/"], tmp_path)
    [file] = (tmp_path / "checks").glob("test_*.py")
    assert "run_module" not in file.read_text()


def test_a_module_of_a_package_is_run_without_a_warning(tmp_path: Path) -> None:
    package = tmp_path / "kit"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "other.py").write_text("def ask() -> int:\n    return 3\n")
    (package / "tool.py").write_text(f"from .other import ask\n{FUNCTION}if __name__ == '__main__':\n    f(ask())\n")
    done([*GENERATE, "kit/tool.py", "-o", "test_tool.py"], tmp_path)
    assert 'run_module("kit.tool", run_name="__main__")' in (tmp_path / "test_tool.py").read_text()
    done([*TESTS, "test_tool.py"], tmp_path)


def test_runs_of_a_module_are_replayed_and_the_file_is_up_to_date(tmp_path: Path) -> None:
    made(tmp_path, AS_SCRIPT)
    done([*GENERATE, "tool.py", "--check"], tmp_path)
    assert "1 of 1 cases replayed as recorded" in done(
        [*COMMAND, "replay", ".everypath/tool.py--__main__.json"], tmp_path
    )
