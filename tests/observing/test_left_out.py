"""Calls that are left out are told: which function, why, and where; and the rest of the module is unharmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.model import Problem
from everypath.generate.results import Run
from tests.observing.test_observed import passes, run_on

SOURCE = """
import builtins, inspect, os, random, socket, subprocess, threading, time

def bad(text):
    text = inspect.cleandoc("a")
    {body}
    return text

def good(text):
    if inspect.cleandoc(text) == "wanted":
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
        ("text = text if os.getpid() % 2 else 1 / 0", "unstable", "changes from run to run"),
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


def test_what_is_replaced_in_a_test_is_not_told(tmp_path: Path) -> None:
    run = run_on(tmp_path, SOURCE.format(body="subprocess.run(['true'])"))
    assert 7 in {step.line for case in run.cases for step in case.trace}
    assert not [each for each in told(run) if each.kind == "refused" and "left out" in each.message]
