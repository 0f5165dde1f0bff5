"""`everypath reach FILE:LINE`: the shortest test that executes a line, or why there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everypath.generate.reach import reach
from everypath.languages.every import language_of
from everypath.options import Limits, Options
from everypath.planning.plan import Shares

from .command import everypath

CODE = """\
def _discount(total: int, code: str) -> int:
    if code == "HALF" and total > 100:
        return total // 2
    if total < 0 and total > 10:
        return -1
    return total


class Cart:
    def __init__(self) -> None:
        self.prices: list[int] = []

    def add(self, price: int) -> None:
        if price < 0:
            raise ValueError("negative")
        self.prices.append(price)


def quick(price: int, code: str) -> int:
    if price == 0:
        return 0
    return _discount(price, code)


def positive(price: int, code: str) -> int:
    if price <= 100:
        return 0
    return quick(price, code)


def _forgotten(n: int) -> int:
    return n
"""


def test_a_private_function_is_reached_through_a_public_one(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(CODE)
    result = everypath(tmp_path, "reach", "shop.py:3", "-o", "test_it.py")
    assert result.code == 0
    assert "shop.py:3: reached through 1 call from quick, in 4 lines" in result.said
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_it.py"], cwd=tmp_path, capture_output=True)
    assert run.returncode == 0
    assert 'quick(101, "HALF")' in (tmp_path / "test_it.py").read_text()


def test_longer_chains_are_tried_where_the_user_starts(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(CODE)
    result = everypath(tmp_path, "reach", "shop.py:3", "--from", "shop.py::positive")
    assert result.code == 0 and "through 2 calls from positive" in result.said
    # What one caller excludes is no proof for the others.
    result = everypath(tmp_path, "reach", "shop.py:21", "--from", "shop.py::positive")
    assert result.code == 1 and "no entry reaches it within --loops 1: proved for positive" in result.said


def test_a_line_that_no_arguments_reach(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(CODE)
    result = everypath(tmp_path, "reach", "shop.py:5")
    assert result.code == 1
    assert "no entry reaches it within --loops 1: _discount excludes it whatever its arguments are" in result.said


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ("shop.py:7", "line 7 is no code that a function executes; the nearest lines that are: 6 and 11"),
        ("shop.py", "'shop.py' is not FILE:LINE"),
        ("shop.py:0", "'shop.py:0' is not FILE:LINE"),
        ("shop.py:32", "no call leads from the targets to this point"),
        ("nothing.py:3", "nothing.py"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, point: str, said: str) -> None:
    (tmp_path / "shop.py").write_text(CODE)
    result = everypath(tmp_path, "reach", point)
    assert result.code == 2
    assert said in result.said


LOOPS = """\
import ast


def third(xs: list[int]) -> bool:
    n = 0
    for x in xs:
        if x > n:
            n += 1
        if n == 3:
            return True
    return False


def names(text: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            found.append(node.id)
    return found


def never(n: int) -> int:
    while n > 0:
        n -= 1
    if n > 3:
        return 1
    return 0
"""


def test_bounds_are_raised_and_what_cannot_be_followed_is_run(tmp_path: Path) -> None:
    (tmp_path / "far.py").write_text(LOOPS)
    result = everypath(tmp_path, "reach", "far.py:10")
    assert result.code == 0 and "--loops 3" in result.out
    result = everypath(tmp_path, "reach", "far.py:18", "--time", "20")
    assert result.code == 0 and "names(" in result.out
    result = everypath(tmp_path, "reach", "far.py:26")
    assert result.code == 1 and "no entry reaches it within --loops 3" in result.said


def test_entries_without_time_prove_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "late.py"
    file.write_text(
        "def _deep(x: int) -> int:\n    if x > 5:\n        return 1\n    return 0\n\n\n"
        "def never(x: int) -> int:\n    return _deep(-1)\n\n\n"
        "def always(x: int) -> int:\n    return _deep(x)\n"
    )
    options = Options(limits=Limits(time=5), total_time=20, validate=False)
    times = iter((5.0,))
    monkeypatch.setattr(Shares, "seconds", lambda self, left: next(times, 0.0))
    monkeypatch.setattr("everypath.generate.reach._run", lambda *_: None)
    found = reach(str(file), 3, (), options, language_of(str(file)))
    assert found.skipped and not found.infeasible
