"""The law: every way through a random program that brute force sees is a case, or the result names what cut it.

And every test that is written passes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.judging import Verdict, judge
from tests.fuzz.programs import Program, program
from tests.fuzz.shrinking import shrunk
from tests.fuzz.statements import block

BATCH = 50
EXCUSED = 0.4
"""The share of ways that bounds and what is not followed may keep out; more, and the law would say little."""


def _hold(seeds: range, folder: Path) -> None:
    total = Verdict()
    for start in range(seeds.start, seeds.stop, BATCH):
        batch = [program(seed, block) for seed in range(start, min(start + BATCH, seeds.stop))]
        total.add(judge(batch, folder / f"from_{start}"))
    print(
        f"{total.programs} programs, {total.cases} cases, {total.ways} ways, {total.covered} covered, {total.excused}"
    )
    assert not total.wrong, _report(total, folder)
    assert total.covered >= (1 - EXCUSED) * total.ways > 0


def _report(total: Verdict, folder: Path) -> str:
    """The first failure made small, and the seeds of all."""
    seed, problems = next(iter(total.wrong.items()))
    tries = iter(range(10_000))

    def fails(candidate: Program) -> bool:
        return bool(judge([candidate], folder / f"shrinking_{next(tries)}").wrong)

    small = shrunk(program(seed, block), fails)
    again = judge([small], folder / "shrunk").wrong.get(seed, problems)
    return f"seeds {sorted(total.wrong)}; {seed} made small:\n{small.source}\n" + "\n".join(again[:3])


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_every_way_is_a_case_or_named(start: int, tmp_path: Path) -> None:
    _hold(range(start, start + 100), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 6000, 500))
def test_every_way_of_many_programs_is_a_case_or_named(start: int, tmp_path: Path) -> None:
    _hold(range(start, start + 500), tmp_path)


def test_the_law_can_be_broken(tmp_path: Path) -> None:
    """A program that has a way beyond what its types declare shows that a missing way is noticed."""
    source = "def f(a: bool) -> int:\n    if a == 6:\n        return 1\n    return 2\n"
    assert judge([Program(1, source, (("a", "int"),))], tmp_path).wrong
