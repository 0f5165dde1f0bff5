"""Where the solver gives up on one side of a condition, the path goes on with the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from everypath.errors import SolverUnknown
from everypath.generate.run import generate
from everypath.logic.decider import Decider
from everypath.logic.terms import Term
from everypath.options import Options

SOURCE = """
def f(a: int, b: int) -> int:
    if a * a * b - 7 * b * b == 918_273:
        return 1
    if a > 3:
        return 2
    return 3


def g(x: float, y: float) -> float:
    return 1.0 / (x * x * y - 7 * y * y - 918.273)
"""


def give_up(decider: Decider, constraints: Sequence[Term]) -> NoReturn:
    raise SolverUnknown("no idea")


def test_the_side_that_is_possible_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Decider, "solution", give_up)
    path = tmp_path / "hard.py"
    path.write_text(SOURCE, encoding="utf-8")
    branching, dividing = generate([f"{path}::f", f"{path}::g"], Options()).suites
    assert branching.stats.unknown == dividing.stats.unknown == 1
    assert [len(suite.cases) for suite in (branching, dividing)] == [2, 1]
    assert all(case.validated for suite in (branching, dividing) for case in suite.cases)
    assert [problem.line for suite in (branching, dividing) for problem in suite.problems] == [3, 11]
