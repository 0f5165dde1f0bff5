"""Exact interleavings, endings of every kind, and that nothing is left behind."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from everypath.concurrency.schedule import SERIAL, Leg, Point
from everypath.race.control.arena import RealArena
from everypath.race.control.monitor import MONITOR
from everypath.race.events import ENTER, EXIT, READ, SITES
from everypath.race.running import Endless, NotReached, Raised, Returned, Run
from tests.race.arena_setting import Counter, arena, operations, plain, site


@pytest.fixture
def stage() -> Iterator[RealArena]:
    with arena() as made:
        yield made


def notes(stage: RealArena, *legs: Leg) -> list[str]:
    counter = Counter()
    stage.run([lambda: counter.note("a", "b", "c")], [lambda: counter.note("x", "y", "z")], legs)
    return counter.log


def test_without_a_plan_the_lowest_runs_first(stage: RealArena) -> None:
    assert notes(stage) == list("abcxyz")


def test_serial_orders(stage: RealArena) -> None:
    assert notes(stage, *SERIAL[0]) == list("abcxyz")
    assert notes(stage, *SERIAL[1]) == list("xyzabc")


@pytest.mark.parametrize(
    ("legs", "expected"),
    [
        ([Leg(0, 1), Leg(1)], "axyzbc"),
        ([Leg(0, 2), Leg(1, 1)], "abxcyz"),
        ([Leg(0, 0), Leg(1)], "xyzabc"),
        ([Leg(0, 1), Leg(1, 2), Leg(0, 2), Leg(1)], "axybzc"),
        ([Leg(0, 1), Leg(0, 2), Leg(1, 1), Leg(0)], "abxcyz"),
        ([Leg(0, 1), Leg(0, 1), Leg(1, 1), Leg(1, 1), Leg(0)], "axbcyz"),
        ([Leg(1, 2), Leg(0)], "xyabcz"),
    ],
)
def test_interleavings_by_number(stage: RealArena, legs: list[Leg], expected: str) -> None:
    assert "".join(notes(stage, *legs)) == expected


@pytest.mark.parametrize(
    ("legs", "expected"),
    [
        ([Leg(0, Point("Counter.note", "write b")), Leg(1)], "axyzbc"),
        ([Leg(0, Point("Counter.note", "write c")), Leg(1, Point("Counter.note", "write y")), Leg(0)], "abxcyz"),
        ([Leg(1, Point("Counter.note", "write x")), Leg(0, 1), Leg(1)], "axyzbc"),
    ],
)
def test_interleavings_by_point(stage: RealArena, legs: list[Leg], expected: str) -> None:
    assert "".join(notes(stage, *legs)) == expected


def test_occurrences_are_counted_per_thread(stage: RealArena) -> None:
    counter = Counter()
    point = Point("Counter.note", "write a", 3)
    run = stage.run(
        [lambda: counter.note("a", "a"), lambda: counter.note("a", "a")],
        [lambda: counter.note("a", "x")],
        (Leg(1, 1), Leg(0, point), Leg(1), Leg(0)),
    )
    assert "".join(counter.log) == "aaaxaa"
    assert not run.missed


@pytest.mark.parametrize(
    "legs",
    [
        [Leg(0, 9), Leg(1)],
        [Leg(0, Point("Counter.note", "write q")), Leg(1)],
        [Leg(0, Point("Counter.note", "write a", 2)), Leg(1)],
        [Leg(0, 2), Leg(0, 1), Leg(1)],
        [Leg(0), Leg(0, 1)],
        [Leg(0, Point("Counter.note", "write c")), Leg(0, Point("Counter.note", "write b")), Leg(1)],
    ],
)
def test_missed_points_are_told(stage: RealArena, legs: list[Leg]) -> None:
    counter = Counter()
    run = stage.run([lambda: counter.note("a", "b", "c")], [lambda: counter.note("x")], tuple(legs))
    assert run.missed
    assert sorted(counter.log) == list("abcx")


def test_a_lost_update(stage: RealArena) -> None:
    counter = Counter()
    run = stage.run([counter.add], [counter.add], (Leg(0, 1), Leg(1), Leg(0)), record=True)
    assert counter.n == 1
    assert run.outcomes == ((Returned(1),), (Returned(1),))
    assert operations(run) == ["0 read self.n", "1 read self.n", "1 write self.n", "0 write self.n"]
    assert not run.missed


def test_events_say_what_an_interpreter_with_a_global_lock_could_do(stage: RealArena) -> None:
    counter = Counter()
    run = stage.run([counter.add, counter.add], [], SERIAL[0], record=True)
    assert [(e.kind in (ENTER, EXIT), e.today) for _, e in run.events] == [
        (True, True),
        (False, True),
        (False, False),
        (True, False),
    ] * 2
    assert run.boundaries == ((0, 4), ())

    def native() -> None:
        for _ in range(2):
            MONITOR.iteration()
            MONITOR.access(READ, site("x"), counter, "x")
            MONITOR.access(READ, site("x"), counter, "x")
        MONITOR.native_returned()
        MONITOR.access(READ, site("x"), counter, "x")

    run = stage.run([native], [], SERIAL[0], record=True)
    assert [e.today for _, e in run.events] == [True, False, True, False, True]


def test_nothing_is_recorded_unless_asked_for(stage: RealArena) -> None:
    assert stage.run([Counter().add], [], SERIAL[0]).events == ()


def test_errors_of_the_program_are_outcomes(stage: RealArena) -> None:
    def deep() -> None:
        counter.add()
        deep()

    def wrong() -> None:
        raise ValueError("no")

    counter = Counter()
    run = stage.run([wrong, lambda: sys.exit(3), counter.add], [deep, counter.add], SERIAL[0])
    first, second = run.outcomes
    assert [type(o) for o in first] == [Raised, Raised, Returned]
    assert [type(o.error) for o in first[:2] if isinstance(o, Raised)] == [ValueError, SystemExit]
    assert isinstance(second[0], Raised)
    assert isinstance(second[0].error, RecursionError)
    assert isinstance(second[1], Returned)


def test_a_switch_at_the_end_of_the_stack_loses_no_baton(stage: RealArena) -> None:
    def deep() -> None:
        counter.add()
        deep()

    counter = Counter()
    solo = stage.run([deep], [], SERIAL[0], record=True)
    reached = sum(e.kind not in (ENTER, EXIT) for _, e in solo.events)
    for until in range(reached - 12, reached + 1):
        counter.n = 0
        run = stage.run([deep], [counter.add], (Leg(0, until), Leg(1), Leg(0)))
        assert isinstance(run.outcomes[0][0], Raised)
        assert isinstance(run.outcomes[1][0], Returned)


def spin() -> None:
    while True:
        MONITOR.iteration()


def test_endless_loops_end(stage: RealArena) -> None:
    counter = Counter()
    run = stage.run([spin, counter.add], [counter.add], SERIAL[0], steps=1000)
    assert isinstance(run.outcomes[0][0], Endless)
    assert SITES[run.outcomes[0][0].site].function == "spin"
    assert run.outcomes[0][1] == NotReached()
    assert run.outcomes[1] == (Returned(1),)
    assert stage.run([counter.add], [counter.add], SERIAL[0]).outcomes == ((Returned(2),), (Returned(3),))


def test_endless_accesses_and_calls_end(stage: RealArena) -> None:
    def accesses() -> None:
        while True:
            counter.add()

    def calls(depth: int) -> None:
        MONITOR.enter(site("calls"))
        if depth:
            calls(depth - 1)
            calls(depth - 1)

    counter = Counter()
    run = stage.run([accesses], [lambda: calls(40)], SERIAL[0], steps=1000)
    assert [type(o[0]) for o in run.outcomes] == [Endless, Endless]


def test_both_endless(stage: RealArena) -> None:
    run = stage.run([spin], [spin], (Leg(0, 1), Leg(1)), steps=1000)
    assert [type(o[0]) for o in run.outcomes] == [Endless, Endless]


def test_who_waits_in_a_loop_for_the_other_is_not_endless(stage: RealArena) -> None:
    class Flag:
        up = False

    def wait() -> str:
        while not flag.up:
            MONITOR.iteration()
        return "seen"

    def put_up() -> None:
        flag.up = True

    flag = Flag()
    run = stage.run([wait], [put_up], SERIAL[0])
    assert run.outcomes == ((Returned("seen"),), (Returned(None),))


def test_the_end_cannot_be_swallowed(stage: RealArena) -> None:
    def swallow() -> None:
        while True:
            try:
                spin()
            except BaseException:
                MONITOR.current  # noqa: B018

    def stubborn() -> None:
        while True:
            try:
                spin()
            except BaseException:
                continue

    before = stage.abandoned
    run = stage.run([swallow], [stubborn], SERIAL[0], steps=500)
    assert [type(o[0]) for o in run.outcomes] == [Endless, Endless]
    assert stage.abandoned > before
    counter = Counter()
    assert stage.run([counter.add], [counter.add], SERIAL[0]).outcomes == ((Returned(1),), (Returned(2),))


def test_a_thousand_runs_are_one_run(stage: RealArena) -> None:
    def once() -> Run:
        counter = Counter()
        return stage.run([counter.add] * 2, [counter.add] * 2, (Leg(0, 3), Leg(1, 1), Leg(0)), record=True)

    expected = plain(once())
    assert all(plain(once()) == expected for _ in range(1000))


def test_threads_do_not_leak() -> None:
    before, known = _thread._count(), threading.active_count()
    for _ in range(5):
        with arena() as made:
            made.run([Counter().add], [Counter().add], SERIAL[0])
    deadline = time.monotonic() + 5
    while _thread._count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _thread._count() <= before
    assert threading.active_count() <= known


def test_calls_have_a_context_of_their_own(stage: RealArena) -> None:
    from contextvars import ContextVar

    seen: ContextVar[int] = ContextVar("seen", default=0)

    def remember() -> int:
        seen.set(seen.get() + 1)
        return seen.get()

    for _ in range(2):
        assert stage.run([remember, remember], [remember], SERIAL[0]).outcomes == (
            (Returned(1), Returned(2)),
            (Returned(1),),
        )
