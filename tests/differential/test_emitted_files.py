"""Emitted files, run by pytest itself: every test passes, the file is formatted, and nothing of ours is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everypath.generate.run import generate
from everypath.options import Options
from tests.rendered import rendered

EXAMPLES = [
    "account.py",
    "bounded_stack.py",
    "bst.py",
    "calendar_rules.py",
    "intervals.py",
    "inventory.py",
    "shapes.py",
    "sorted_list.py",
    "triangle.py",
    "papers/arrays.py",
    "papers/int_exp.py",
    "papers/lcm.py",
    "papers/m.py",
    "papers/mist.py",
    "papers/rational.py",
    "papers/rem_all.py",
]


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("emitted")
    root = Path(__file__).resolve().parent.parent.parent / "examples"
    for name in EXAMPLES:
        run = generate([str(root / name)], Options())
        assert run.problems == [] and run.cases, name
        assert [p for suite in run.suites for p in suite.problems] == [], name
        (module,) = run.modules
        text = rendered(run, module, folder / "test_it.py")
        assert "import everypath" not in text and "from everypath" not in text
        (folder / f"test_{module}_generated.py").write_text(text)
    return folder


def test_every_emitted_test_passes(emitted: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider", str(emitted)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=emitted)
    assert result.returncode == 0, result.stdout[-3000:]


def test_emitted_files_are_formatted_and_without_unused_names(emitted: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    formatted = [*ruff, "format", "--check", "--isolated", "--line-length", "88", str(emitted)]
    assert subprocess.run(formatted, capture_output=True).returncode == 0
    checked = subprocess.run(
        [*ruff, "check", "--isolated", "--select", "F", str(emitted)], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout


KEEPING = """
from typing import Protocol

class Named(Protocol):
    name: str

class Odd(type):
    def __instancecheck__(cls, instance: object) -> bool:
        raise ValueError("not to be asked")

class Strange(metaclass=Odd):
    pass

counted = 0

def count(by: int) -> int:
    global counted
    if by > 2:
        counted += by
    return counted
"""


def test_state_is_put_back_beside_classes_that_refuse_to_be_asked(tmp_path: Path) -> None:
    (tmp_path / "keeping.py").write_text(KEEPING, encoding="utf-8")
    run = generate([str(tmp_path / "keeping.py")], Options())
    text = rendered(run, "keeping", tmp_path / "test_keeping.py")
    assert "def restored_state" in text
    (tmp_path / "test_keeping.py").write_text(text, encoding="utf-8")
    test_every_emitted_test_passes(tmp_path)


SHARED = """
class Mark:
    pass

UNSET = Mark()
OTHER_NAME_OF_IT = UNSET
found: list[str] = []
also_found = found

class Counter:
    made = 0
    names: dict[str, int] = {}

def note(name: str, mark: Mark | int = UNSET) -> int:
    if mark is OTHER_NAME_OF_IT:
        found.append(name)
    Counter.made += 1
    Counter.names[name] = len(also_found)
    return Counter.made + len(also_found)
"""


def test_objects_stay_the_same_when_state_is_put_back(tmp_path: Path) -> None:
    (tmp_path / "keeping.py").write_text(SHARED, encoding="utf-8")
    run = generate([str(tmp_path / "keeping.py::note")], Options())
    text = rendered(run, "keeping", tmp_path / "test_keeping.py")
    (tmp_path / "test_keeping.py").write_text(text, encoding="utf-8")
    last = "\n\nfrom keeping import Counter, UNSET, OTHER_NAME_OF_IT, found, also_found\n\n\ndef test_what_is_left():\n"
    last += "    assert UNSET is OTHER_NAME_OF_IT and found is also_found\n"
    last += "    assert (found, Counter.made, Counter.names) == ([], 0, {})\n"
    (tmp_path / "test_keeping.py").write_text(text + last, encoding="utf-8")
    test_every_emitted_test_passes(tmp_path)
