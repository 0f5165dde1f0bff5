"""What each program under examples/actors is there to show, found by exploring all of it."""

from __future__ import annotations

from typing import Any

import pytest

from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.options import ActorOptions, Limits, Options
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "actors"


def found(name: str, **actors: Any) -> Run:
    target = str(EXAMPLES / name)
    options = Options(limits=Limits(time=30.0), actors=ActorOptions(**actors))
    return generate([target], options)


def kinds(run: Run, member: str = "") -> set[str]:
    told = {
        case.finding.kind
        for suite in run.suites
        for case in suite.cases
        if case.finding is not None and suite.target.endswith(member)
    }
    if any(suite.dependences for suite in run.suites if suite.target.endswith(member)):
        told.add("order-dependent")
    return told


@pytest.mark.parametrize("name", ["dining_philosophers_fixed", "quicksort"])
def test_a_correct_program_has_no_finding(name: str) -> None:
    assert kinds(found(f"{name}.abs")) == set()


@pytest.mark.parametrize("name", ["bounded_buffer", "leader_election"])
def test_a_correct_main_block_has_one_outcome(name: str) -> None:
    run = found(f"{name}.abs::main")
    assert [len(suite.cases) for suite in run.suites] == [1]
    assert kinds(run) == set()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reader_writer", "the output is 'read 0\\n' or 'read 7\\n'"),
        ("hash_table", "the output is '11\\n' or '10\\n'"),
        ("mail", "Client#1.bounced is 0 or 1, and 1 more difference"),
        ("fact", "Fact#1.r is 6 or 3"),
    ],
)
def test_a_main_block_whose_outcome_depends_on_the_order(name: str, message: str) -> None:
    run = found(f"{name}.abs::main")
    assert kinds(run) == {"order-dependent"}
    assert [d.message for suite in run.suites for d in suite.dependences] == [message]


def test_the_philosophers_wait_for_ever() -> None:
    run = found("dining_philosophers.abs::main")
    assert kinds(run) == {"deadlock", "order-dependent"}
    (stuck,) = (c for suite in run.suites for c in suite.cases if c.expected.deadlock is not None)
    waits = stuck.expected.deadlock.waits
    assert sorted(wait.method for wait in waits) == ["run"] * 3 + ["take"] * 3


def test_both_schedules_of_example_6() -> None:
    run = found("fact.abs::Fact.ft", switches=5, actors=2)
    (suite,) = run.suites
    (dependence,) = (d for d in suite.dependences if d.message == "this.r is 6 or 3")
    cases = {case.id: case for case in suite.cases}
    first, second = cases[dependence.first], cases[dependence.second]
    assert first.validated and second.validated
    assert first.inputs == second.inputs and first.schedule != second.schedule
    assert [dict(c.expected.actors[0].fields)["r"].value for c in (first, second)] == [6, 3]


def test_an_assertion_about_readers_and_writers_can_fail() -> None:
    assert "assertion" in kinds(found("reader_writer.abs::Store.write"))
