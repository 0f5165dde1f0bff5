"""Ctrl-C and a request to end: what was found is kept and passes, a second one ends at once, nothing goes on."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from .command import Result, checked, no_process_left, pytest_passes, start, written

ENDLESS_PATHS = """\
def small(x: int) -> int:
    return 1 if x > 3 else 2


def walk(xs: list[int], a: int, b: int) -> int:
    n = 0
    for x in xs:
        if x > a:
            n += 1
        elif x < b:
            n += 2
        if x % 3 == 1:
            n += 4
    for i in range(1000):
        n += i
    return n
"""
ARGUMENTS = ("generate", "sample.py", "--loops", "12", "--time", "60")


def patience() -> float:
    """Seconds that a whole run takes now: on a busy machine a signal must come later to find the run at work."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sample.py").write_text("def small(x: int) -> int:\n    return 1 if x > 3 else 2\n")
        begun = time.monotonic()
        start(Path(folder), "generate", "sample.py").communicate(timeout=60)
        return time.monotonic() - begun


def interrupted(folder: Path, signals: list[tuple[float, int]], *arguments: str) -> tuple[Result, float]:
    """The result of a run that got signals after so many seconds each, and how long it then took to end."""
    with no_process_left():
        later = 2 * patience()
        process = start(folder, *arguments)
        for seconds, number in signals:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(seconds + later)
            later = 0.0
            process.send_signal(number)
        last = time.monotonic()
        out, err = process.communicate(timeout=40)
    return checked(process.returncode, out, err), time.monotonic() - last


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_what_was_found_is_kept(tmp_path: Path, number: int) -> None:
    (tmp_path / "sample.py").write_text(ENDLESS_PATHS)
    result, _ = interrupted(tmp_path, [(1.2, number)], *ARGUMENTS)
    assert result.code == 130, result
    assert "sample.py::small: cases 2" in result.out and "sample.py::walk: cases" in result.out
    assert "tests found so far" in result.err
    assert written(tmp_path) == {"sample.py", "test_sample_generated.py"}
    passed = int(pytest_passes(tmp_path, "test_sample_generated.py").split()[0])
    assert passed > 10
    assert f"kept the {passed} tests" in result.err


def test_a_second_one_ends_at_once_and_keeps_what_was_run(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(ENDLESS_PATHS)
    result, seconds = interrupted(tmp_path, [(3.0, signal.SIGINT), (0.5, signal.SIGINT)], *ARGUMENTS)
    assert result.code == 130, result
    assert seconds < 3
    assert written(tmp_path) == {"sample.py", "test_sample_generated.py"}
    assert int(pytest_passes(tmp_path, "test_sample_generated.py").split()[0]) >= 2


def test_while_tests_that_hang_are_run(tmp_path: Path) -> None:
    """A first Ctrl-C still runs the tests at hand, a second one leaves them out."""
    (tmp_path / "sample.py").write_text(
        "import time\n\n\ndef small(x: int) -> int:\n    return 1 if x > 3 else 2\n\n\n"
        "class Slow:\n    def __init__(self, n: int) -> None:\n        self.n = n\n        time.sleep(100)\n\n"
        "    def get(self) -> int:\n        return self.n\n"
    )
    targets = ["sample.py::small", "sample.py::Slow.get"]
    signals = [(2.0, signal.SIGINT), (1.0, signal.SIGINT)]
    result, seconds = interrupted(tmp_path, signals, "generate", *targets, "--case-seconds", "30")
    assert result.code == 130, result
    assert seconds < 3
    assert "kept the 2 tests" in result.err
    assert pytest_passes(tmp_path, "test_sample_generated.py").startswith("2 passed")


def test_before_anything_is_found(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text("def f(x: int) -> int:\n    while True:\n        pass\n")
    arguments = ("generate", "sample.py", "--depth", "1000000000", "--format", "json", "-o", "out.json")
    result, seconds = interrupted(tmp_path, [(1.0, signal.SIGINT)], *arguments)
    assert result.code == 130
    assert seconds < 3
    assert written(tmp_path) == {"sample.py", "out.json"}
