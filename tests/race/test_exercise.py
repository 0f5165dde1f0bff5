"""What a verdict tells about the calls that were made, and about those that could not be made."""

from __future__ import annotations

from everypath.race.running import Call, Raised, Returned
from everypath.race.search.exercise import Exercise

TAKE = Call("take", "sut.take(kept)")


def test_a_call_without_its_argument_was_not_made() -> None:
    exercise = Exercise()
    exercise.missed(TAKE)
    done = exercise.summary((), None, ((), ()), "f.py")
    assert (done.methods, done.returned, done.raised) == (1, (), ())
    assert [(each.method, each.why) for each in done.uncalled] == [
        ("take", "sut.take(kept) needs the result of a call that was not made before it")
    ]


def test_a_call_that_is_made_later_was_called() -> None:
    exercise = Exercise()
    exercise.missed(TAKE)
    exercise.saw(TAKE, Returned(1))
    done = exercise.summary((), None, ((), ()), "f.py")
    assert (done.methods, done.returned, done.uncalled) == (1, ("take",), ())


def test_what_a_call_raised_is_told_whatever_it_is() -> None:
    exercise = Exercise()
    exercise.saw(TAKE, Raised(NameError("name 'x' is not defined")))
    (raised,) = exercise.summary((), None, ((), ()), "f.py").raised
    assert raised.method == "take" and "NameError" in raised.why
