"""A failing run in words: how calls end, who waits for whom, and the steps of both threads in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.race.running import Blocked, Endless, NotReached, Outcome, Raised, Refused, Returned, Run
from everypath.race.search.examine import stuck, wait_lines
from everypath.race.search.finding_text import LONGEST_TIMELINE, ending, places_text, timeline

from .recorded import OBJECTS, naming, run, site
from .searching import followed

CALLS = (("sut.f()",), ("sut.g()",))


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Returned([1, "a"]), "returns [1, 'a']"),
        (Raised(KeyError("a")), "raises KeyError: 'a'"),
        (Raised(ValueError("two\nlines")), "raises ValueError: two lines"),
        (Raised(ValueError()), "raises ValueError"),
        (Raised(ValueError("<object at 0x7f00>")), "raises ValueError"),
        (Blocked(None, site("self.lock"), ()), "waits for ever at self.lock"),
        (Endless(0), "does not end"),
        (Refused("writes a file", "c.py", 1), "writes a file"),
        (NotReached(), "is not reached"),
    ],
)
def test_endings(outcome: Outcome, text: str) -> None:
    assert ending(outcome) == text


def test_lists_of_places() -> None:
    assert places_text([]) == ""
    assert places_text(["a"]) == "a"
    assert places_text(["a", "b", "a"]) == "a and b"
    assert places_text("abc") == "a, b and c"


def texts(recorded: Run, calls: tuple[tuple[str, ...], tuple[str, ...]] = CALLS) -> list[str]:
    return [f"{'AB'[turn.thread]} {turn.text}" for turn in timeline(recorded, calls, naming)]


def test_only_what_both_threads_see_is_told() -> None:
    assert texts(run("A:rx A:rz B:wx B:wy A:wx A:wn.fresh")) == [
        "A call sut.f()",
        "A read self.x",
        "B call sut.g()",
        "B write self.x",
        "B sut.g() returns None",
        "A write self.x",
        "A sut.f() returns None",
    ]


def test_each_call_begins_where_it_does() -> None:
    """Entries and exits of functions count for the boundaries between the calls of a thread."""
    recorded = run("A:>f A:wx A:<f A:>f A:rx A:<f B:wx", ([Returned(1), Returned(2)], [Returned(None)]))
    recorded = Run(recorded.outcomes, recorded.events, ((0, 3), (0,)))
    assert texts(recorded, (("sut.f()", "sut.f(2)"), ("sut.g()",))) == [
        "A call sut.f()",
        "A write self.x",
        "A sut.f() returns 1",
        "A call sut.f(2)",
        "A read self.x",
        "A sut.f(2) returns 2",
        "B call sut.g()",
        "B write self.x",
        "B sut.g() returns None",
    ]


def test_a_long_timeline_keeps_what_is_around_the_switches() -> None:
    shown = texts(run("A:rx " * 200 + "B:wx " + "A:rx " * 200))
    assert len(shown) <= LONGEST_TIMELINE
    assert "B write self.x" in shown and shown[0] == "A call sut.f()" and shown[-1] == "A sut.f() returns None"


def waiting(lock: str, *held: str) -> Blocked:
    return Blocked(OBJECTS[f"sut.{lock}"], site(f"self.{lock}"), tuple(OBJECTS[f"sut.{each}"] for each in held))


def test_a_cycle() -> None:
    recorded = run("A:+left B:+right B:+left A:+right", ([waiting("right", "left")], [waiting("left", "right")]))
    assert stuck(recorded) is None
    lines = wait_lines(recorded, naming)
    assert [line.partition(" and waits")[0] for line in lines] == ["A holds sut.left", "B holds sut.right"]


def test_a_lock_that_an_ended_call_has_kept() -> None:
    recorded = run("A:+left B:+left", ([Returned(None)], [waiting("left")]))
    assert stuck(recorded) == "lock-kept"


def test_a_lock_that_was_taken_before_the_threads_began() -> None:
    assert stuck(run("B:+left", ([Returned(None)], [waiting("left")]))) is None


def test_a_lock_that_another_thread_gave_back() -> None:
    """It was released and taken again by somebody outside."""
    recorded = run("A:+left", ([Returned(None)], [waiting("left")]))
    released = run("B:+left B:-left B:+left")
    events = (recorded.events[0], *released.events[1:])
    assert stuck(Run(recorded.outcomes, events, recorded.boundaries)) is None


def test_a_lock_that_the_call_holds_itself() -> None:
    assert stuck(run("A:+left A:+left", ([waiting("left", "left")], []))) == "deadlock"


def test_results_that_only_look_alike_are_told_apart(tmp_path: Path) -> None:
    source = """
class Lazy:
    def __init__(self):
        self._made = None

    def get(self):
        if self._made is None:
            self._made = []
        return self._made
"""
    seen = followed(
        tmp_path, source, "Lazy()", (["sut.get()"], ["sut.get()"]), ["A until Lazy.get: write self._made", "B", "A"]
    )
    assert seen.kind == "result"
    assert seen.observed[:3] in seen.serial
    assert any(line.startswith("unlike: ") for line in seen.observed)
