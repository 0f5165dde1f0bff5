"""Every finding replays in fresh processes; its emitted test fails until the class is corrected, then passes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from everypath.cases.races import RaceFinding, RaceReport
from everypath.languages.python.writers.race_writer import render_race
from everypath.race.protocol import RaceRequest
from everypath.race.session import confirm, run_race
from tests.quality.test_threads import SEEDED, THREADS

TIMES = 10
EVERYDAY = ("bank", "job_queue", "purse")
"""A deadlock, an exception and a lock that is kept; the rest is left to the slow suite."""

_names = [pytest.param(name, marks=() if name in EVERYDAY else pytest.mark.slow, id=name) for name in sorted(SEEDED)]


@cache
def _report(name: str) -> RaceReport:
    report = run_race(RaceRequest(name, SEEDED[name].cls, root=str(THREADS), seconds=10.0))
    assert report.findings and report.problems == []
    return report


def _corrected(name: str) -> str:
    """The module with the corrected class under the name of the faulty one."""
    text = (THREADS / f"{name}.py").read_text(encoding="utf-8")
    cls = SEEDED[name].cls
    (faulty,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == cls)
    lines = text.splitlines(keepends=True)
    kept = lines[: faulty.lineno - 1] + lines[faulty.end_lineno :]
    return re.sub(rf"\bSafe{cls}\b", cls, "".join(kept))


def _run(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "test_emitted.py"],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=50,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SEEDED))
def test_every_finding_replays_ten_times_out_of_ten(name: str) -> None:
    _replay(name, TIMES)


@pytest.mark.parametrize("name", EVERYDAY)
def test_findings_replay(name: str) -> None:
    _replay(name, 2)


def _replay(name: str, times: int) -> None:
    for finding in _report(name).findings:
        confirmed = confirm(finding, times, str(THREADS))
        assert isinstance(confirmed, RaceFinding), confirmed
        assert confirmed.replays == times


@pytest.mark.parametrize("name", _names)
def test_the_emitted_tests_fail_until_the_class_is_fixed(tmp_path: Path, name: str) -> None:
    findings = _report(name).findings
    (tmp_path / "test_emitted.py").write_text(render_race(findings, import_path="."), encoding="utf-8")
    module = tmp_path / f"{name}.py"
    module.write_text((THREADS / f"{name}.py").read_text(encoding="utf-8"), encoding="utf-8")
    code, said = _run(tmp_path)
    assert (code, f"{len(findings)} failed" in said, "passed" in said.splitlines()[-1]) == (1, True, False), said
    module.write_text(_corrected(name), encoding="utf-8")
    code, said = _run(tmp_path)
    assert (code, f"{len(findings)} passed" in said) == (0, True), said
