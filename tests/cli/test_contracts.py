"""Contracts of icontract and deal: tests keep the preconditions, and every planted violation is found."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .command import everypath

ICONTRACT = """\
import icontract
from icontract import ensure, require


def small(x: int) -> bool:
    return x < 1000


@require(lambda x: x > 0)
@require(small)
@ensure(lambda x, result: result > x)
def grow(x: int) -> int:
    if x > 100:
        return x - 1
    return x + 1


def careless(n: int) -> int:
    if n > 5:
        return grow(n - 10)
    return 0


def careful(n: int) -> int:
    if 0 < n < 50:
        return grow(n)
    return 0


@icontract.invariant(lambda self: self.balance >= 0)
class Account:
    def __init__(self, balance: int) -> None:
        self.balance = abs(balance)

    def take(self, amount: int) -> None:
        if amount < 3:
            return
        self.balance -= amount

    def give(self, amount: int) -> None:
        if amount > 0:
            self.balance += amount
"""
DEAL = """\
import deal


@deal.pre(lambda a, b: b != 0)
@deal.post(lambda r: r >= 0)
def ratio(a: int, b: int) -> int:
    if a > 10:
        return a * b
    return abs(a // b)


@deal.pre(lambda _: _.n > 0)
@deal.ensure(lambda n, result: result > n)
def up(n: int) -> int:
    return n + 1 if n != 7 else 7


def careless(x: int) -> int:
    if x == 0:
        return 0
    return ratio(x, x - 4)
"""
EXPECTED = {
    "icontract": (ICONTRACT, {("grow", 11), ("careless", 9), ("careless", 10), ("careless", 11), ("Account.take", 30)}),
    "deal": (DEAL, {("ratio", 5), ("up", 13), ("careless", 4)}),
}


@pytest.mark.parametrize("library", EXPECTED)
def test_planted_violations_are_found_and_promises_are_kept(tmp_path: Path, library: str) -> None:
    pytest.importorskip(library)
    code, expected = EXPECTED[library]
    (tmp_path / "sample.py").write_text(code)
    result = everypath(tmp_path, "generate", "sample.py", "--format", "json")
    document = json.loads(result.out)
    assert result.code == 1
    assert not [p for p in document["problems"] if p["kind"] != "note"]
    found = {
        (re.sub(r".*::|#\d+", "", case), finding["line"])
        for finding in document["findings"]
        for case in finding["cases"]
        if finding["kind"] == "contract"
    }
    assert found == expected
    for case in document["cases"]:
        given = case["inputs"]["arguments"]
        assert case["entry"]["name"] != "grow" or 0 < given["x"] < 1000
        assert case["entry"]["name"] != "ratio" or given["b"] != 0
        assert case["entry"]["name"] != "up" or given["n"] > 0
        for state in case["inputs"]["heap"].values():
            assert state["fields"].get("balance", 0) >= 0 and state["fields"].get("size", 1) > 0


def test_the_tests_pass(tmp_path: Path) -> None:
    pytest.importorskip("icontract")
    (tmp_path / "sample.py").write_text(ICONTRACT)
    everypath(tmp_path, "generate", "sample.py")
    run = subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_a_contract_that_cannot_be_followed_is_told(tmp_path: Path) -> None:
    pytest.importorskip("icontract")
    (tmp_path / "sample.py").write_text(
        "import icontract\nfrom operator import not_\n\n\n"
        "@icontract.require(not_)\ndef odd(x: int) -> int:\n    return x\n"
    )
    result = everypath(tmp_path, "generate", "sample.py")
    assert "sample.py:5: unsupported: decorator @icontract.require(not_) on odd is not supported" in result.said
