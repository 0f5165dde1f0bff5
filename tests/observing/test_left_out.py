"""Calls that are left out are told: which function, why, and where; and the rest of the module is unharmed."""

from __future__ import annotations

import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import pytest

from everypath.cases.model import CallCase, Case, Entry, Expected, Inputs, Problem, Returned, Step
from everypath.generate.results import Run
from everypath.languages.python.observing import observing
from everypath.languages.python.observing.expectations import ANYTHING
from everypath.languages.python.observing.observing import Observed, _after
from everypath.languages.python.probing.expressions import Code, to_data
from everypath.languages.python.runtime.runner import UNRUN, Verdict
from everypath.languages.python.runtime.starting import FIRST_SEED, OTHER_SEED
from everypath.paths import RealRun
from everypath.records import replace
from tests.observing.test_observed import passes, run_on

SOURCE = """
import builtins, ctypes, os, random, socket, subprocess, threading, time

def bad(text):
    text = ctypes.c_wchar_p("a").value
    {body}
    return text

def good(text):
    if ctypes.c_wchar_p(text).value == "wanted":
        return 1
    return 2
"""


def told(run: Run, function: str = "bad") -> list[Problem]:
    """What is said about the calls of a function that are left out."""
    problems = [*run.problems, *(problem for suite in run.suites for problem in suite.problems)]
    return [each for each in problems if each.message.startswith(f"{function}: ")]


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        # Under a name of its own, nothing can be put in its place.
        ("remove = os.remove; remove(__file__)", "refused", "change files"),
        ("write = open; write(__file__, 'w')", "refused", "write the file"),
        ("connect = socket.socket; connect()", "refused", "open a socket"),
        ("start = subprocess.Popen; start(['true'])", "refused", "start or signal a process"),
        ("while True: pass", "timeout", "take too long"),
        ("os._exit(3)", "refused", "end the process"),
        ("builtins.len = lambda value: 1", "refused", "change what is built in"),
        ("threading.Thread(target=time.sleep, args=(9,), daemon=True).start()", "note", "leave a thread running"),
        ("raise KeyboardInterrupt", "refused", "raise KeyboardInterrupt"),
    ],
)
def test_calls_that_are_left_out_are_told_once_with_the_reason(
    tmp_path: Path, body: str, kind: str, reason: str
) -> None:
    run = run_on(tmp_path, SOURCE.format(body=body))
    said = [each for each in told(run) if each.kind == kind and reason in each.message]
    assert len(said) == 1, told(run)
    assert Path(said[0].file).name == "subject_under_test.py" and 4 <= said[0].line <= 7
    assert not told(run, "good")
    assert {10, 11} <= {step.line for case in run.cases for step in case.trace}
    assert passes(tmp_path, run) == ""


def test_calls_that_end_in_another_way_in_another_run_are_told(tmp_path: Path) -> None:
    code = "print([hash(str(number)) % 2 for number in range(64)])"
    one, other = (
        literal_eval(
            subprocess.check_output([sys.executable, "-c", code], env={"PYTHONHASHSEED": str(seed)}, text=True)
        )
        for seed in (FIRST_SEED, OTHER_SEED)
    )
    changing = next(number for number in range(64) if one[number] != other[number])
    run = run_on(tmp_path, SOURCE.format(body=f"text = text if hash('{changing}') % 2 else 1 / 0"))
    assert [(each.kind, each.message) for each in told(run)] == [
        ("unstable", "bad: the result changes from run to run; no test is written")
    ]
    assert passes(tmp_path, run) == ""


def test_what_is_replaced_in_a_test_is_not_told(tmp_path: Path) -> None:
    run = run_on(tmp_path, SOURCE.format(body="subprocess.run(['true'])"))
    assert 7 in {step.line for case in run.cases for step in case.trace}
    assert not [each for each in told(run) if each.kind == "refused" and "left out" in each.message]


@pytest.mark.parametrize(
    "reading",
    ["sys.stdin.readline()", "input()", "list(sys.stdin)", "sys.stdin.buffer.read()", "kept.read()", "default()"],
)
def test_a_test_that_reads_standard_input_brings_its_own(tmp_path: Path, reading: str) -> None:
    source = f"""
import ctypes, sys
kept = sys.stdin

def default(stream=sys.stdin):
    return stream.read()

def ask(text):
    if ctypes.c_wchar_p(text).value == "wanted":
        return 1
    try:
        return {reading}
    except (EOFError, OSError, ValueError):
        return "none"
"""
    run = run_on(tmp_path, source)
    assert 9 in {step.line for case in run.cases for step in case.trace}
    assert passes(tmp_path, run) == ""


def test_what_only_type_checkers_import_is_imported_inside_the_fence(tmp_path: Path) -> None:
    (tmp_path / "writes.py").write_text(f"open({str(tmp_path / 'made.txt')!r}, 'w').close()\nclass Thing:\n    pass\n")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "waits.py").write_text("while True:\n    pass\n")
    source = """
from __future__ import annotations
import ctypes
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from waits import Waiting
    from leaves import Leaving
    from writes import Thing

def f(text: str, thing: Thing = None, other: Leaving = None, last: Waiting = None):
    if ctypes.c_wchar_p(text).value == "wanted":
        return 1
    return 2
"""
    run = run_on(tmp_path, source)
    assert not (tmp_path / "made.txt").exists()
    assert {12, 13} <= {step.line for case in run.cases for step in case.trace}


def test_calls_for_whose_runs_there_is_no_time_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over = Verdict(UNRUN, "the time was over", "arrange")
    monkeypatch.setattr(observing, "run_cases", lambda found, *_, **__: {case.id: over for case in found})
    run = run_on(tmp_path, SOURCE.format(body="pass"))
    [said] = [each.message for each in run.problems if "because the time is over" in each.message]
    assert "bad (" in said and "good (" in said and not any(case.observed for case in run.cases)


def test_private_functions_that_are_called_are_told(tmp_path: Path) -> None:
    source = SOURCE.format(body="pass") + "\ndef _alone(text):\n    return ctypes.c_wchar_p('b').value\n"
    run = run_on(tmp_path, source)
    assert [each.message for each in run.problems if "private" in each.message] == [
        "private, and not reached through public ones: _alone"
    ]
    assert passes(tmp_path, run) == ""


def test_what_depends_on_the_terminal_of_the_import_is_not_asserted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "import ctypes, os\n"
        "COLOURS = 8 if os.environ.get('TERM') == 'xterm' else 256\n"
        "def shown(text):\n"
        "    ctypes.c_wchar_p('').value\n"
        "    return [COLOURS, text]\n"
    )
    run = run_on(tmp_path, source)
    for terminal in ("xterm", "dumb"):
        monkeypatch.setenv("TERM", terminal)
        assert passes(tmp_path, run) == ""


def test_what_only_dropped_calls_reached_is_looked_for_again() -> None:
    entry = Entry("m", "m.py", None, "f", "function", 1)
    cases: list[CallCase] = [
        Case(f"m::f#observed{number}", entry, Inputs(None, (), {}, ()), Expected(Returned(ANYTHING)), start=RealRun())
        for number in (1, 2)
    ]
    told = [
        {"reached": [line, [line, line + 1]], "found": to_data(Code(text)), "qualname": "f", "kind": "function"}
        for line, text in ((2, "1"), (4, "2"))
    ]
    kept = replace(cases[0], trace=(Step("m.py", 2), Step("m.py", 4)), covers=("m.py:2->3",))
    request = {"reached": [1], "seed": 0, "known": [], "dropped": [], "doubtful": []}
    observed = Observed([kept], {"stopped": "all reached"})
    again = _after(list(zip(cases, told)), observed, request)
    assert again is not None
    assert again["doubtful"] == [[4, 5]], "line 4 was reached by the case that was kept"
    assert again["dropped"] == [told[1]["found"]]
    assert again["known"] == [["f", "function", told[0]["found"]]]
    assert set(again["reached"]) == {1, 2, 4, (2, 3)}
    assert _after([(cases[0], told[0])], observed, request) is None, "everything is reached by tests"
