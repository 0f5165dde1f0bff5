"""Replaying actor cases: what agrees is validated, what differs is told."""

from __future__ import annotations

import pytest

from everypath.cases.actors import (
    ActorCase,
    ActorExpected,
    ActorInputs,
    ActorReference,
    ActorState,
    DataValue,
    Deadlock,
    Failure,
    Plain,
    Wait,
)
from everypath.cases.model import Case
from everypath.languages.abs.validation import replay_case, validate
from everypath.records import replace
from tests.runtimes.executing import EXAMPLES, example, program
from tests.runtimes.starting import actor, call, every_case

FORKS = """
interface Fork { Unit take(); Unit free(); }
interface Eater { Unit eat(Fork first, Fork second); }
class Fork implements Fork {
  Bool used = False; Unit take() { await !used; used = True; } Unit free() { used = False; } }
class Eater implements Eater {
  Unit eat(Fork first, Fork second) { await first!take(); await second!take(); first!free(); second!free(); }
}
"""
FORK, OTHER = ActorReference("left"), ActorReference("right")
TABLE = ActorInputs(
    (
        actor("this", "M.Eater"),
        actor("that", "M.Eater"),
        actor("left", "M.Fork", used=False),
        actor("right", "M.Fork", used=False),
    ),
    (call("this", "eat", first=FORK, second=OTHER), call("that", "eat", first=OTHER, second=FORK)),
)
FACT = ActorInputs((actor("this", "Fact.Fact", b=None, mx=1, r=1),), (call("this", "ft", n=3),))


def cases() -> list[ActorCase]:
    return every_case(example("fact"), FACT)


def changed(case: ActorCase, **changes: object) -> ActorCase:
    return replace(case, expected=replace(case.expected, **changes))  # type: ignore[type-var]


def fails(case: ActorCase) -> str:
    found = validate(example("fact"), case)
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.abs")))
def test_every_explored_execution_of_the_examples_is_confirmed(name: str) -> None:
    closed = example(name)
    for case in every_case(closed)[:20]:
        assert validate(closed, case) == replace(case, validated=True)


def test_both_products_of_the_factorial_are_confirmed() -> None:
    loaded = example("fact")
    assert all(isinstance(validate(loaded, case), Case) for case in cases())
    assert len({dict(case.expected.actors[0].fields)["r"] for case in cases()}) == 2


def test_a_wrong_field_is_told_with_readable_names() -> None:
    case = cases()[0]
    first, *others = case.expected.actors
    assert isinstance(first, ActorState)
    wrong = replace(first, fields=(*first.fields[:2], ("r", Plain(7))))
    right = dict(first.fields)["r"]
    assert isinstance(right, Plain)
    assert fails(changed(case, actors=(wrong, *others))) == f"this.r is {right.value} instead of 7"
    assert fails(changed(case, actors=(first, *others[:-1]))) == "there is another actor, Fact#2"
    missing = replace(others[0], name="Fact.Fact@9.9#ab")
    assert "there is no actor Fact.Fact@9.9#ab" in fails(changed(case, actors=(first, *others, missing)))


def test_a_true_that_should_be_a_one_is_different() -> None:
    case = cases()[0]
    first, *others = case.expected.actors
    wrong = replace(first, fields=(first.fields[0], ("mx", Plain(True)), first.fields[2]))
    assert fails(changed(case, actors=(wrong, *others))) == "this.mx is 1 instead of True"


def test_results_output_and_failures_are_compared() -> None:
    case = cases()[0]
    task = case.inputs.tasks[0].name
    error = Failure(task, DataValue("ABS.StdLib.Exceptions.NullPointerException"), "", 0, False)
    assert fails(changed(case, result=None)) == "the result is Unit instead of no result"
    assert fails(changed(case, result=Plain(1))) == "the result is Unit instead of 1"
    assert fails(changed(case, output="hi\n")) == "it prints '' instead of 'hi\\n'"
    assert fails(changed(case, failures=(error,))) == "not seen: this.ft fails with NullPointerException"
    assert fails(changed(case, deadlock=Deadlock((), ()))) == "there is no deadlock"


def test_a_schedule_that_stops_early_is_no_case() -> None:
    case = cases()[0]
    found = fails(replace(case, schedule=case.schedule[:-1]))
    assert found.startswith(f"the case cannot be replayed: the schedule ends after {len(case.schedule) - 1} steps, but")
    found = fails(replace(case, schedule=(case.schedule[0], *case.schedule)))
    assert "step 2 of the schedule: there is no task `this.ft`" in found


def test_a_deadlock_is_filled_in_by_its_run() -> None:
    table = program(FORKS)
    stuck = [case for case in every_case(table, TABLE) if case.expected.deadlock is not None]
    assert stuck
    bare = changed(stuck[0], deadlock=Deadlock((), ()))
    found = validate(table, bare)
    assert isinstance(found, Case)
    assert found.expected.deadlock == stuck[0].expected.deadlock
    assert found.validated
    waits = stuck[0].expected.deadlock.waits
    fewer = changed(stuck[0], deadlock=Deadlock(waits[:1], ()))
    assert "the tasks in the deadlock are" in str(validate(table, fewer))
    other = changed(stuck[0], deadlock=None)
    assert validate(table, other) == "it ends in a deadlock"


def test_the_place_of_a_failure_is_filled_in() -> None:
    failing = program("class C(Int n) { Int f(Int d) {\n return truncate(n / d); } }")
    start = ActorInputs((actor("this", "M.C", n=1),), (call("this", "f", d=0),))
    (case,) = every_case(failing, start)
    (failure,) = case.expected.failures
    found = validate(failing, changed(case, failures=(replace(failure, file="", line=0),)))
    assert isinstance(found, Case)
    assert found.expected.failures == (failure,)
    assert (failure.file, failure.line) == ("a.abs", 2)
    quiet = changed(case, failures=(), result=Plain(1))
    assert validate(failing, quiet) == (
        "the result is no result instead of 1; "
        "not predicted: this.f fails with DivisionByZeroException at a.abs:2"
    )  # fmt: skip


def test_a_program_that_has_changed_is_told() -> None:
    found = validate(program("class C(Int n) { Int f(Int d) { return n; } }"), cases()[0])
    assert found == "the case cannot be replayed: the program has no class `Fact.Fact`, which the case uses"


def test_a_replay_tells_every_step() -> None:
    case = min(cases(), key=lambda each: len(each.schedule))
    said: list[str] = []
    assert replay_case(example("fact"), case, said.append)
    assert said[0] == "   1  this.ft: calls this.wk, calls this.dg, returns Unit"
    assert any("creates Fact#1, calls Fact#1.ft" in line for line in said)
    assert said[len(case.schedule)] == "      result: Unit"
    assert any(line.startswith("      this: b = null, mx = 1, r = ") for line in said)


def test_a_replay_that_differs_says_so() -> None:
    said: list[str] = []
    assert not replay_case(example("fact"), changed(cases()[0], result=Plain(5)), said.append)
    assert said[-1] == "differs: the result is Unit instead of 5"
    broken = replace(cases()[0], schedule=cases()[0].schedule[1:])
    assert not replay_case(example("fact"), broken, said.append)
    assert said[-1].startswith("cannot be replayed: step 1 of the schedule: there is no task")


def test_a_replay_shows_the_wait_cycle() -> None:
    table = program(FORKS)
    stuck = next(case for case in every_case(table, TABLE) if case.expected.deadlock is not None)
    said: list[str] = []
    assert replay_case(table, stuck, said.append)
    assert any(line.startswith("      deadlock: this.eat at a.abs:") for line in said)
    assert any("waits for the result of right.take" in line for line in said)
    assert isinstance(stuck.expected, ActorExpected)
    assert all(isinstance(wait, Wait) for wait in stuck.expected.deadlock.waits)  # type: ignore[union-attr]
