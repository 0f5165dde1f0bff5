"""Starting from given actors and tasks, and following schedules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.cases import actors as suite
from everypath.cases.actors import ActorInputs, ActorReference, FutureReference, Plain
from everypath.concurrency.names import InitialReference, TaskName
from everypath.errors import BadInput
from everypath.languages.abs.runtime.compile import compile_program
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.outcomes import observed, to_case, turn_of
from everypath.languages.abs.runtime.replay import (
    InitialFuture,
    Misfit,
    follow,
    from_case,
    machine_of,
    state_for,
    witnessed,
)
from tests.runtimes.executing import EXAMPLES, example, program
from tests.runtimes.starting import UNIT, actor, call, every_case, value

CELL = """
interface Cell { Int add(Int n); Unit later(Fut<Int> f); Unit ask(Cell other); Int roll(); Unit fail(); }
class Cell(Int total, Cell next) implements Cell {
  Int add(Int n) { total = total + n; return total; }
  Unit later(Fut<Int> f) { await f?; total = f.get; }
  Unit ask(Cell other) { Int x = other.add(1); total = total + x; }
  Int roll() { Int a = random(6); Int b = random(6); total = 10 * a + b; return total; }
  Unit fail() { throw PatternMatchFailException; }
}
"""


def inputs(*tasks: suite.Task, **more: object) -> ActorInputs:
    """Two cells that know each other, the second in the cog of the first if asked for."""
    second = actor("this.next", "M.Cell", "this" if more.pop("beside", False) else None, total=2, next=None)
    first = actor("this", "M.Cell", total=1, next=ActorReference("this.next"))
    return ActorInputs((first, second), tasks, **more)  # type: ignore[arg-type]


def ends(text: str, start: ActorInputs) -> list[suite.ActorExpected]:
    return [case.expected for case in every_case(program(text), start)]


def fields(expected: suite.ActorExpected, name: str) -> dict[str, suite.Value]:
    return dict(next(a.fields for a in expected.actors if a.name == name))


def test_a_call_on_given_actors_without_a_main_block() -> None:
    (found,) = ends(CELL, inputs(call("this", "add", n=4)))
    assert found.result == Plain(5)
    assert fields(found, "this") == {"total": Plain(5), "next": ActorReference("this.next")}
    assert fields(found, "this.next")["total"] == Plain(2)
    assert found.deadlock is None
    assert found.failures == ()


def test_tasks_in_the_queue_may_come_before_the_call() -> None:
    found = ends(CELL, inputs(call("this", "add", n=4), call("this", "add", n=10)))
    assert {f.result for f in found} == {Plain(5), Plain(15)}


def test_names_do_not_depend_on_how_they_were_reached() -> None:
    machine = machine_of(program(CELL))
    state, tasks = state_for(machine, inputs(call("this", "ask", other=ActorReference("this.next"))))
    root = TaskName(None, 0, "ask", InitialReference("this"))
    assert list(tasks) == [str(root)]
    follow(machine, state, [turn_of(root)])
    (asked,) = (name for name in state.tasks if name.label == "add")
    assert str(asked) == str(root.child_task(1, "add", InitialReference("this.next")))


def test_a_future_that_is_resolved_at_the_start() -> None:
    start = inputs(call("this", "later", f=FutureReference("f")), futures=(("f", Plain(7)),))
    (found,) = ends(CELL, start)
    assert fields(found, "this")["total"] == Plain(7)


def test_a_future_that_never_resolves_is_a_deadlock() -> None:
    (found,) = ends(CELL, inputs(call("this", "later", f=FutureReference("f"))))
    assert found.result is None
    assert found.deadlock is not None
    (wait,) = found.deadlock.waits
    assert (wait.waits_for, wait.actor, wait.method) == ("the result of f", "this", "later")


def test_an_object_in_the_cog_of_another_is_called_directly() -> None:
    task = call("this", "ask", other=ActorReference("this.next"))
    (apart,) = every_case(program(CELL), inputs(task))
    (beside,) = every_case(program(CELL), inputs(task, beside=True))
    assert (len(apart.schedule), len(beside.schedule)) == (3, 1)
    assert fields(beside.expected, "this") == fields(apart.expected, "this")
    assert next(a for a in beside.expected.actors if a.name == "this.next").processor == "this"


def test_random_numbers_are_those_of_the_case() -> None:
    root = str(TaskName(None, 0, "roll", InitialReference("this")))
    (found,) = ends(CELL, inputs(call("this", "roll"), draws=((root, (4, 2)),)))
    assert found.result == Plain(42)


def test_random_numbers_of_a_run_become_part_of_its_case() -> None:
    rolling = program("class C(Int n) { Unit go() { n = random(1000); n = 1000 * n + random(1000); } }")
    start = ActorInputs((actor("this", "M.C", n=0),), (call("this", "go"),))
    task = str(TaskName(None, 0, "go", InitialReference("this")))
    seen = set()
    for seed in range(3):
        machine = Machine(compile_program(rolling), seed=seed)
        drawn, _, found = witnessed(machine, start, [task])
        first, second = dict(drawn.draws)[task]
        assert fields(found, "this")["n"] == Plain(1000 * first + second)
        assert witnessed(machine_of(rolling), drawn, [task])[2] == found
        seen.add((first, second))
    assert len(seen) == 3


def test_a_failure_is_told_with_its_place() -> None:
    (found,) = ends(CELL, inputs(call("this", "fail")))
    (failure,) = found.failures
    assert found.result is None
    assert failure.exception == suite.DataValue("ABS.StdLib.Exceptions.PatternMatchFailException")
    assert (failure.file, failure.line, failure.assertion) == ("a.abs", 8, False)


def test_two_philosophers_wait_in_a_cycle() -> None:
    text = """
    interface P { Unit go(P o); Unit nothing(); }
    class P implements P { Unit go(P o) { Fut<Unit> f = o!nothing(); f.get; } Unit nothing() { } }
    """
    start = ActorInputs(
        (actor("a", "M.P"), actor("b", "M.P")),
        (call("a", "go", o=ActorReference("b")), call("b", "go", o=ActorReference("a"))),
    )
    stuck = [f.deadlock for f in ends(text, start) if f.deadlock is not None]
    assert len(stuck) == 1
    assert len(stuck[0].cycle) == 4
    assert {(w.actor, w.method) for w in stuck[0].waits} == {(o, m) for o in "ab" for m in ("go", "nothing")}


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (ActorInputs((actor("this", "M.Nobody"),), (call("this", "add", n=1),)), "no class `M.Nobody`"),
        (ActorInputs((), (call("this", "add", n=1),)), "actor `this` that is not among its inputs"),
        (inputs(call("this", "vanish")), "has no method `vanish`"),
        (inputs(call("this", "add", m=1)), r"parameters of `M.Cell.add` are \(n\), the case gives \(m\)"),
        (ActorInputs((actor("this", "M.Cell", total=1),), (call("this", "roll"),)), "differ: next"),
        (inputs(suite.Task("old@#1", "this", "roll", ())), "`old@#1` of the case is called `roll@#"),
        (ActorInputs(), "no main block"),
    ],
)  # fmt: skip
def test_inputs_that_do_not_fit_are_refused(start: ActorInputs, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        state_for(machine_of(program(CELL)), start)


def test_a_schedule_that_does_not_fit_says_where() -> None:
    machine = machine_of(program(CELL))
    start = inputs(call("this", "ask", other=ActorReference("this.next")), call("this", "roll"))
    state, tasks = state_for(machine, start)
    ask, roll = map(turn_of, tasks.values())
    with pytest.raises(Misfit, match="step 2 of the schedule: there is no task `x@1#0`; these can go on: "):
        follow(machine, state.fork(), [ask, suite.Turn("x@1#0", "this", "x")])
    with pytest.raises(Misfit, match="step 2 .*`roll@#.*` cannot go on: `ask@#.*` keeps its cog"):
        follow(machine, state.fork(), [ask, roll])
    with pytest.raises(Misfit, match="step 2 .* waits for the result of `add@1"):
        follow(machine, state.fork(), [ask, ask])
    waiting, tasks = state_for(machine, inputs(call("this", "later", f=FutureReference("f"))))
    (later,) = map(turn_of, tasks.values())
    with pytest.raises(Misfit, match="what it awaits at a.abs:5 does not hold; no task can go on"):
        follow(machine, waiting, [later, later])


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.abs")))
def test_main_blocks_are_followed_too(name: str) -> None:
    machine = machine_of(example(name))
    for case in every_case(example(name))[:20]:
        state, tasks = state_for(machine, case.inputs)
        follow(machine, state, case.schedule)
        assert next(machine.moves(state), None) is None
        assert observed(machine, state, *tasks.values()) == case.expected


def test_the_factorial_of_an_open_program() -> None:
    start = ActorInputs((actor("this", "Fact.Fact", b=None, mx=1, r=1),), (call("this", "ft", n=3),))
    found = [case.expected for case in every_case(example("fact"), start)]
    assert {fields(f, "this")["r"] for f in found} == {Plain(6), Plain(3)}
    assert all(f.result == UNIT for f in found)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.floats(allow_nan=False)
    | st.fractions().map(lambda f: suite.Fraction(f.numerator, f.denominator) if f.denominator > 1 else f.numerator)
    | st.sampled_from([ActorReference("this"), FutureReference("f")]),
    lambda inner: st.lists(inner, max_size=3) | st.builds(lambda a: suite.DataValue("M.Box", (value(a),)), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(VALUES)
def test_values_go_both_ways(plain: object) -> None:
    names = {"this": InitialReference("this"), "f": InitialFuture("f")}
    made = from_case(value(plain), names.__getitem__, names.__getitem__)  # type: ignore[arg-type]
    assert suite.same_value(to_case(made), value(plain))


def test_long_lists_are_no_problem() -> None:
    long = value(list(range(50_000)))
    made = from_case(long, lambda name: InitialReference(name), InitialFuture)
    assert suite.same_value(to_case(made), long)
    assert suite.shown_value(value([1, "a", None])) == 'list[1, "a", null]'
