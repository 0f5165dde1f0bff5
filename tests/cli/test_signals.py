"""Signals at many moments of a run: no traceback, exit code 130, and nothing lost that was found before."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .command import Result, checked, no_process_left, pytest_passes, start, written

FUNCTIONS = 40
SUBJECT = "import re\n\n" + "\n\n".join(
    f"def f{n}(s: str, xs: list[int], k: int) -> int:\n"
    f"    if s.startswith('a{n}') and len(s) > {n % 4}:\n        return k\n"
    "    total = 0\n    for x in xs:\n"
    f"        if x * k > {n}:\n            total += x\n"
    "    return total"
    for n in range(FUNCTIONS)
)
LONGEST_END = 2.0
"""Seconds from a request to the end of the process, on a machine that has time for it."""


def machine_load() -> float:
    """How many processes want each processor."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def whole_run(folder: Path) -> tuple[float, int]:
    """How long an undisturbed run takes, and how many tests it writes."""
    (folder / "subject.py").write_text(SUBJECT)
    begun = time.monotonic()
    process = start(folder, "generate", "subject.py")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    return time.monotonic() - begun, count(out)


def count(out: str) -> int:
    return sum(int(number) for number in re.findall(r"cases (\d+),", out))


def signalled(folder: Path, after: float, number: int) -> tuple[Result, float]:
    """The result of a run that got the signal, and how long it then took; one that had ended before has no delay."""
    (folder / "subject.py").write_text(SUBJECT)
    with no_process_left():
        process = start(folder, "generate", "subject.py")
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        sent = time.monotonic()
        out, err = process.communicate(timeout=60)
        return checked(process.returncode, out, err), time.monotonic() - sent


def check_ended(folder: Path, result: Result, seconds: float, allowed: float) -> None:
    assert result.code in (0, 130), result
    assert seconds < allowed, (seconds, result)
    found = count(result.out)
    if found:
        assert written(folder) == {"subject.py", "test_subject_generated.py"}, result
        assert int(pytest_passes(folder, "test_subject_generated.py").split()[0]) == found
    else:
        assert written(folder) == {"subject.py"}
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_one_request_ends_a_run_with_what_was_found(tmp_path: Path, share: float) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "run").mkdir()
    whole, _ = whole_run(tmp_path / "whole")
    result, seconds = signalled(tmp_path / "run", share * whole, signal.SIGINT)
    check_ended(tmp_path / "run", result, seconds, LONGEST_END * machine_load() + 1)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "moments"), [(signal.SIGINT, 30), (signal.SIGTERM, 10)])
def test_at_many_moments(tmp_path: Path, number: int, moments: int) -> None:
    (tmp_path / "whole").mkdir()
    whole, _ = whole_run(tmp_path / "whole")
    # The interpreter itself takes a moment to come as far as the first line of the program.
    begin = 0.05 * machine_load()
    ends = []
    for moment in range(moments):
        folder = tmp_path / f"run{moment}"
        folder.mkdir()
        after = begin + (whole - begin) * moment / moments
        result, seconds = signalled(folder, after, number)
        check_ended(folder, result, seconds, LONGEST_END * machine_load() + 1)
        ends.append((round(after, 2), result.code, count(result.out), round(seconds, 2)))
    print(f"a whole run took {whole:.1f} s; after, exit code, tests, seconds to the end: {ends}")
    assert sum(code == 130 for _, code, _, _ in ends) >= moments // 2


def children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    except OSError:
        return found
    return [*found, *(below for child in found for below in children(child))]


def with_workers_killed(folder: Path, moments: list[float]) -> tuple[Result, int]:
    """The result of a run that lost one of its processes at each moment, and how many it really lost."""
    (folder / "subject.py").write_text(SUBJECT)
    killed = 0
    begun = time.monotonic()
    process = start(folder, "generate", "subject.py")
    for number, moment in enumerate(moments):
        while time.monotonic() - begun < moment and process.poll() is None:
            time.sleep(0.01)
        below = children(process.pid)
        if below:
            try:
                os.kill(below[number % len(below)], signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
    out, err = process.communicate(timeout=120)
    return checked(process.returncode, out, err), killed


@pytest.mark.slow
def test_processes_that_are_killed_lose_no_test(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "run").mkdir()
    whole, tests = whole_run(tmp_path / "whole")
    result, killed = with_workers_killed(tmp_path / "run", [whole * (n + 1) / 12 for n in range(10)])
    assert killed >= 8
    assert result.code == 0, result
    assert count(result.out) == tests
    texts = [(tmp_path / run / "test_subject_generated.py").read_text() for run in ("whole", "run")]
    assert texts[0] == texts[1]
