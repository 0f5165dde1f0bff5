"""Runs the tests of a folder under coverage.py, restricted to one module, and counts what they reach."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modules.subjects import ROOT
from modules.tools import run

TEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Reached:
    """Lines and branches of a module that tests reach, and how the tests ended."""

    covered: int = 0
    total: int = 0
    passed: int = 0
    failed: int = 0

    @property
    def percent(self) -> float:
        """Lines and branches together, as one share."""
        return 100 * self.covered / self.total if self.total else 0.0


def measured(python: Path, source: str, folder: Path) -> Reached:
    """What the test files in a folder reach of a source file; the report stays there as `coverage.json`."""
    tests = sorted(map(str, folder.glob("test_*.py")))
    place = folder / "measured"
    place.mkdir()
    if not tests:
        return Reached(total=size(python, source, place))
    data, report, outcomes = str(place / "data"), folder / "coverage.json", place / "outcomes.xml"
    coverage = [str(python), "-m", "coverage"]
    config = ["-c", "/dev/null", "--rootdir", str(folder), "-p", "no:cacheprovider", "-q", f"--junitxml={outcomes}"]
    options = ["--branch", f"--include={source}", f"--data-file={data}"]
    paths = {"PYTHONPATH": str(Path(source).parent)} if Path(source).is_relative_to(ROOT / "examples") else {}
    run([*coverage, "run", *options, "-m", "pytest", *config, *tests], place, TEST_SECONDS, paths)
    (place / "output.txt").rename(place / "pytest.txt")
    run([*coverage, "json", f"--data-file={data}", "-q", "-o", str(report)], place, TEST_SECONDS, {})
    passed, failed = ended(outcomes)
    if not report.exists():
        return Reached(total=size(python, source, place), passed=passed, failed=failed)
    covered, total = counts(report)
    return Reached(covered, total, passed, failed)


def counts(report: Path) -> tuple[int, int]:
    """Covered lines and branches, and all of them, of the one file in a report."""
    totals: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["totals"]
    covered: int = totals["covered_lines"] + totals["covered_branches"]
    total: int = totals["num_statements"] + totals["num_branches"]
    return covered, total


def size(python: Path, source: str, folder: Path) -> int:
    """All lines and branches of a source file, where no test runs that would tell."""
    code = (
        "import coverage, sys\n"
        "measured = coverage.Coverage(branch=True, data_file=None, config_file=False, include=[sys.argv[1]])\n"
        "measured.get_data().add_arcs({'': [(-1, 1)]})\n"
        "measured.json_report([sys.argv[1]], outfile=sys.argv[2])\n"
    )
    report = folder / "empty.json"
    run([str(python), "-c", code, source, str(report)], folder, TEST_SECONDS, {})
    return counts(report)[1] if report.exists() else 0


def ended(outcomes: Path) -> tuple[int, int]:
    """How many tests passed and failed, as pytest's report in XML says."""
    if not outcomes.exists():
        return 0, 1
    suites = ElementTree.parse(outcomes).getroot().iter("testsuite")
    tests = failed = 0
    for suite in suites:
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        tests += int(suite.get("tests", 0)) - int(suite.get("skipped", 0))
    return tests - failed, failed
