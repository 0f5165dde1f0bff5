"""Code of the library that runs for real, huge values, and runs over many functions: bounded, and told."""

from __future__ import annotations

import os
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
    result = everypath(tmp_path, "generate", f"heavy.py::{name}", "--time", "12", "--memory", "256")
    assert result.code == 0, result
    assert said in result.said
    assert f"heavy.py::{name}: cases 1," in result.out


def measured(folder: Path, count: int) -> tuple[Result, float, int]:
    """A run over so many small functions: its result, seconds of computing, and the most kilobytes it had."""
    lines = ["class P:", "    def __init__(self, x: int) -> None:", "        self.x = x", ""]
    for n in range(count):
        lines += [f"def f{n}(s: str, p: P, q: P) -> int:", f"    if s.startswith('a{n}') and p.x > q.x + {n}:"]
        lines += ["        q.x = 1", "        return p.x", f"    return {n}", ""]
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
    assert found[-1][1] < 2 * found[0][1]
