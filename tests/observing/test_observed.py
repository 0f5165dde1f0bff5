"""Cases that were observed: found by calling the real module, kept only if runs agree, written like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.languages.python.writers.pytest_writer import render
from everypath.options import Limits, Options

BRANCHES = Options(limits=Limits(time=5), select="branches", seed=1)


def run_on(folder: Path, source: str, options: Options = BRANCHES, name: str = "subject_under_test") -> Run:
    (folder / f"{name}.py").write_text(source)
    return generate([str(folder / f"{name}.py")], options)


def passes(folder: Path, run: Run) -> str:
    """Run the emitted tests with pytest itself, with another order of sets; empty when they pass."""
    test = folder / "test_generated.py"
    [module] = run.modules.values()
    test.write_text(render(module.suites, variants=module.ways, restore_state=module.restore_state))  # type: ignore[arg-type]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={"PYTHONHASHSEED": "7", "PYTHONPATH": str(folder)}
    )
    return "" if done.returncode == 0 else done.stdout


UNFOLLOWED = """
import ctypes, json

def read(text):
    cleaned = ctypes.c_wchar_p(text).value
    if cleaned.startswith("key:"):
        return cleaned[4:].upper()
    if "=" in cleaned:
        raise ValueError("no assignments")
    return None
"""


def test_what_cannot_be_followed_is_run_and_every_branch_is_reached(tmp_path: Path) -> None:
    run = run_on(tmp_path, UNFOLLOWED)
    assert passes(tmp_path, run) == ""
    lines = {step.line for case in run.cases for step in case.trace}
    assert {7, 9, 10} <= lines
    assert any(case.observed for case in run.cases)


def test_with_predicted_only_nothing_is_observed(tmp_path: Path) -> None:
    run = run_on(tmp_path, UNFOLLOWED, Options(limits=Limits(time=5), predicted_only=True))
    assert not any(case.observed for case in run.cases)


def test_where_every_path_was_followed_nothing_is_observed(tmp_path: Path) -> None:
    run = run_on(tmp_path, "def sign(n: int) -> int:\n    return 1 if n > 0 else 0 if n == 0 else -1\n")
    assert run.cases
    assert not any(case.observed for case in run.cases)


def test_what_a_function_gives_is_used(tmp_path: Path) -> None:
    source = """
from contextlib import contextmanager

def make_adder(n):
    def add(m):
        if m > n:
            return m - n
        return m + n
    return add

@contextmanager
def noted(notes: list):
    notes.append("in")
    try:
        yield notes
    except ValueError:
        notes.append("failed")
    else:
        notes.append("out")
"""
    run = run_on(tmp_path, source)
    assert passes(tmp_path, run) == ""
    lines = {step.line for case in run.cases for step in case.trace}
    assert {7, 8, 17, 19} <= lines


def test_results_that_differ_between_runs_are_not_asserted(tmp_path: Path) -> None:
    source = """
import ctypes, os

def stamp(text):
    name = ctypes.c_wchar_p(text).value
    if name:
        return {"name": "n", "process": os.getpid(), "order": list({"a", "b", "c", "d"})}
    return None
"""
    run = run_on(tmp_path, source)
    assert passes(tmp_path, run) == ""
    assert 7 in {step.line for case in run.cases for step in case.trace}


@pytest.mark.parametrize(
    "body",
    [
        "import os; os._exit(3)",
        "while True: pass",
        "raise SystemExit(2)",
        "import os; os.remove('kept.txt')",
        "import subprocess; subprocess.run(['true'])",
        "return bad(text)",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
    ],
)
def test_what_calls_do_to_the_process_harms_nothing_else(tmp_path: Path, body: str) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    source = f"""
import ctypes

def bad(text):
    ctypes.c_wchar_p("").value
    {body}

def good(text):
    if ctypes.c_wchar_p(text).value == "wanted":
        return 1
    return 2
"""
    run = run_on(tmp_path, source)
    assert passes(tmp_path, run) == ""
    assert (tmp_path / "kept.txt").read_text() == "mine"
    assert {9, 10} <= {step.line for case in run.cases for step in case.trace}


def test_the_same_seed_gives_the_same_cases(tmp_path: Path) -> None:
    first, second = (run_on(tmp_path, UNFOLLOWED) for _ in range(2))
    assert [case.id for case in first.cases] == [case.id for case in second.cases]
    assert [case.inputs for case in first.cases] == [case.inputs for case in second.cases]


def test_a_module_that_is_installed_is_observed_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed, elsewhere = tmp_path / "site-packages", tmp_path / "elsewhere"
    installed.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    run = run_on(installed, UNFOLLOWED, name="installed_subject")
    assert [problem for problem in run.problems if problem.kind == "defect"] == []
    assert any(case.observed for case in run.cases)


def test_the_share_of_observed_cases_is_told_for_a_module() -> None:
    from io import StringIO

    from everypath.cases.accounts import Stats
    from everypath.report.summary import Row, print_rows

    rows = [
        Row("a.py::f", "a", "f", cases=3, observed=1),
        Row("a.py::g", "a", "g", cases=1),
        Row("b.py::f", "b", "f", cases=2),
        Row("b.py::g", "b", "g", cases=2),
    ]
    printed = StringIO()
    print_rows(rows, printed)
    assert "a: 1 of 4 cases were observed (25 %)" in printed.getvalue().splitlines()
    assert "b: " not in printed.getvalue()
    # Where the functions stand in a table, nothing else tells it of a module with a single one.
    print_rows([Row("c.py::f", "c", "f", cases=2, observed=1, stats=Stats())], printed, by_module=True)
    assert "c: 1 of 2 cases were observed (50 %)" in printed.getvalue().splitlines()


MANY = "import ctypes\n" + "\n".join(
    f"def f{n}(text, mode):\n"
    f"    text = ctypes.c_wchar_p(text).value\n"
    f"    if mode == 'm{n}':\n        return len(text)\n"
    f"    return mode.upper() if text else None\n"
    for n in range(12)
)


def test_a_limited_time_leaves_enough_for_running_what_the_search_finds(tmp_path: Path) -> None:
    options = Options(limits=Limits(time=5), select="branches", seed=1, total_time=10.0)
    run = run_on(tmp_path, MANY, options)
    assert sum(case.observed for case in run.cases) >= 24
    assert passes(tmp_path, run) == ""


def test_a_module_may_ask_its_output_for_a_descriptor_while_it_is_imported(tmp_path: Path) -> None:
    source = "import os, sys\nTERMINAL = os.isatty(sys.stdout.fileno())\ndef f():\n    return TERMINAL\n"
    run = run_on(tmp_path, source)
    assert [case.validated for case in run.cases] == [True]
    assert passes(tmp_path, run) == ""


def test_observed_tests_pass_in_any_order(tmp_path: Path) -> None:
    source = """
import ctypes
NAMES = {}
def show(text):
    if ctypes.c_wchar_p(text).value == "x":
        return 0
    return len(NAMES)
def register(name):
    NAMES[ctypes.c_wchar_p("a").value] = 1
    return 1
"""
    run = run_on(tmp_path, source)
    assert {"show", "register"} <= {case.entry.name for case in run.cases}
    (tmp_path / "conftest.py").write_text("def pytest_collection_modifyitems(items):\n    items.reverse()\n")
    assert passes(tmp_path, run) == ""
