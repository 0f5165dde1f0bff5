"""Code nobody here wrote: `bisect` and `heapq`, with full branch coverage of what the bound allows."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from everypath.errors import EverypathError
from everypath.generate.run import generate
from everypath.languages.python.frontend import load_target
from everypath.options import Limits, Options
from tests.rendered import rendered

TARGETS = [
    ("bisect", ["bisect_left", "bisect_right", "insort_left", "insort_right"], "a: list[int], x: int"),
    ("heapq", ["heappush", "heappop", "heapreplace", "heappushpop"], "heap: list[int], item: int"),
    ("heapq", ["heapify"], "x: list[int]"),
]


def _python_only(module: str, folder: Path) -> Path:
    """The module's Python source, without the lines that replace it by its twin in C."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    file = folder / f"pure_{module}.py"
    file.write_text(re.sub(r"try:\n    from _\w+ import \S+\nexcept ImportError:\n    pass\n", "", source))
    return file


@pytest.mark.parametrize(("module", "functions", "types"), TARGETS, ids=lambda value: str(value)[:24])
def test_full_branch_coverage(tmp_path: Path, module: str, functions: list[str], types: str) -> None:
    file = _python_only(module, tmp_path)
    options = Options(limits=Limits(loops=2), types=(types,))
    run = generate([f"{file}::{name}" for name in functions], options)
    assert [p for suite in run.suites for p in suite.problems] == []
    assert len(run.suites) == len(functions) and all(suite.cases for suite in run.suites)
    assert all(case.validated for case in run.cases)
    (name,) = run.modules
    (tmp_path / "test_generated.py").write_text(rendered(run, name))
    _measure(tmp_path, file)
    missed = _missed(tmp_path, file, functions)
    assert missed == []


def _measure(folder: Path, file: Path) -> None:
    coverage = [sys.executable, "-m", "coverage"]
    tests = ["-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider", "test_generated.py"]
    command = [*coverage, "run", "--branch", f"--include={file.name}", *tests]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout[-2000:]
    subprocess.run([*coverage, "json", "-q"], cwd=folder, check=True, timeout=60)


def _missed(folder: Path, file: Path, functions: list[str]) -> list[object]:
    """Lines and branches inside the functions (and what they call privately) that no test took."""
    tree = ast.parse(file.read_text())
    wanted = {*functions, "_siftup", "_siftdown"} if "heappush" in functions else set(functions)
    inside = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in wanted:
            inside |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    (measured,) = json.loads((folder / "coverage.json").read_text())["files"].values()
    lines = [line for line in measured["missing_lines"] if line in inside]
    branches = [arc for arc in measured["missing_branches"] if arc[0] in inside]
    return [*lines, *branches]


@pytest.mark.parametrize("module", ["bisect", "heapq"])
def test_every_other_function_gets_an_answer(module: str) -> None:
    """No exception of ours escapes on any function, private ones and generators included."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    types = ("a: list[int], x: int, heap: list[int], item: int, n: int, iterable: list[int], iterables: list[int]",)
    types += ("startpos: int, pos: int",)
    assert names
    for name in names:
        try:
            load_target(f"{module}::{name}", types)
            generate([f"{module}::{name}"], Options(limits=Limits(time=3), types=types))
        except EverypathError as error:
            pytest.fail(f"{name}: {error}")
