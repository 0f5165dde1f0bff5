"""`--compositional` and `show --summary`, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Result, everypath

PAPERS = Path(__file__).parents[2] / "examples" / "papers"


def run(*arguments: str) -> Result:
    """Run a command among the papers' programs."""
    return everypath(PAPERS, *arguments)


SIMPLIFY = f"{PAPERS / 'rational.py'}::Rational.simplify"


@pytest.mark.parametrize("heap", ["solver", "lazy", "noalias"])
def test_the_summary_of_simplify_is_table_1(heap: str) -> None:
    """Table 1 of "Test Case Generation by Symbolic Execution", its rows in another order."""
    shown = run("show", "--summary", SIMPLIFY, "--heap", heap)
    assert shown.code == 0
    head, *cases = shown.out.split("\ncase ")
    assert head == "rational.Rational.simplify(self): 5 cases"
    rows = [" ".join(line.strip() for line in case.splitlines()[1:5]) for case in cases]
    assert [" ".join(row.split()) for row in rows] == [
        # G > 0, F mod G = 0, M = F / G
        "input heap self -> Rational(n=self.n, d=self.d) condition self.d != 0, self.n % self.d == 0, self.d >= 0 "
        "output heap self.n = self.n // self.d, self.d = 1 outcome returns None",
        # G < 0, F mod G = 0, K = -G, M = F / K, N = G / K
        "input heap self -> Rational(n=self.n, d=self.d) condition self.d != 0, self.n % self.d == 0, self.d < 0 "
        "output heap self.n = self.n // -self.d, self.d = self.d // -self.d outcome returns None",
        # 0 / 0: exc(B)
        "input heap self -> Rational(n=0, d=0) outcome raises ZeroDivisionError",
        # F > 0
        "input heap self -> Rational(n=self.n, d=0) condition self.n >= 0, self.n != 0 "
        "output heap self.n = 1, self.d = 0 outcome returns None",
        # F < 0, N = -F, M = F / N
        "input heap self -> Rational(n=self.n, d=0) condition self.n < 0 "
        "output heap self.n = self.n // -self.n, self.d = 0 outcome returns None",
    ]
    assert shown.out.rstrip().endswith("in no case: 1 (the bound on loop)")


def test_what_to_show_must_be_said_once() -> None:
    assert "--summary" in run("show", SIMPLIFY).err
    assert run("show", "--ir", "--summary", SIMPLIFY).code == 2


@pytest.mark.parametrize("target", [f"{PAPERS / 'lcm.py'}::lcm", SIMPLIFY])
def test_compositional_tests_are_those_of_inlining(target: str) -> None:
    found = []
    for way in ("--compositional", "--inlined"):
        made = json.loads(run("generate", target, way, "--format", "json").out)
        assert all(case["validated"] for case in made["cases"])
        found.append([(case["inputs"], case["expected"], case["trace"]) for case in made["cases"]])
    assert found[0] == found[1]
