"""The terminal's view of actor suites: findings once per place, schedules side by side, counts at the end."""

from __future__ import annotations

import io

from everypath.cases.actor_wording import dependence_message, differences, finding_of
from everypath.cases.actors import (
    ActorCase,
    ActorExpected,
    ActorInputs,
    ActorReference,
    ActorState,
    ActorSuite,
    DataValue,
    Deadlock,
    Failure,
    Plain,
    Task,
    Turn,
    Value,
    Wait,
    names_in,
)
from everypath.cases.model import Entry, Finding, OrderDependence, Problem
from everypath.records import replace
from everypath.report.actors import print_actors
from everypath.report.schedules import compared, schedule_lines, side_by_side

ENTRY = Entry("M", "m.abs", "C", "go", "method", 7)
THIS = ActorState("this", "M.C", "this", (("r", Plain(1)), ("next", ActorReference("this.next"))))
CALL = Task("go@#1", "this", "go", (("n", Plain(3)), ("who", Plain(None))))


def turn(method: str, number: int = 1) -> Turn:
    return Turn(f"{method}@{number}#{number:x}", "this", method)


def case(number: int, turns: list[Turn], result: Value | None = None, **expected: object) -> ActorCase:
    state = ActorState("this", "M.C", "this", (("r", Plain(number)),))
    outcome = ActorExpected(result, (state,), **expected)  # type: ignore[arg-type]
    return ActorCase(f"M::C.go#{number}", ENTRY, ActorInputs((THIS,), (CALL,)), outcome, schedule=tuple(turns))


def printed(*suites: ActorSuite) -> str:
    stream = io.StringIO()
    print_actors(suites, stream)
    return stream.getvalue()


def test_two_schedules_begin_where_they_part() -> None:
    same = [turn("a", n) for n in range(1, 10)]
    left, right = case(1, [*same, turn("b"), turn("c")]), case(2, [*same, turn("c"), turn("b"), turn("d")])
    assert side_by_side(left, right, names_in((left, right)), 80) == [
        "M::C.go#1             | M::C.go#2",
        "--------------------- | ---------------------",
        "... 6 equal steps ... | ... 6 equal steps ...",
        " 7  this.a (7)        |  7  this.a (7)",
        " 8  this.a (8)        |  8  this.a (8)",
        " 9  this.a (9)        |  9  this.a (9)",
        "10* this.b            | 10* this.c",
        "11  this.c            | 11  this.b",
        "                      | 12  this.d",
        "--------------------- | ---------------------",
        "this.r is 1           | this.r is 2",
    ]


def test_long_cells_are_wrapped_and_long_rests_left_out() -> None:
    left = case(1, [turn("a", n) for n in range(1, 100)], Plain("x" * 60))
    right = case(1, [turn("b")], Plain("y"))
    lines = side_by_side(left, right, names_in((left, right)), 50)
    assert "... 69 more steps ..." in "\n".join(lines)
    assert max(map(len, lines)) <= 50
    assert "".join(line.partition(" |")[0].strip() for line in lines[-4:]).endswith('x"')


def test_two_schedules_below_each_other_where_there_is_no_room() -> None:
    same = [turn("a", n) for n in range(1, 10)]
    left, right = case(1, [*same, turn("b")]), case(2, [*same, turn("c"), turn("d")])
    assert compared(left, right, names_in((left, right)), 40) == [
        "M::C.go#1",
        "  ... 6 equal steps ...",
        *(f"   {n}  this.a ({n})" for n in (7, 8, 9)),
        "  10* this.b",
        "  -> this.r is 1",
        "M::C.go#2",
        "  ... 6 equal steps ...",
        *(f"   {n}  this.a ({n})" for n in (7, 8, 9)),
        "  10* this.c",
        "  11  this.d",
        "  -> this.r is 2",
    ]
    assert compared(left, right, names_in((left, right)), 80) == side_by_side(left, right, names_in((left, right)), 80)


def test_a_schedule_on_several_lines() -> None:
    found = case(1, [turn("a"), turn("a"), *(turn("b", n) for n in range(1, 5))])
    assert schedule_lines(found, names_in((found,)), 40) == [
        "schedule: this.a x 2, this.b, this.b (2),",
        "          this.b (3), this.b (4)",
    ]


def test_differences_tell_the_end_first() -> None:
    failure = Failure("go@#1", DataValue("ABS.StdLib.Exceptions.NullPointerException"), "m.abs", 9, False)
    good, bad = case(1, [], Plain(5)), case(2, [], failures=(failure,))
    assert differences(good, bad) == [
        ("the end of this.go", "normal", "NullPointerException"),
        ("the result", "5", "nothing"),
        ("this.r", "1", "2"),
    ]
    assert dependence_message(good, case(3, [], Plain(5))) == "this.r is 1 or 3"
    assert dependence_message(good, bad).endswith("is normal or NullPointerException, and 2 more differences")
    assert "other tasks are left waiting" in dependence_message(good, good)


def test_findings_by_rank() -> None:
    odd = Failure("go@#1", DataValue("M.Odd", (Plain("why"),)), "m.abs", 9, False)
    other = Failure("run@1#1", DataValue("M.Odd"), "m.abs", 8, False)
    asserted = Failure("go@#1", DataValue("ABS.StdLib.Exceptions.AssertionFailException"), "m.abs", 3, True)
    waits = (Wait("go@#1", "m.abs", 5, "the result of run@1#1", "this", "go"),)
    assert finding_of(case(1, [])) is None
    assert finding_of(case(1, [], failures=(odd,))) is None, "the caller gets it"
    found = finding_of(case(1, [turn("run")], failures=(other, asserted)))
    assert found == Finding("assertion", "assertion fails in this.go", "m.abs", 3)
    found = finding_of(case(1, [turn("run")], failures=(other,)))
    assert found == Finding("runtime-error", "uncaught Odd in this.run", "m.abs", 8)
    stuck = finding_of(case(1, [turn("run")], failures=(asserted,), deadlock=Deadlock(waits, ("run@1#1", "go@#1"))))
    assert stuck == Finding("deadlock", "wait cycle this.go -> this.run -> this.go", "m.abs", 5)
    lonely = finding_of(case(1, [turn("run")], deadlock=Deadlock(waits, ())))
    assert lonely is not None and lonely.message == "this.go waits for the result of this.run"


def test_a_whole_report() -> None:
    failure = Failure("a@1#1", DataValue("M.Odd"), "m.abs", 8, False)
    cases = [case(n, [turn("a")] * n, failures=(failure,)) for n in (2, 1)]
    good = [case(n, [turn("b")] * n) for n in (3, 4, 5)]
    judged = [replace(c, finding=finding_of(c)) for c in cases]
    suite = ActorSuite("m.abs::C.go", {}, [*judged, *good])
    suite.dependences = [
        OrderDependence(good[1].id, good[2].id, "this.r is 4 or 5", "m.abs", 7),
        OrderDependence(good[0].id, good[1].id, "this.r is 3 or 4\x1b[2J", "m.abs", 7),
    ]
    suite.stats.executions, suite.stats.states, suite.stats.complete = 9, 20, False
    suite.problems.append(Problem("note", "m.abs", 7, "only\na note"))
    text = printed(suite)
    assert text.startswith("m.abs::C.go: 2 findings\n\n1. uncaught error: uncaught Odd in this.a\n")
    assert "    m.abs:8: runtime-error, case M::C.go#1\n    this.go(n = 3, who = null)\n" in text
    assert "    this: C(r = 1, next = this.next)\n" in text
    assert "    schedule: this.a\n    also in 1 more case\n" in text
    assert "2. order-dependent result: this.r is 3 or 4[2J\n" in text
    assert "    also for 1 more input:\n        this.r is 4 or 5\n" in text
    counts = (
        "cases 5, findings 2, executions 9, states 20, cut 0, stopped early, unsupported 0, unknown 0, seconds 0.00"
    )
    assert text.endswith(f"\nm.abs::C.go: {counts}\nm.abs:7: note: only a note\n")
