"""What "Test Case Generation of Actor Systems" (Example 6) and section 4.3 of "Test Case Generation by Symbolic
Execution" say about outcomes that depend on the order: GOLDEN "Actors"."""

from __future__ import annotations

from everypath.cases.actors import ActorSuite, Plain
from everypath.languages.abs.frontend.check import check_program, read_sources
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.generation import generate_method
from everypath.options import ActorOptions, Limits, Options
from tests.conftest import ROOT


def suite(name: str, cls: str, method: str, actors: ActorOptions) -> ActorSuite:
    program = check_program(read_sources([ROOT / "examples" / "actors" / name]))
    assert isinstance(program, Program), program
    owner = program.named_class(cls)
    assert owner is not None
    found = ActorSuite(f"{name}::{cls}.{method}", {})
    generate_method(program, owner, method, Options(limits=Limits(loops=1), actors=actors), found)
    return found


def test_the_factorial_of_three_is_six_or_three() -> None:
    found = suite("fact.abs", "Fact", "ft", ActorOptions(switches=5, actors=2))
    (dependence,) = (d for d in found.dependences if d.message == "this.r is 6 or 3")
    cases = {case.id: case for case in found.cases}
    first, second = cases[dependence.first], cases[dependence.second]
    assert first.inputs == second.inputs
    assert dict(first.inputs.tasks[0].arguments) == {"n": Plain(3)}
    (this,) = first.inputs.actors
    assert dict(this.fields) == {"b": Plain(None), "mx": Plain(1), "r": Plain(1)}
    early = [turn.method for turn in second.schedule if turn.actor == second.schedule[3].actor]
    assert early.index("rp") < early.index("wk")


def test_p_returns_one_or_two_with_other_tasks_in_the_queue() -> None:
    found = suite("queued.abs", "C", "p", ActorOptions(queue=2))
    with_set = [case for case in found.cases if {task.method for task in case.inputs.tasks} == {"p", "set", "setF"}]
    assert {case.expected.result for case in with_set} >= {Plain(1), Plain(2)}
    assert any(dependence.message.startswith("the result is 1 or 2") for dependence in found.dependences)


def test_p_alone_returns_one_or_waits() -> None:
    found = suite("queued.abs", "C", "p", ActorOptions())
    assert [case.expected.result for case in found.cases if case.expected.deadlock is None] == [Plain(1)]
    assert len(found.cases) == 2
