"""Code of the library that runs for real, huge values, and runs over many functions: bounded, and told."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .command import Result, everypath, start

HEAVY = """\
import re
from decimal import Decimal


def backtracking(n: int) -> bool:
    if n > 3:
        return re.match("(a+)+$", "a" * 40 + "b") is not None
    return False


def deaf_to_signals(n: int) -> int:
    if n > 3:
        return int(Decimal("1e999999")) % 7
    return n


def products(n: int) -> int:
    if n > 3:
        x = 3
        for _ in range(60):
            x = x * x
        return x
    return n


def doubled(n: int) -> int:
    xs = [n]
    if n > 3:
        while xs:
            xs = xs + xs
    return n


def filled(n: int) -> str:
    return f"{n:>1000000000}" if n > 3 else "-"
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("backtracking", "heavy.py:7: cut: re.match() alone takes longer than 2 seconds"),
        ("deaf_to_signals", "heavy.py:13: cut: int() alone takes longer than 2 seconds"),
        ("products", "cut: an operation alone takes longer than 2 seconds"),
        ("doubled", "cut: exploring takes more than it may; raise --memory"),
        ("filled", "cut: exploring takes more than it may; raise --memory"),
    ],
)
def test_one_operation_costs_its_path_and_nothing_else(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "heavy.py").write_text(HEAVY)
    result = everypath(tmp_path, "generate", f"heavy.py::{name}", "--time", "12", "--memory", "256", "--predicted-only")
    assert result.code == 0, result
    assert said in result.said
    assert f"heavy.py::{name}: cases 1," in result.out


def test_objects_that_take_each_other_are_made_in_no_more_ways_than_are_tried(tmp_path: Path) -> None:
    lines = ["class Op:", "    def __init__(self) -> None:", "        self._left = 3", ""]
    for n in range(30):
        lines += [f"class Op{n}(Op):", "    def __init__(self, first: Op, second: Op, third: Op) -> None:"]
        lines += ["        self.first, self.second, self._left = first, second, third._left + 1", ""]
        lines += ["    def take(self, n: int) -> None:", "        self._left = max(self._left - n, 1)", ""]
    lines += ["def each(op: Op, other: Op) -> int:", "    return 100 // op._left", ""]
    (tmp_path / "ops.py").write_text("\n".join(lines))
    process = start(tmp_path, "generate", "ops.py::each", "--time", "5", "--unreached")
    told = process.stdout.read() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0 and "not known to be within callers' reach: Op._left" in told, told
    # All ways to make two objects are some 10**15.
    assert used.ru_utime + used.ru_stime < 15


def measured(folder: Path, count: int) -> tuple[Result, float, int]:
    """A run over so many small functions: its result, seconds of computing, and the most kilobytes it had."""
    lines = []
    for n in range(count):
        # A condition that only the solver decides.
        lines += [f"def f{n}(s: str, x: int, y: int) -> int:", "    if x * x + y * y == 25 and x > y > 1:"]
        lines += ["        return x", f"    return {n} if s.startswith('a{n}') else y", ""]
    name = f"many{count}"
    (folder / f"{name}.py").write_text("\n".join(lines))
    process = start(folder, "generate", f"{name}.py", "-o", f"test_{name}.py")
    out = process.stdout.read() if process.stdout else ""
    err = process.stderr.read() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    return Result(os.waitstatus_to_exitcode(status), out, err), used.ru_utime + used.ru_stime, used.ru_maxrss


def test_memory_does_not_grow_with_the_number_of_functions(tmp_path: Path) -> None:
    few, _, small = measured(tmp_path, 10)
    many, _, large = measured(tmp_path, 60)
    assert few.code == many.code == 0
    # It was four megabytes for each function that asked the solver.
    assert large - small < 40_000


@pytest.mark.slow
def test_time_is_linear_in_the_number_of_functions(tmp_path: Path) -> None:
    from math import log

    counts = [50, 125, 250, 500]
    found = []
    for count in counts:
        begun = time.monotonic()
        result, seconds, memory = measured(tmp_path, count)
        assert result.code == 0 and f"many{count}.py::f{count - 1}: cases" in result.out
        found.append((seconds, memory))
        print(f"{count} functions: {seconds:.2f} s computed, {time.monotonic() - begun:.1f} s passed, {memory} KB")
    xs = [log(count) for count in counts]
    ys = [log(seconds) for seconds, _ in found]
    mean_x, mean_y = sum(xs) / 4, sum(ys) / 4
    exponent = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)
    print(f"exponent {exponent:.2f}")
    assert exponent < 1.15
    # Twice as many functions need next to no more memory.
    assert found[-1][1] - found[-2][1] < 20_000


SMALL = "def f(x: int) -> int:\n    return 1 if x > 3 else 2\n"


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e400", "-1", "-inf"])
def test_times_that_are_no_times(tmp_path: Path, seconds: str) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    for option in ("--time", "--total-time", "--case-seconds"):
        result = everypath(tmp_path, "generate", "small.py", option, seconds)
        assert result.code == 2 and option in result.err, result
    result = everypath(tmp_path, "race", "small.py", "--time", seconds)
    assert result.code == 2 and "--time" in result.err, result


def test_an_output_behind_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for form, output in [("pytest", "a"), ("pytest", "a/"), ("pytest", "a/test_x.py"), ("json", "a"), ("json", "a/x")]:
        result = everypath(tmp_path, "generate", "small.py", "--format", form, "-o", output)
        assert result.code == 2 and "loop of links" in result.err, result


def test_closed_streams(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    command = f"{sys.executable} -m everypath generate small.py"
    for closed, code in [(">&-", 0), (">&- 2>&-", 0), ("<&- >&- 2>&-", 0), ("--format json >&-", 2)]:
        (tmp_path / "test_small_generated.py").unlink(missing_ok=True)
        done = subprocess.run(f"{command} {closed}", shell=True, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        assert done.returncode == code, done
        assert "Traceback" not in done.stderr
        assert ("standard output is closed" in done.stderr) == (code == 2)
        assert (tmp_path / "test_small_generated.py").exists() == (code == 0)
    reading = subprocess.run(f"{command} | head -1", shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert reading.stderr == "" and reading.stdout.count("\n") == 1


def test_a_suite_cannot_allow_side_effects(tmp_path: Path) -> None:
    source, made = tmp_path / "small.py", tmp_path / "made"
    source.write_text(SMALL)
    everypath(tmp_path, "generate", "small.py", "--allow-io")
    assert '"allow_io",true' in (tmp_path / ".everypath" / "small.py--f.json").read_text()
    source.write_text(f"def f(x: int) -> int:\n    open({str(made)!r}, 'w').close()\n    return 1 if x > 3 else 2\n")
    refused = everypath(tmp_path, "replay", "small.py::f")
    assert not made.exists()
    assert "which a file cannot grant" in refused.err
    everypath(tmp_path, "replay", "small.py::f", "--allow-io")
    assert made.exists()


def test_a_file_that_is_edited_meanwhile(tmp_path: Path) -> None:
    source = tmp_path / "small.py"
    source.write_text(SMALL + "".join(SMALL.replace("f(", f"f{n}(") for n in range(200)))
    process = start(tmp_path, "generate", "small.py")
    while not (tmp_path / ".everypath").exists() and process.poll() is None:
        time.sleep(0.01)
        # As editors save: there is always a whole file.
        (tmp_path / "saved").write_text(source.read_text() + "# edited\n")
        (tmp_path / "saved").replace(source)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2, out + err
    assert "small.py: edited: was edited while it was being tested" in out + err


def test_escape_codes_do_not_reach_the_terminal(tmp_path: Path) -> None:
    name = "a\x1b[31m\x07b.py"
    (tmp_path / name).write_text(SMALL)
    for arguments in (
        ("generate", name),
        ("generate", f"{name}::\x1b[2Jg"),
        ("generate", "\x1b]0;x\x07.py"),
        ("race", name),
    ):
        result = everypath(tmp_path, *arguments)
        assert not {"\x1b", "\x07"} & set(result.said), repr(result.said)
