"""The law: every way through a random program that brute force sees is a case, or the result names what cut it.

And every test that is written passes.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.fuzz.everyday import EVERYDAY
from tests.fuzz.judging import Verdict, judge
from tests.fuzz.numbers import NUMBERS
from tests.fuzz.programs import Program, Vocabulary, program
from tests.fuzz.rich import RICH
from tests.fuzz.shrinking import shrunk
from tests.fuzz.statements import ORDINARY

BATCH = 50
EXCUSED = 0.4
"""The share of ways that bounds and what is not followed may keep out; more, and the law would say little."""


WORDS = {"ordinary": ORDINARY, "rich": RICH, "numbers": NUMBERS, "everyday": EVERYDAY}


def _hold(words: Vocabulary, seeds: range, folder: Path) -> None:
    total = Verdict()
    for start in range(seeds.start, seeds.stop, BATCH):
        batch = [program(seed, words) for seed in range(start, min(start + BATCH, seeds.stop))]
        total.add(judge(batch, folder / f"from_{start}"))
    print(
        f"{total.programs} programs, {total.cases} cases, {total.ways} ways, {total.covered} covered, {total.excused}"
    )
    assert not total.wrong, _report(words, total, folder)
    assert total.covered >= (1 - EXCUSED) * total.ways > 0


def _report(words: Vocabulary, total: Verdict, folder: Path) -> str:
    """The first failure made small, and the seeds of all."""
    seed, problems = next(iter(total.wrong.items()))
    tries = iter(range(10_000))

    def fails(candidate: Program) -> bool:
        try:
            return bool(judge([candidate], folder / f"shrinking_{next(tries)}").wrong)
        except AssertionError:
            return False  # what is left of the program cannot be imported

    small = shrunk(program(seed, words), fails)
    again = judge([small], folder / "shrunk").wrong.get(seed, problems)
    return f"seeds {sorted(total.wrong)}; {seed} made small:\n{small.source}\n" + "\n".join(again[:3])


@pytest.mark.parametrize("words", WORDS)
def test_every_way_is_a_case_or_named(words: str, tmp_path: Path) -> None:
    _hold(WORDS[words], range(100), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("start", range(1000, 3000, 250))
def test_every_way_of_many_programs_is_a_case_or_named(start: int, words: str, tmp_path: Path) -> None:
    _hold(WORDS[words], range(start, start + 250), tmp_path)


def test_programs_that_once_failed_do_not(tmp_path: Path) -> None:
    sections = Path(__file__).with_name("found.txt").read_text(encoding="utf-8").split("### ")[1:]
    sources = [section.partition("\n")[2] for section in sections]
    wrong = judge([Program(n, source, _parameters(source)) for n, source in enumerate(sources)], tmp_path).wrong
    assert not wrong, [(sources[seed], problems) for seed, problems in wrong.items()]


def _parameters(source: str) -> tuple[tuple[str, str], ...]:
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == "f")
    return tuple((each.arg, ast.unparse(each.annotation)) for each in function.args.args if each.annotation)


def test_the_law_can_be_broken(tmp_path: Path) -> None:
    """A program that has a way beyond what its types declare shows that a missing way is noticed."""
    source = "def f(a: bool) -> int:\n    if a == 6:\n        return 1\n    return 2\n"
    assert judge([Program(1, source, (("a", "int"),))], tmp_path).wrong
