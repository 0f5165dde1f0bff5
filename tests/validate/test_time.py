"""The limits on time bound everything: only what is chosen is run, and runs end when the time is over."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.cases.minimise import fewest
from everypath.cases.model import CallCase
from everypath.generate.run import generate
from everypath.languages.every import LANGUAGES
from everypath.languages.python.runtime.runner import UNRUN, Setting, run_cases
from everypath.languages.python.runtime.validation import PythonRuntime
from everypath.logic.clock import PATIENCE, Stopwatch
from everypath.options import FenceOptions, Options
from everypath.planning.plan import Plan, Selection, Shares
from everypath.records import replace
from everypath.workers.process import Process

from ..emit.samples import all_cases

MANY = """
def many(a: int, b: int, c: int, d: int) -> int:
    total = 0
    if a > 1:
        total += 1
    if b > 2:
        total += 2
    if c > 3:
        total += 4
    if d > 4:
        total += 8
    return total
"""


def test_only_the_chosen_cases_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample.py").write_text(MANY)
    ran: list[str] = []
    run = PythonRuntime.run

    def counted(self: PythonRuntime, loaded: object, suite: object, cases: Sequence[CallCase]) -> object:
        ran.extend(case.id for case in cases)
        return run(self, loaded, suite, cases)  # type: ignore[arg-type]

    everything = generate(["sample.py"], Options()).suites[0].cases
    monkeypatch.setattr(PythonRuntime, "run", counted)
    suite = generate(["sample.py"], Options(select="branches")).suites[0]
    assert len(everything) == 16
    assert ran == [case.id for case in suite.cases]
    few = fewest(list(everything), "branches")
    assert len(suite.cases) == len(few) == 2
    assert {branch for case in suite.cases for branch in case.covers} == {branch for c in few for branch in c.covers}


def test_another_case_is_chosen_where_one_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes out is as if all had been run and those that pass been chosen from."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample.py").write_text(MANY)
    everything = generate(["sample.py"], Options()).suites[0].cases
    failing = {case.id for case in fewest(list(everything), "all", 2)}
    run = PythonRuntime.run

    def without(self: PythonRuntime, loaded: object, suite: object, cases: Sequence[CallCase]) -> object:
        return run(self, loaded, suite, [case for case in cases if case.id not in failing])  # type: ignore[arg-type]

    monkeypatch.setattr(PythonRuntime, "run", without)
    suite = generate(["sample.py"], Options(tests=2, predicted_only=True)).suites[0]
    rest = [case for case in everything if case.id not in failing]
    assert [case.id for case in suite.cases] == [case.id for case in fewest(rest, "all", 2)]


def test_what_only_a_failing_case_reaches_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample.py").write_text(MANY)
    run = PythonRuntime.run

    def without(self: PythonRuntime, loaded: object, suite: object, cases: Sequence[CallCase]) -> object:
        return run(self, loaded, suite, [case for case in cases if not case.id.endswith("#1")])  # type: ignore[arg-type]

    monkeypatch.setattr(PythonRuntime, "run", without)
    suite = generate(["sample.py"], Options(select="branches", predicted_only=True)).suites[0]
    missing = [each for each in suite.wanted if each.verdict != "covered"]
    assert missing and all("could not be run or did not pass" in each.reason for each in missing)


def test_nothing_is_run_when_the_time_is_over(tmp_path: Path) -> None:
    before = Process.started
    one = all_cases()[0]
    verdicts = run_cases([one], {one.id: ""}, Setting(tmp_path, FenceOptions(), until=time.monotonic()))
    assert verdicts[one.id].status == UNRUN
    assert Process.started == before


def test_a_run_ends_with_the_time(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text("")
    one = all_cases()[0]
    script = "import time\ndef generated_test(phase):\n    time.sleep(100)\n"
    setting = Setting(tmp_path, FenceOptions(case_seconds=100), until=time.monotonic() + 3)
    one = replace(one, entry=replace(one.entry, module="sample", file=str(tmp_path / "sample.py")))
    assert run_cases([one], {one.id: script}, setting)[one.id].status == UNRUN
    assert time.monotonic() < setting.until + 20


def test_cases_for_which_there_is_no_time_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample.py").write_text(MANY)
    monkeypatch.setattr(Shares, "running", lambda self, left: time.monotonic())
    suite = generate(["sample.py"], Options(predicted_only=True)).suites[0]
    assert not suite.cases
    assert suite.stats.cut["time"] == 1
    (problem,) = suite.problems
    assert problem.message == "many: 16 cases were found, but the time was over before they were run; raise the limit"


def test_a_quiet_machine_counts_every_second_and_a_busy_one_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    at = {"passed": 0.0, "computed": 0.0}
    monkeypatch.setattr("everypath.logic.clock.monotonic", lambda: at["passed"])
    monkeypatch.setattr("everypath.logic.clock.process_time", lambda: at["computed"])
    watch = Stopwatch()
    at["passed"] = 3.0
    assert watch.spent() == 3.0
    with watch.computing():
        at["passed"], at["computed"] = 5.0, 1.0
    assert watch.delay == 2.0
    assert watch.spent() == 4.0
    at["passed"] = 9.0
    assert watch.spent() == 6.0
    assert watch.until(1.0) == 11.0
    with watch.computing():
        at["passed"] = 1000.0
    assert watch.delay == PATIENCE


class _Told(Stopwatch):
    """A stopwatch that a test moves on."""

    def __init__(self) -> None:
        self.time = 0.0

    def spent(self) -> float:
        return self.time

    def until(self, seconds: float) -> float:
        return self.time + seconds


@given(
    total=st.floats(1, 600),
    used=st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=5), min_size=1, max_size=6),
    rest=st.floats(0, 1),
)
def test_shares_never_sum_up_to_more_than_the_total(total: float, used: list[list[float]], rest: float) -> None:
    """Whatever part of its share each function and module uses, up to the moments that nothing can do without."""
    plan = Plan(Selection(Options(), LANGUAGES[0]))
    plan.modules = {str(number): [] for number in range(len(used))}
    shares = Shares(plan, Options(total_time=total))
    watch = shares.watch = _Told()
    moments = 0
    for module in used:
        for number, part in enumerate(module):
            seconds = shares.seconds(len(module) - number)
            if seconds:
                watch.time += part * seconds
                watch.time += rest * (shares.running(seconds - part * seconds) - watch.time)
                moments += 1
        watch.time += rest * shares.observing()
        watch.time += rest * (shares.settling() - watch.time)
        moments += 1
    assert watch.time <= total + moments * 0.5 + 1e-6
