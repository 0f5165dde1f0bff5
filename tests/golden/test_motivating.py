"""The motivating example of "Coverage-Driven Test Code Generation for Concurrent Classes" (Figures 4, 6 and 9).

Most tests run the class under a line tracer of their own: a line's comment says which access it is, so the traces
are the paper's own words. Augmented assignment is one access, and `synchronized` methods show no lock, as printed.
The last ones do the same with the real instrumentation, and let the real search find the faults.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from everypath.race.running import SHARED, Call
from everypath.race.search.call_runner import job
from everypath.race.search.coverage import Coverage, Reached, better, redundant
from everypath.race.search.sequences import Extension, Found, KnownEffects, Rule, Saturated, SearchOptions, generate
from tests.cli.command import everypath
from tests.conftest import ROOT
from tests.race.definitions import improvement, sequential_coverage

CALLS = [
    Call(source.partition("(")[0], f"{SHARED}.{source}")
    for source in ("m1(-1)", "m1(1)", "m2(0)", "m3(10)", "m5()", "m6(B())", "m7()")
]
DELTA_1 = ("m5()", "m2(0)", "m7()", "m1(1)")
DELTA_2 = ("m3(10)", "m7()", "m5()")
DELTA_3 = ("m7()", "m5()", "m3(10)")
FIGURE_4 = {
    DELTA_1: ("->m5 a6 a7 <-m5", "->m2 a2 <-m2", "->m7 a8 a9 <-m7", "->m1 a1 <-m1"),
    DELTA_2: ("->m3 a3 l1 ->m4 a4 a5 <-m4 l2 <-m3", "->m7 a8 a9 <-m7", "->m5 a6 a7 a7 <-m5"),
    DELTA_3: ("->m7 a8 a9 <-m7", "->m5 a6 a7 a7 <-m5", "->m3 a3 ->m4 a4 a5 <-m4 <-m3"),
}


@pytest.fixture
def motivating(papers: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("motivating_example", papers / "motivating.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Traced:
    """Executes call sequences on a fresh object and traces their last call."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.file = str(module.__file__)
        lines = Path(self.file).read_text(encoding="utf-8").splitlines()
        names = (re.search(r"# ([al]\d.*)$", line) for line in lines)
        self.names = {number: found[1].split() for number, found in enumerate(names, 1) if found}

    def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
        scope = {**vars(self.module), SHARED: self.module.CUT()}
        for each in prefix:
            job(each.source, scope)()
        trace, raised, _ = self.traced(job(call.source, scope))
        return Extension(trace, state(scope[SHARED]), raised)

    def interrupted(self, before: Iterable[str], source: str, access: str, occurrence: int, other: str) -> Any:
        """What the call and the other one come to when the other runs just before the access; None if it cannot."""
        sut = self.module.CUT()
        scope = {**vars(self.module), SHARED: sut}
        for each in before:
            job(call_of(each).source, scope)()
        second: list[Any] = []

        def step(name: str, seen: list[str]) -> None:
            if name == access and seen.count(name) == occurrence and not sut._lock.locked():
                second.append(outcome(job(call_of(other).source, scope)))

        first = outcome(lambda: self.traced(job(call_of(source).source, scope), step)[2])
        return (first, second[0], state(sut)) if second else None

    def serial(self, before: Iterable[str], source: str, other: str) -> list[Any]:
        """The same without interruption, in both orders."""
        found = []
        for order in ((0, 1), (1, 0)):
            scope = {**vars(self.module), SHARED: self.module.CUT()}
            for each in before:
                job(call_of(each).source, scope)()
            results = {n: outcome(job(call_of((source, other)[n]).source, scope)) for n in order}
            found.append((results[0], results[1], state(scope[SHARED])))
        return found

    def traced(
        self, work: Callable[[], Any], step: Callable[[str, list[str]], None] | None = None
    ) -> tuple[tuple[str, ...], bool, Any]:
        events: list[str] = []
        taken: list[int] = []

        def at(frame: FrameType, kind: str, _: Any) -> Any:
            method = frame.f_code.co_name.strip("_")
            if frame.f_code.co_filename != self.file or method == "init":
                return None
            if kind == "call":
                events.append(f"->{method}")
            elif kind == "return":
                events.append(f"<-{method}")
            elif kind == "line" and (names := self.names.get(frame.f_lineno)):
                # A `with` is come to twice, to take the lock and to give it back.
                events.append(names[taken.count(frame.f_lineno) % len(names)])
                taken.append(frame.f_lineno)
                if step is not None:
                    step(events[-1], events)
            return at

        before = sys.gettrace()
        sys.settrace(at)
        try:
            value = work()
        except RuntimeError as error:
            return tuple(events), True, error
        finally:
            sys.settrace(before)
        return tuple(events), False, value

    def traces(self, sources: Iterable[str]) -> list[str]:
        calls = [call_of(source) for source in sources]
        return [" ".join(map(str, self.extend(tuple(calls[:n]), call).trace)) for n, call in enumerate(calls)]

    def coverage(self, sources: Iterable[str]) -> Coverage:
        return sequential_coverage(tuple(trace.split()) for trace in self.traces(sources))

    def reached(self, sources: tuple[str, ...]) -> Reached:
        calls = [call_of(source) for source in sources]
        after = self.extend(tuple(calls[:-1]), calls[-1]).state
        return Reached(after, self.coverage(sources), len(sources))


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except RuntimeError as error:
        return str(error)


def state(sut: Any) -> tuple[int, int]:
    return sut.y, sut.z


def call_of(source: str) -> Call:
    return next(call for call in CALLS if call.source == f"{SHARED}.{source}")


@pytest.fixture
def traced(motivating: ModuleType) -> Traced:
    return Traced(motivating)


def search(
    traced: Traced, covered: Coverage, memory: KnownEffects | None = None, rules: frozenset[Rule] = frozenset(Rule)
) -> Found | Saturated:
    options = SearchOptions(saturation=3, rules=rules)
    return generate(traced, CALLS, covered, options, lambda: False, memory=memory, start=(0, 0))


@pytest.mark.parametrize("sequence", FIGURE_4, ids=["delta_1", "delta_2", "delta_3"])
def test_traces_of_figure_4(traced: Traced, sequence: tuple[str, ...]) -> None:
    assert tuple(traced.traces(sequence)) == FIGURE_4[sequence]
    assert traced.coverage(sequence) == {tuple(trace.split()) for trace in FIGURE_4[sequence]}


def test_improvements_of_figure_4(traced: Traced) -> None:
    first, second, third = map(traced.coverage, FIGURE_4)
    assert improvement(first, []) == first
    assert improvement(second, [first]) == second - {("->m7", "a8", "a9", "<-m7")}
    assert improvement(third, [first, second]) == {tuple("->m3 a3 ->m4 a4 a5 <-m4 <-m3".split())}


def test_the_search_does_at_least_as_well_in_each_iteration(traced: Traced) -> None:
    """Given what the paper's own sequences cover, and the sequences found here one after the other."""
    covered: Coverage = frozenset()
    for sequence in FIGURE_4:
        found = search(traced, covered)
        assert isinstance(found, Found)
        assert len(found.improvement) >= len(traced.coverage(sequence) - covered)
        assert traced.coverage(call.source.removeprefix(f"{SHARED}.") for call in found.sequence) >= found.improvement
        covered |= traced.coverage(sequence)
    memory = KnownEffects()
    mine: Coverage = frozenset()
    while isinstance(found := search(traced, mine, memory), Found):
        mine |= found.improvement
    assert mine >= covered
    assert len(mine) == 8
    assert found.raising == ()


def test_the_same_method_call_on_another_object(traced: Traced) -> None:
    """a1 accesses a different memory location when it is reached from m6."""
    assert traced.traces(["m6(B())"]) == ["->m6 ->m1 a1 <-m1 <-m6"]
    assert traced.reached(("m6(B())",)).state == (0, 0)


def test_redundancy_of_figure_6(traced: Traced) -> None:
    """delta_B is given, the others are only described: the same state as A with less covered; C and D incomparable."""
    a, b = traced.reached(("m1(1)", "m6(B())", "m7()")), traced.reached(("m1(-1)", "m1(1)", "m7()"))
    assert a.state == b.state
    assert b.improvement < a.improvement
    assert redundant(b, a)
    assert traced.traces(["m1(-1)", "m1(1)", "m7()", "m5()"])[-1] == "->m5 a6 a7 <-m5"
    c, d = traced.reached(("m2(0)", "m6(B())", "m7()", "m5()")), traced.reached(("m3(10)", "m7()", "m5()"))
    assert c.state == d.state == (2, 1)
    assert better(c, d)
    assert not redundant(d, c)


def test_pruning_costs_no_coverage_here(traced: Traced) -> None:
    pruned = search(traced, frozenset())
    unbounded = search(traced, frozenset(), rules=frozenset({Rule.D1, Rule.D2, Rule.D3}))
    assert isinstance(pruned, Found) and isinstance(unbounded, Found)
    assert pruned.improvement == unbounded.improvement
    assert pruned.stats.nodes < unbounded.stats.nodes


def test_fault_of_t2(traced: Traced) -> None:
    """<a7, a3, a7>: between two steps of m5, m3 sees a value that z has before or after no call."""
    before = ("m7()",)
    seen = traced.interrupted(before, "m5()", "a7", 2, "m3(10)")
    assert seen == (None, "z must never be seen below zero", (2, 1))
    assert seen not in traced.serial(before, "m5()", "m3(10)")
    assert traced.interrupted((), "m5()", "a7", 2, "m3(10)") is None


def test_fault_of_t5(traced: Traced) -> None:
    """<a4, a1, a5>: possible only where z keeps m3 from taking the lock, so t3 with the same accesses does not fail."""
    before = ("m7()", "m5()")
    seen = traced.interrupted(before, "m3(10)", "a5", 1, "m1(1)")
    assert seen == (12, None, (1, 1))
    assert seen not in traced.serial(before, "m3(10)", "m1(1)")
    assert traced.interrupted((), "m3(10)", "a5", 1, "m1(1)") is None


def test_the_interleaving_of_t1_is_infeasible(traced: Traced) -> None:
    """<a8, a2, a9>: all three are under the same lock."""
    assert traced.interrupted((), "m7()", "a9", 1, "m2(0)") is None


def test_interference_of_figure_9(traced: Traced) -> None:
    """m2 between m7 and m5 changes y, so that z stays zero and m3 takes the lock after all."""
    assert traced.traces(["m7()", "m5()", "m3(10)"])[-1] == "->m3 a3 ->m4 a4 a5 <-m4 <-m3"
    assert traced.traces(["m7()", "m2(0)", "m5()", "m3(10)"])[-1] == "->m3 a3 l1 ->m4 a4 a5 <-m4 l2 <-m3"


def instrumented(papers: Path, sequences: Iterable[Iterable[str]]) -> list[tuple[str, ...]]:
    """The traces of the calls under the real instrumentation, in the paper's words."""
    wanted = json.dumps([list(sequence) for sequence in sequences])
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden.instrumented_traces", str(papers), "motivating", "CUT", wanted],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    lines = (papers / "motivating.py").read_text(encoding="utf-8").splitlines()
    found = (re.search(r"# ([al]\d.*)$", line) for line in lines)
    names = {number: match[1].split() for number, match in enumerate(found, 1) if match}
    return [tuple(_in_words(call, names) for call in calls) for calls in json.loads(done.stdout)]


def _in_words(events: list[tuple[str, str, int, str]], names: dict[int, list[str]]) -> str:
    words: list[str] = []
    for kind, function, line, text in events:
        method = function.rpartition(".")[2].strip("_")
        if kind in ("enter", "leave"):
            words.append(f"{'->' if kind == 'enter' else '<-'}{method}")
        elif line in names and kind in ("acquire", "release"):
            words.append(names[line][kind == "release"])
        elif line in names and len(names[line]) == 1 and not (names[line] == ["a7"] and kind == "read"):
            # An augmented assignment reads and writes; the paper counts that as one access.
            assert text in ("self.y", "self.z"), text
            words.append(names[line][0])
    return " ".join(words)


def test_the_real_instrumentation_gives_the_traces_of_figure_4(papers: Path) -> None:
    assert instrumented(papers, FIGURE_4) == list(FIGURE_4.values())


def test_the_real_instrumentation_sees_figure_9(papers: Path) -> None:
    ((*_, short), (*_, long)) = instrumented(papers, [("m7()", "m5()", "m3(10)"), ("m7()", "m2(0)", "m5()", "m3(10)")])
    assert short == "->m3 a3 ->m4 a4 a5 <-m4 <-m3"
    assert long == "->m3 a3 l1 ->m4 a4 a5 <-m4 l2 <-m3"


def test_both_faults_are_found_from_the_bare_class(tmp_path: Path, papers: Path) -> None:
    """<a7, a3, a7> and <a4, a1, a5>, each possible only in states that tools without the context do not reach."""
    result = everypath(tmp_path, "race", f"{papers / 'motivating.py'}::CUT", "--format", "json")
    assert result.code == 1, result
    report = json.loads(result.out)
    seen, torn = report["findings"]
    lines = (papers / "motivating.py").read_text(encoding="utf-8").splitlines()
    assert (seen["kind"], seen["places"], seen["label"]) == ("exception", ["CUT.z"], "happens today")
    assert _accesses(seen, lines) == ["a7", "a3", "a7"]
    assert (torn["kind"], torn["places"]) == ("result", ["CUT.y"])
    assert _accesses(torn, lines) in (["a4", "a1", "a5"], ["a4", "a2", "a5"])
    assert report["stats"]["complete"] and report["problems"] == []
    assert report["stats"]["pairs_covered"] == report["stats"]["pairs_total"]


def _accesses(finding: dict[str, Any], lines: list[str]) -> list[str]:
    """The accesses of the timeline by the paper's names, with repetitions by one thread left out."""
    words: list[tuple[str, str]] = []
    for turn in finding["interleaving"]:
        found = re.search(r"# (a\d)$", lines[int(turn["location"].rpartition(":")[2] or 1) - 1])
        if found and turn["text"].startswith(("read", "write")) and (turn["thread"], found[1]) not in words[-1:]:
            words.append((turn["thread"], found[1]))
    return [word for _, word in words]
