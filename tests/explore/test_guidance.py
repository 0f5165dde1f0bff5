"""Guided search: it finds what an unguided one finds of what is wanted, and explores less."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from everypath.errors import BadInput
from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.explore.search.guidance.raising import Raising
from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.languages.every import language_of
from everypath.options import Limits, Options

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAPS = ("solver", "lazy", "noalias")


def explored(target: str, select: str = "all", heap: str = "solver", loops: int = 1) -> Run:
    options = Options(limits=Limits(loops=loops), heap=heap, select=select, validate=False)
    return generate([target], options)


@pytest.mark.parametrize("heap", HEAPS)
def test_the_examples_of_the_paper(papers: Path, heap: str) -> None:
    """Examples 6, 11 and 14 of "Test Case Generation by Symbolic Execution"."""
    lcm, simplify = str(papers / "lcm.py::lcm"), str(papers / "rational.py::Rational.simplify")
    assert len(explored(lcm, heap=heap).cases) == 9
    assert len(explored(lcm, "local-paths", heap).cases) == 3
    assert len(explored(simplify, "local-paths", heap).cases) == 2
    (case,) = explored(lcm, "points:lcm.py:26,lcm.py:28", heap).cases
    assert [argument[1].value for argument in case.inputs.arguments] == [0, 0]  # type: ignore[attr-defined]


def chain(calls: int) -> str:
    helpers = (
        "def way(x: int) -> int:\n    if x < 0:\n        return 1\n    if x == 0:\n        return 2\n    return 3\n"
    )
    params = ", ".join(f"x{n}: int" for n in range(calls))
    body = "".join(f"    total += way(x{n})\n" for n in range(calls))
    return f"{helpers}\n\ndef chain({params}) -> int:\n    total = 0\n{body}    return total\n"


@pytest.mark.parametrize("select", ["local-paths", "branches", "statements", "points"])
def test_a_chain_of_helpers_takes_states_in_proportion_to_its_length(tmp_path: Path, select: str) -> None:
    states = []
    for calls in range(2, 9):
        (tmp_path / "chain.py").write_text(chain(calls))
        goal = f"points:chain.py:{11 + calls}" if select == "points" else select
        run = explored(f"{tmp_path}/chain.py::chain", goal)
        states.append(run.suites[0].stats.states)
        assert all(each.verdict == "covered" for each in run.suites[0].wanted)
    growth = [after - before for before, after in pairwise(states)]
    # A straight line, where the unguided search has three times as many states with each call.
    assert len(set(growth)) == 1 and 0 < growth[0] <= 4


@pytest.mark.parametrize("program", ["structures/search_tree", "structures/node_sequence", "intervals"])
def test_the_same_branches_with_no_more_states(program: str) -> None:
    target = str(EXAMPLES / f"{program}.py")
    everything, guided = explored(target), explored(target, "branches")
    few = {suite.target: suite for suite in guided.suites}
    for suite in everything.suites:
        mine = few[suite.target]
        assert {b for c in mine.cases for b in c.covers} >= {b for c in suite.cases for b in c.covers}
        assert mine.stats.states <= suite.stats.states
    assert sum(s.stats.states for s in guided.suites) < sum(s.stats.states for s in everything.suites)


VERDICTS = """\
def never(x: int, n: int) -> int:
    if x > 3:
        if x < 2:
            return 1
    while n > 0:
        n -= 1
        if n > 100 and x == n + 200 and n < 0:
            return 2
    return x


def twice(n: int) -> int:
    seen = 0
    while n > 0:
        n -= 1
        seen += 1
        if seen == 3:
            return 3
    return seen


def fixed(xs: list[int]) -> int:
    return [].__sizeof__() if xs else 0


def other(x: int) -> int:
    return x
"""


def test_each_wanted_item_is_accounted_for(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(VERDICTS)

    def verdicts(function: str, *lines: int) -> list[tuple[str, str]]:
        points = ",".join(f"sample.py:{line}" for line in lines)
        (suite,) = explored(f"{tmp_path}/sample.py::{function}", f"points:{points}").suites
        assert suite.stats.traces
        return [(each.verdict, each.reason.partition(" ")[0]) for each in suite.wanted]

    assert verdicts("never", 4, 9) == [("infeasible", ""), ("covered", "")]
    # A second iteration might lead there: only the bound is sure to exclude it.
    assert verdicts("twice", 18) == [("infeasible", "within")]
    (suite,) = explored(f"{tmp_path}/sample.py::twice", "points:sample.py:18", loops=3).suites
    assert [(each.verdict, bool(each.case)) for each in suite.wanted] == [("covered", True)]


def test_points_that_cannot_be_meant(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(VERDICTS)
    with pytest.raises(BadInput, match="line 11 is no code that a function executes; the nearest lines that are: 9"):
        explored(f"{tmp_path}/sample.py::never", "points:sample.py:11")
    with pytest.raises(BadInput, match="is no file of the targets"):
        explored(f"{tmp_path}/sample.py::never", "points:simple.py:3")
    with pytest.raises(BadInput, match="no call leads from the targets to this point"):
        explored(f"{tmp_path}/sample.py::never", "points:sample.py:27")
    run = explored(f"{tmp_path}/sample.py", "points:sample.py:27")
    assert [case.entry.name for case in run.cases] == ["other"]
    assert "never: no call leads from here to any of the points" in [
        p.message for row in run.rows for p in row.problems
    ]


INDIRECT = """\
class Doubler:
    def __init__(self, by: int) -> None:
        self.by = by

    def __add__(self, other: int) -> int:
        if other > self.by:
            return 2 * other
        return self.by


def through_operator(d: Doubler, x: int) -> int:
    return d + x


def key(x: int) -> int:
    if x < 0:
        return -x
    return x


def through_value(x: int, first: bool) -> int:
    use = key if first else abs
    return use(x)


def gives(n: int):
    if n > 1:
        yield 1
    yield 2


def through_generator(n: int) -> int:
    total = 0
    for x in gives(n):
        total += x
    return total
"""


@pytest.mark.parametrize("function", ["through_operator", "through_value", "through_generator"])
def test_code_that_no_call_names_is_covered_too(tmp_path: Path, function: str) -> None:
    (tmp_path / "sample.py").write_text(INDIRECT)
    target = f"{tmp_path}/sample.py::{function}"
    everything, guided = explored(target, loops=3), explored(target, "branches", loops=3)
    wanted = {branch for case in everything.cases for branch in case.covers}
    assert wanted and {branch for case in guided.cases for branch in case.covers} == wanted


SAFE = """\
class Box:
    def __init__(self, size: int) -> None:
        self.size = size


def helper(x: int) -> int:
    return x + 1


def strict(x: int) -> int:
    if x < 0:
        raise ValueError
    return x


def sample(b: Box, x: int, y: int, t: str, o: Box | None) -> int:
    s = x * y - b.size
    s = s // 2
    s += helper(x)
    if t == "a":
        s = x // y
    s += strict(x)
    return s + o.size
"""


def test_what_cannot_raise_is_told_by_types(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SAFE)
    target = f"{tmp_path}/sample.py::sample"
    loaded = language_of(target).loader(Options())(target)
    subject = loaded.subject(loaded.entries[0])
    calls = CallGraph(subject.program, subject.semantics.runs_by_operation)
    places = Raising(subject.program, calls).raising(subject.method)
    blocks = subject.method.blocks
    lines = {(*blocks[n].instructions, blocks[n].terminator)[at].span.line for n, at in places}
    assert lines == {21, 22, 23}


STOPPED = """\
def size(n: int) -> int:
    if n > 7:
        return 3
    elif n > 5:
        return 2
    elif n > 3:
        return 1
    return 0


def stopped(n: int) -> int:
    try:
        found = size(n)
        open(f"{found}")
        if n == 1:
            return 5
    finally:
        n += 1
    return n
"""


@pytest.mark.parametrize("select", ["local-paths", "branches", "statements"])
def test_a_path_that_stops_behind_a_call_is_lost_where_it_stopped(tmp_path: Path, select: str) -> None:
    """The search last chose a way inside the call, whose blocks are not those of the caller."""
    (tmp_path / "stopped.py").write_text(STOPPED)
    run = explored(f"{tmp_path}/stopped.py::stopped", select)
    assert not run.defective and not run.unusable
    (suite,) = run.suites
    assert [problem.kind for problem in suite.stats.unsupported] == ["unsupported"]
    missing = [each for each in suite.wanted if each.verdict != "covered"]
    assert missing and all(each.verdict == "not reached" for each in missing)


@pytest.mark.parametrize("select", ["statements", "points:fixed.py:5"])
def test_what_other_values_might_reach_is_not_called_infeasible(tmp_path: Path, select: str) -> None:
    """Where a few values are tried in place of all, a line that none of them reaches is not excluded."""
    (tmp_path / "fixed.py").write_text(
        "def last(text: str) -> str:\n"
        "    if not text:\n        return text\n"
        "    if text.expandtabs() == 'the quick brown fox':\n        return 'jumps'\n"
        "    if len(text) < 0:\n        return 'never'\n    return text\n"
    )
    [suite] = explored(f"{tmp_path}/fixed.py::last", select).suites
    found = {each.item.rpartition(":")[2]: each for each in suite.wanted}
    assert found["5"].verdict == "not reached"
    assert found["5"].reason == "only some values were tried: str.expandtabs() needs known values"
