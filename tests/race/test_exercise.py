"""What a clean verdict tells: which methods came back, which only raised, which were never called, which branches."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from everypath.cases.races import says_little
from everypath.race.running import Call, Raised, Returned
from everypath.race.search.exercise import Exercise
from everypath.report.race import exercised_lines, print_race

from .searching import search

TAKE = Call("take", "sut.take(kept)")

MIXED = """
class Mixed:
    def __init__(self):
        self._lock, self._n = threading.Lock(), 0

    def add(self, amount: int) -> int:
        with self._lock:
            if amount > 1000000:
                self._n = 0
            self._n += amount
            return self._n

    def refuse(self) -> None:
        raise RuntimeError("never in the mood")

    def odd(self, thing) -> None:
        thing.no_such_attribute["x"] >> 3

    def write(self) -> None:
        open("somewhere", "w")
"""


def _printed(folder: Path, cls: str, source: str = MIXED) -> tuple[bool, list[str]]:
    report = search(folder, source, cls)
    stream = StringIO()
    print_race([report], stream)
    return says_little(report), stream.getvalue().splitlines()


def test_methods_and_branches_are_told_apart(tmp_path: Path) -> None:
    report = search(tmp_path, MIXED, "Mixed")
    done = report.exercised
    assert done.methods == 4
    assert done.returned == ("add",)
    assert [each.method for each in done.raised] == ["refuse"]
    assert "never in the mood" in done.raised[0].why
    assert sorted(each.method for each in done.uncalled) == ["odd", "write"]
    assert (done.branches, done.branches_reached, done.unreached) == (2, 1, (10,))
    # Of four methods there are ten pairs, and only one method ever came back.
    assert (report.stats.pairs_covered, report.stats.pairs_total) == (1, 10)
    assert len(done.pairs_left) == 9 and ("add", "add") not in done.pairs_left


def test_a_verdict_on_little_says_so_at_once(tmp_path: Path) -> None:
    little, lines = _printed(tmp_path, "Mixed")
    assert little
    assert lines[0].startswith("subject::Mixed: tested little: no violation found")
    assert lines[1].startswith("exercised: 1 of 4 methods, 1 of 2 branches; ")
    assert lines[2].startswith("only raised: refuse raises RuntimeError: never in the mood")
    assert lines[3].startswith("never called: odd no arguments found with which it works: it raises AttributeError")
    assert lines[4].startswith("never called: write ")
    assert lines[5].startswith("not run against each other: add with refuse, add with odd, add with write, ")
    assert lines[6] == "branches not taken: line 10"
    # The reasons are told once.
    assert sum("no arguments found" in line for line in lines) == 1


def test_a_few_pairs_that_did_not_meet_are_shown_with_where_the_rest_is() -> None:
    exercise = Exercise()
    for name in "abcde":
        exercise.saw(Call(name, f"sut.{name}()"), Returned(1) if name != "b" else Raised(ValueError("no")))
    exercise.pairs.add(frozenset("ac"))
    done = exercise.summary({"f": "is too slow"}, None, ((), ()), "f.py")
    assert len(done.pairs_left) == 20 and len(set(map(frozenset, done.pairs_left))) == 20
    # What both return comes first, because nothing else explains why they did not meet.
    assert all({*pair} <= {*"acde"} for pair in done.pairs_left[:9])
    assert not any({*pair} <= {*"acde"} for pair in done.pairs_left[9:])
    lines = exercised_lines(done)
    assert "never called: f is too slow" in lines
    (shown,) = [line for line in lines if line.startswith("not run against each other: a with a, a with d")]
    assert shown.endswith(" and 10 more; --format json lists all as pairs_left")


@pytest.mark.parametrize(("seconds", "methods"), [(1.0, ()), (1.0, ("m3", "m4")), (8.0, ("m3",))])
def test_every_pair_is_covered_or_named_whenever_the_search_ends(
    tmp_path: Path, seconds: float, methods: tuple[str, ...]
) -> None:
    head = "class Wide:\n    def __init__(self):\n        self.n = 0\n"
    body = "".join(f"    def m{i}(self):\n        self.n += {i}\n        return self.n\n" for i in range(25))
    report = search(tmp_path, head + body, "Wide", seconds=seconds, methods=methods)
    stats, done = report.stats, report.exercised
    assert stats.pairs_total - stats.pairs_covered == len(done.pairs_left)
    assert done.methods == 25


def test_a_verdict_on_everything_does_not(tmp_path: Path) -> None:
    whole = MIXED.partition("    def refuse")[0]
    little, lines = _printed(tmp_path, "Mixed", whole)
    assert not little
    assert lines[0].startswith("subject::Mixed: no violation found")


def test_a_call_without_its_argument_was_not_made() -> None:
    exercise = Exercise()
    exercise.missed(TAKE)
    done = exercise.summary({}, None, ((), ()), "f.py")
    assert (done.methods, done.returned, done.raised) == (1, (), ())
    assert [(each.method, each.why) for each in done.uncalled] == [
        ("take", "sut.take(kept) needs the result of a call that was not made before it")
    ]


def test_a_call_that_is_made_later_was_called() -> None:
    exercise = Exercise()
    exercise.missed(TAKE)
    exercise.saw(TAKE, Returned(1))
    done = exercise.summary({}, None, ((), ()), "f.py")
    assert (done.methods, done.returned, done.uncalled) == (1, ("take",), ())


def test_what_a_call_raised_is_told_whatever_it_is() -> None:
    exercise = Exercise()
    exercise.saw(TAKE, Raised(NameError("name 'x' is not defined")))
    (raised,) = exercise.summary({}, None, ((), ()), "f.py").raised
    assert raised.method == "take" and "NameError" in raised.why
