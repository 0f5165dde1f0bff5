"""Which memory a failing run is about, where the switch fell, and whether it can fall there today."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.races import FREE_THREADED, TODAY
from everypath.concurrency.schedule import Leg, Plan, Point
from everypath.race.events import SITES
from everypath.race.running import Raised, Run
from everypath.race.search.causes import Evidence, evidence, patterns
from everypath.race.search.predict import Requirement
from everypath.race.search.tally import triggered

from .recorded import naming, run, site
from .searching import search


def divided(stop: int) -> Plan:
    return (Leg(0, stop), Leg(1), Leg(0))


def keys(found: Evidence) -> list[object]:
    return [access.key for access in found.places]


def test_the_place_that_both_halves_and_the_other_thread_touch_comes_first() -> None:
    found = evidence(run("A:rx A:ry B:wz B:wy A:rz@7 A:wy@8"), divided(2), naming)
    assert keys(found) == ["y", "z"]
    assert found.site is not None and SITES[found.site].line == 8
    assert found.other is not None and SITES[found.other].text == "self.y"


def test_what_nobody_changes_is_not_raced_for() -> None:
    assert keys(evidence(run("A:rx A:ry B:rx B:wy A:rx A:wy"), divided(2), naming)) == ["y"]


def test_a_place_that_was_written_before_the_switch_and_seen_by_the_other() -> None:
    """The divided call goes on with an object of its own."""
    assert keys(evidence(run("A:wx B:rx A:wn.fresh"), divided(1), naming)) == ["x"]


@pytest.mark.parametrize(("mark", "today"), [("!", True), ("", False)])
def test_the_label_depends_on_where_the_switch_falls(mark: str, today: bool) -> None:
    assert evidence(run(f"A:rx! B:wx! A:wx{mark}"), divided(1), naming).today is today


def test_every_switch_must_be_possible_today() -> None:
    plan = (Leg(0, 1), Leg(1, 1), Leg(0))
    assert evidence(run("A:rx! B:wx! A:wx! B:wy!"), plan, naming).today
    assert not evidence(run("A:rx! B:wx! A:wx! B:wy"), plan, naming).today


def test_the_schedule_is_named_by_the_source() -> None:
    recorded = run("A:rx A:wx A:rx B:wx A:wx")
    assert evidence(recorded, divided(3), naming).plan[0] == Leg(0, Point("C.f", "write self.x", 2))
    named = evidence(recorded, divided(3), naming).plan
    assert evidence(recorded, named, naming) == evidence(recorded, divided(3), naming)


def raising(source: str) -> BaseException:
    """The exception of code that is taken to be `c.py`."""
    names: dict[str, object] = {}
    exec(compile(source, "c.py", "exec"), names)
    try:
        names["C"]().f()  # type: ignore[operator]
    except KeyError as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_place_that_the_failing_line_looks_at_comes_first() -> None:
    """What is touched on the way out is not what went wrong."""
    error = raising("class C:\n  def f(self):\n    {}['a']\n")
    recorded = run("A:rx@2 B:wy B:wz B:wx A:ry@2 A:rz@3 A:rx@4", ([Raised(error)], [Raised(KeyError())]))
    assert keys(evidence(recorded, divided(1), naming)) == ["x", "y", "z"]
    assert keys(evidence(recorded, divided(1), naming, [(0, 0)])) == ["z", "x", "y"]
    assert keys(evidence(recorded, divided(1), naming, [(1, 0)])) == ["x", "y", "z"]


def test_a_lock_that_stops_the_other_thread_is_no_memory() -> None:
    found = evidence(run("A:+left A:rx B:+left A:wx A:-left B:rx B:wx B:-left"), divided(2), naming)
    assert found.locks == ()
    assert found.other is None


@pytest.mark.parametrize(
    ("text", "stop", "numbers"),
    [
        ("A:rx B:wx A:wx", 1, (1,)),
        ("A:rx B:wx A:rx", 1, (2,)),
        ("A:wx B:rx A:wx", 1, (3,)),
        ("A:wx B:rx B:ry A:wy", 1, (8,)),
    ],
)
def test_patterns_of_a_run(text: str, stop: int, numbers: tuple[int, ...]) -> None:
    assert set(patterns(run(text), divided(stop), naming)) >= set(numbers)


def requirement(pattern: int, *names: str) -> Requirement:
    """The first and last are of thread A."""
    first, *others, second = names
    sites = [site(f"self.{each}", 1, "C.g") for each in others]
    return Requirement(pattern, site(f"self.{first}"), tuple(sites), site(f"self.{second}"))


@pytest.mark.parametrize(
    ("text", "wanted", "met"),
    [
        ("A:rx B:wx A:wx", requirement(1, "x", "x", "x"), True),
        ("B:wx A:rx A:wx", requirement(1, "x", "x", "x"), False),
        ("A:rx A:wx B:wx", requirement(1, "x", "x", "x"), False),
        ("A:rx A:wx B:wx A:rx A:wx", requirement(1, "x", "x", "x"), True),
        ("A:wx B:rx B:ry A:wy", requirement(8, "x", "x", "y", "y"), True),
        ("A:wx B:rx A:wy B:ry", requirement(8, "x", "x", "y", "y"), False),
        ("A:wx B:wy A:wy B:wx", requirement(7, "x", "y", "x", "y"), True),
        ("A:wx B:wy B:wx A:wy", requirement(7, "x", "y", "x", "y"), True),
        ("B:wy B:wx A:wx A:wy", requirement(7, "x", "y", "x", "y"), False),
        ("A:rn.fresh B:wn A:wn.fresh", requirement(1, "n.fresh", "n", "n.fresh"), False),
    ],
)
def test_a_requirement_is_met_by_order_and_memory(text: str, wanted: Requirement, met: bool) -> None:
    assert triggered(run(text), 0, [wanted]) == ({wanted} if met else set())


def test_thousands_of_steps_are_looked_through_quickly() -> None:
    long: Run = run("A:rx B:wx A:wx " + "A:ry B:wy " * 10_000)
    assert keys(evidence(long, divided(1), naming))[0] == "x"


SWITCHES = """
class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1
"""


def test_an_increment_is_lost_without_a_global_lock_only(tmp_path: Path) -> None:
    (finding,) = search(tmp_path, SWITCHES, "Counter").findings
    assert (finding.label, finding.places, finding.patterns) == (FREE_THREADED, ("Counter.n",), (1,))
    assert finding.title == "two calls of Counter.add: an update of Counter.n is lost"
    assert finding.location.endswith("subject.py:8")


def test_with_a_call_in_between_it_happens_today(tmp_path: Path) -> None:
    source = SWITCHES.replace("self.n += 1", "n = self.n\n        self.n = self.next(n)\n")
    (finding,) = search(tmp_path, source + "\n    def next(self, n):\n        return n + 1\n", "Counter").findings
    assert finding.label == TODAY
