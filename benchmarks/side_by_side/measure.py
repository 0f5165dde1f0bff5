"""Measures the test files of one generator for one program and prints what each test covers and kills, as JSON.

`python -m side_by_side.measure SOURCE TEST_FILE...`; every measurement runs in a process of its own.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import coverage
import pytest

from everypath.languages.python.runtime.mutants import mutants
from side_by_side import trial
from side_by_side.declared import Declarations


class Outcomes:
    """Tells for each test, in order, whether pytest is content with it."""

    def __init__(self) -> None:
        self.content: dict[str, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """An expected failure is as good as a pass; a test that fails while it is set up is not."""
        self.content[report.nodeid] = self.content.get(report.nodeid, True) and not report.failed


class Paths:
    """Records the way through the program of every call that a test makes, as the instructions it executes.

    From the first argument on that is not of its declared type, the ways of a test are kept apart.
    """

    def __init__(self, source: Path) -> None:
        self.source = str(source)
        self.declared = Declarations(importlib.import_module(source.stem))
        self.found: dict[str, set[int]] = {}
        self.undeclared: dict[str, set[int]] = {}
        self.calls: dict[str, int] = {}
        self.kept = True
        self.path = 0
        self.depth = 0
        self.test = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        """Traces the test and nothing around it."""
        self.test, self.depth, self.kept = pyfuncitem.nodeid, 0, True
        self.found[self.test], self.undeclared[self.test], self.calls[self.test] = set(), set(), 0
        sys.settrace(self.enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)

    def enter(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        """A function begins; only those of the program matter."""
        if self.depth == 0 and self.kept:
            self.kept = self.declared.kept(frame.f_code, frame.f_locals)
        if frame.f_code.co_filename != self.source:
            return None
        if self.depth == 0:
            self.path = 0
        self.depth += 1
        self.path = hash((self.path, frame.f_code.co_firstlineno))
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self.step

    def step(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        """One instruction, or the end of a function; the outermost one ends the path."""
        if event == "opcode":
            self.path = hash((self.path, frame.f_lasti))
        elif event == "return":
            self.path = hash((self.path, -2))
            self.depth -= 1
            if self.depth == 0:
                self.calls[self.test] += 1
                (self.found if self.kept else self.undeclared)[self.test].add(self.path)
        return self.step


class Contexts:
    """Tells coverage which test is running."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        """Names the context after the test."""
        self.measured.switch_context(pyfuncitem.nodeid)
        try:
            return (yield)
        finally:
            self.measured.switch_context("")


def run_pytest(files: list[Path], left_out: list[str], plugin: object) -> None:
    """Runs the files with one plugin; what pytest prints is of no interest."""
    where = ["-c", os.devnull, "--rootdir", str(files[0].parent)]
    options = ["-q", "-p", "no:cacheprovider", "--assert=plain", *where]
    dropped = [f"--deselect={node}" for node in left_out]
    with contextlib.redirect_stdout(sys.stderr):
        pytest.main([*options, *dropped, *map(str, files)], plugins=[plugin])


def apart(work: Callable[[], Any]) -> Any:
    """The result of the work, done in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer"
        child = os.fork()
        if child == 0:
            code = 1
            try:
                answer.write_text(json.dumps(work()), encoding="utf-8")
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit("a measurement failed, see above")
        return json.loads(answer.read_text(encoding="utf-8"))


def outcomes(files: list[Path]) -> dict[str, bool]:
    """Which tests pass on the original program."""
    seen = Outcomes()
    run_pytest(files, [], seen)
    return seen.content


def paths(source: Path, files: list[Path], left_out: list[str]) -> tuple[dict[str, Any], ...]:
    """The paths of each test, those taken with arguments that break the declared types, and how often it calls."""
    seen = Paths(source)
    run_pytest(files, left_out, seen)
    kept, broken = ({test: sorted(ways) for test, ways in found.items()} for found in (seen.found, seen.undeclared))
    return kept, broken, seen.calls


def branches(source: Path, files: list[Path], left_out: list[str]) -> tuple[int, dict[str, list[tuple[int, int]]]]:
    """How many branches the program has, and those that each test takes."""
    measured = coverage.Coverage(branch=True, data_file=None, include=[str(source)], config_file=False)
    measured.start()
    # The totals are wanted even when no test is left.
    importlib.import_module(source.stem)
    run_pytest(files, left_out, Contexts(measured))
    measured.stop()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        report = Path(folder) / "report.json"
        measured.json_report(outfile=str(report))
        (figures,) = json.loads(report.read_text(encoding="utf-8"))["files"].values()
    taken = {tuple(branch) for branch in figures["executed_branches"]}
    data, found = measured.get_data(), {}
    for test in data.measured_contexts() - {""}:
        data.set_query_context(test)
        found[test] = sorted(taken & set(data.arcs(str(source)) or ()))
    return figures["summary"]["num_branches"], found


def kills(source: Path, files: list[Path], content: list[bool]) -> tuple[int, dict[int, list[int]]]:
    """How many mutants there are, and those that each test kills, by its number; -1 for all tests at once."""
    text = source.read_text(encoding="utf-8")
    skipped = frozenset(number for number, passes in enumerate(content) if not passes)
    original: CodeType = compile(text, str(source), "exec")
    if trial.failing(source.stem, original, files, frozenset()) != skipped:
        raise SystemExit(f"pytest and the fast runner disagree on {[str(file) for file in files]}")
    killed: dict[int, list[int]] = {}
    made = mutants(text)
    for number, mutant in enumerate(made):
        code = compile(mutant.tree, str(source), "exec")
        for test in trial.failing(source.stem, code, files, skipped):
            killed.setdefault(test, []).append(number)
    return len(made), killed


def main() -> None:
    """Prints one JSON object: the totals, and for each test its branches, paths and killed mutants."""
    source, *files = (Path(name).resolve() for name in sys.argv[1:])
    sys.path.insert(0, str(source.parent))
    sys.dont_write_bytecode = True
    content = apart(lambda: outcomes(files))
    left_out = [node for node, passes in content.items() if not passes]
    total, taken = apart(lambda: branches(source, files, left_out))
    ways, undeclared, calls = apart(lambda: paths(source, files, left_out))
    count, killed = kills(source, files, list(content.values()))
    numbers = {node: number for number, node in enumerate(content)}
    tests = [
        {
            "branches": taken.get(node, []),
            "paths": ways.get(node, []),
            "undeclared": undeclared.get(node, []),
            "calls": calls.get(node, 0),
            "mutants": killed.get(numbers[node], []),
        }
        for node, passes in content.items()
        if passes
    ]
    everything = {"branches": total, "mutants": count, "dropped": len(left_out), "import": killed.get(-1, [])}
    print(json.dumps({**everything, "tests": tests}))


if __name__ == "__main__":
    main()
