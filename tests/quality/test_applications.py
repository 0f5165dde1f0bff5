"""Application code as people write it: every branch is covered, or its function is named, and nothing is a finding."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import everypath
from tests.conftest import ROOT

_NAMED = re.compile(r"examples/(\S+\.py):(\d+): (?:types|unsupported|concretised|cut|unknown|timeout)\b")


@pytest.mark.parametrize(
    ("module", "covered"),
    [
        ("order_service/model.py", True),
        ("order_service/ports.py", True),
        # `int` refuses a word that is no number: a case of `parse_lines`, and no finding.
        ("order_service/service.py", True),
        pytest.param("scheduling/calendar_rules.py", True, marks=pytest.mark.slow),
        ("scheduling/reminders.py", False),
        ("scheduling/storage.py", False),
    ],
)
def test_every_branch_is_covered_or_named(tmp_path: Path, module: str, covered: bool) -> None:
    package = module.partition("/")[0]
    shutil.copytree(ROOT / "examples" / package, tmp_path / "examples" / package)
    result = everypath(tmp_path, "generate", f"examples/{module}", "--time", "4", "-o", "tests/")
    assert result.code == 0, result.said
    missed = _missed(tmp_path, module)
    told = {int(line) for file, line in _NAMED.findall(result.said) if file == module}
    silent = [lines for lines in _functions(tmp_path / "examples" / module) if missed & lines and not told & lines]
    assert not silent, result.said
    assert not covered or not missed


def _missed(folder: Path, module: str) -> set[int]:
    """The lines, and those from which a branch leads, that the emitted tests do not take; all of them pass."""
    coverage = [sys.executable, "-m", "coverage"]
    tests = ["-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider", "tests"]
    command = [*coverage, "run", "--branch", f"--include=examples/{module}", *tests]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout[-2000:]
    subprocess.run([*coverage, "json", "-q"], cwd=folder, check=True, timeout=60)
    (measured,) = json.loads((folder / "coverage.json").read_text())["files"].values()
    return {*measured["missing_lines"], *(first for first, _ in measured["missing_branches"])}


def _functions(file: Path) -> list[set[int]]:
    """The lines of each function."""
    found = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)]
    return [set(range(node.lineno, (node.end_lineno or node.lineno) + 1)) for node in found]
