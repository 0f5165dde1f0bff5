"""The benchmark of real modules measures what it says: its caller, counts, account of obstacles and watches."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT

PYTHON = Path(sys.executable)
SAMPLE = """\
def sign(number: int) -> str:
    if number < 0:
        return "minus"
    return "plus"


def word(text: str) -> bool:
    if text == "magic":
        return True
    return False


def _hidden(x):
    return x
"""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    names = ("subjects", "measure", "tools", "compare", "obstacles", "repeat")
    return SimpleNamespace(**{name: importlib.import_module(f"modules.{name}") for name in names})


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    file = tmp_path / "sample.py"
    file.write_text(SAMPLE)
    return file


def test_the_lists_are_pinned_and_have_no_module_twice(bench: SimpleNamespace) -> None:
    for name, count in (("modules.txt", 40), ("functions.txt", 40)):
        subjects = bench.subjects.read(bench.subjects.HERE / name)
        assert len({subject.name for subject in subjects}) == len(subjects) == count
        for subject in subjects:
            if subject.requirement is None:
                assert (ROOT / subject.target).is_file()
            else:
                assert "==" in subject.requirement


def test_the_caller_reaches_what_its_types_and_constants_lead_to(bench: SimpleNamespace, sample: Path) -> None:
    report = sample.parent / "report.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "modules" / "caller.py"), str(sample), "sample.py", "0.3"]
    subprocess.run([*command, str(report)], check=True, timeout=60, cwd=sample.parent)
    found = json.loads(report.read_text())["files"]
    # Public functions are there, so the private one is not called.
    assert [entry["missing_lines"] for entry in found.values()] == [[14]]
    assert bench.measure.counts(report) == (13, 14)


def test_the_caller_is_kept_from_files_and_processes(sample: Path) -> None:
    other = sample.parent / "other"
    other.mkdir()
    place = sample.parent / "place"
    place.mkdir()
    sample.write_text(
        "import os, subprocess\n\n\n"
        f"def write():\n    open({str(other / 'made')!r}, 'w').close()\n    return 1\n\n\n"
        f"def start():\n    subprocess.run(['touch', {str(other / 'touched')!r}])\n    return 1\n\n\n"
        "def inside():\n    open('mine', 'w').close()\n    return 1\n"
    )
    command = [sys.executable, str(ROOT / "benchmarks" / "modules" / "caller.py"), str(sample), "sample.py", "0.2"]
    subprocess.run([*command, str(place / "report.json")], check=True, timeout=60, cwd=place)
    assert not list(other.iterdir())
    (found,) = json.loads((place / "report.json").read_text())["files"].values()
    assert found["missing_lines"] == [6, 11]


def test_tests_are_counted_with_what_they_reach(bench: SimpleNamespace, sample: Path) -> None:
    folder = sample.parent / "kept"
    folder.mkdir()
    (folder / "test_sample.py").write_text(
        f"import sys\nsys.path.insert(0, {str(sample.parent)!r})\nfrom sample import sign\n\n\n"
        "def test_minus():\n    assert sign(-1) == 'minus'\n\n\ndef test_wrong():\n    assert sign(1) == 'minus'\n"
    )
    reached = bench.measure.measured(PYTHON, str(sample), folder)
    assert (reached.covered, reached.total, reached.passed, reached.failed) == (8, 14, 1, 1)


def test_a_module_without_tests_counts_with_nothing_reached(bench: SimpleNamespace, sample: Path) -> None:
    folder = sample.parent / "kept"
    folder.mkdir()
    reached = bench.measure.measured(PYTHON, str(sample), folder)
    assert (reached.covered, reached.total, reached.percent) == (0, 14, 0.0)


def test_a_subject_goes_through_the_whole_comparison(bench: SimpleNamespace, tmp_path: Path) -> None:
    subject = bench.subjects.Subject(None, "examples/triangle.py")
    row = bench.compare.attempt(PYTHON, subject, "everypath", 10.0, tmp_path, [])
    assert row.reached.percent == 100.0 and row.reached.failed == 0 and row.reached.passed > 0
    assert row.cells()[:3] == ("examples.triangle", "everypath", "100.0")


def test_late_is_more_than_a_tenth_and_two_seconds(bench: SimpleNamespace) -> None:
    def late(seconds: float, processor: float) -> str:
        run = bench.tools.Run(seconds, processor, 0)
        subject = bench.subjects.Subject(None, "a.py")
        found: str = bench.compare.Row(subject, "everypath", bench.measure.Reached(), run, 60.0).late()
        return found

    assert late(68.0, 68.0) == ""
    assert late(68.1, 60.0) == "clock"
    assert late(60.0, 70.0) == "processor"
    assert late(100.0, 70.0) == "clock and processor"


def test_each_missing_line_has_its_first_obstacle(bench: SimpleNamespace, sample: Path) -> None:
    folder = sample.parent / "sample"
    folder.mkdir()
    (folder / "output.txt").write_text(
        "sample.py::sign: cases 1, findings 0, branches 1 of 2, unsupported 1, seconds 0.00\n"
        "sample.py::word: cases 1, findings 0, seconds 0.00\n"
        "sample.py:2: unsupported: calling magic(), which has no model\n"
        "sample.py:1: concretised: sign: known inputs are tried where paths were stopped or values fixed\n"
    )
    missing = {"missing_lines": [3, 9, 14], "missing_branches": [[2, 3]]}
    (folder / "coverage.json").write_text(json.dumps({"files": {str(sample): missing}}))
    assert sorted(bench.obstacles.obstacles(folder)) == [
        ("nothing told", "sample::word"),
        ("private function, not reached from public ones", "sample::_hidden"),
        ("unsupported: calling magic(), which has no model", "sample::sign"),
        ("unsupported: calling magic(), which has no model", "sample::sign"),
    ]


def test_repeating_finds_tests_that_depend_on_order_or_touch_files(bench: SimpleNamespace, tmp_path: Path) -> None:
    file = tmp_path / "test_them.py"
    file.write_text(
        "import os, pathlib\nseen = []\n\n\n"
        "def test_first():\n    seen.append(1)\n\n\n"
        "def test_second():\n    assert seen\n\n\n"
        "def test_own_folder(tmp_path):\n    (tmp_path / 'a').write_text('a')\n\n\n"
        "def test_home():\n    pathlib.Path.home().joinpath('notes.txt').unlink()\n"
    )
    verdict = bench.repeat.repeated(PYTHON, [file], times=4)
    assert 0 < verdict.failed < 4
    assert verdict.passed + verdict.failed == 16
    blamed = {line.partition(": ")[0] for line in verdict.touched}
    assert blamed == {"test_home", "changed"}
    assert all("notes.txt" in line for line in verdict.touched)
