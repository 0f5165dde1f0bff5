"""The Python interface: the examples of its documentation, what it refuses, and what importing it costs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import everypath
from everypath.errors import BadInput
from everypath.options import Limits, Options

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("triangle.py", "papers/rem_all.py"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_three_examples() -> None:
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize("code", EXAMPLES, ids=["generate", "extend", "cases"])
def test_an_example_of_the_documentation_runs(code: str, project: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not done.stderr


def test_importing_loads_nothing() -> None:
    code = "import sys, everypath; print(sum(name.startswith('everypath.') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "0"


def test_folders_with_the_names_of_functions_are_both() -> None:
    import everypath.generate.run
    import everypath.race.protocol

    assert callable(everypath.generate) and callable(everypath.race) and callable(everypath.cases)
    assert everypath.generate.run.generate is not None


def test_there_is_nothing_else() -> None:
    with pytest.raises(AttributeError, match="no attribute 'degenerate'"):
        everypath.degenerate  # type: ignore[attr-defined]  # noqa: B018


def test_written_tests_pass(project: Path) -> None:
    suite = everypath.generate("triangle.py")
    suite.write("test_it.py")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_it.py"], cwd=project, timeout=60)
    assert done.returncode == 0


def test_what_people_own_is_not_overwritten(project: Path) -> None:
    (project / "mine.py").write_text("def test_mine(): pass\n")
    with pytest.raises(BadInput, match="was not generated"):
        everypath.generate("triangle.py", validate=False).write("mine.py")


def test_a_stored_suite_can_be_loaded_and_extended(project: Path) -> None:
    suite = everypath.generate("rem_all.py::List.rem_all", validate=False)
    [path] = suite.save()
    loaded = everypath.load(path)
    assert [case.record for case in loaded] == [case.record for case in suite]
    assert len(loaded.extend(loops=2)) == len(suite.extend(loops=2)) > len(suite)


def test_replay_tells_what_has_changed(project: Path) -> None:
    suite = everypath.generate("triangle.py")
    source = project / "triangle.py"
    source.write_text(source.read_text().replace('"equilateral"', '"regular"'))
    differences = [replayed.difference for case in suite if not (replayed := case.replay()).passed]
    assert len(differences) == 1 and "regular" in str(differences[0])


def test_options_are_taken_as_they_are(project: Path) -> None:
    options = Options(limits=Limits(loops=2), validate=False, heap="noalias")
    suite = everypath.generate("rem_all.py::List.rem_all", options)
    assert suite.options.heap == "noalias" and suite.options.limits.loops == 2
    assert suite.extend(loops=3).options.heap == "noalias"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"loop": 2}, "no setting 'loop'"),
        ({"loops": -1}, "at least 0"),
        ({"heap": "large"}, "none of solver, lazy, noalias"),
        ({"select": "everything"}, "select"),
        ({"switches": 3}, "ABS"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(settings: dict[str, object], told: str, project: Path) -> None:
    with pytest.raises(BadInput, match=told):
        everypath.generate("triangle.py", **settings)


def test_smaller_bounds_are_refused(project: Path) -> None:
    suite = everypath.generate("triangle.py", loops=2, validate=False)
    with pytest.raises(BadInput, match="loops=1 is less"):
        suite.extend(loops=1)


def test_no_target_is_refused() -> None:
    with pytest.raises(BadInput, match="no target"):
        everypath.generate([])


def test_races(project: Path) -> None:
    (project / "counter.py").write_text(
        "class Counter:\n"
        "    def __init__(self) -> None:\n        self.n = 0\n\n"
        "    def add(self) -> int:\n        self.n = self.n + 1\n        return self.n\n"
    )
    races = everypath.race("counter.py::Counter", time=5.0)
    assert races.findings and "def test_" in races.test(races.findings[0])
    with pytest.raises(BadInput, match="RaceOptions"):
        everypath.race("counter.py::Counter", seconds=5)
