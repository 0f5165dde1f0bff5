"""A search makes fewer objects of classes that cost much and lead nowhere."""

from __future__ import annotations

from everypath.languages.python.probing.worth import Worth

SLOW, QUICK, NEW = ("m", "Slow"), ("m", "Quick"), ("m", "New")


def judged() -> Worth:
    worth = Worth()
    for number in range(100):
        worth.note({SLOW}, 2_000, False)
        worth.note({QUICK}, 100, number % 10 == 0)
        worth.note((), 100, number % 10 == 0)
    worth.note({NEW}, 5_000, False)
    return worth


def test_a_class_whose_objects_cost_much_and_reach_nothing_is_seldom_made() -> None:
    assert judged().of(SLOW) < 0.3


def test_a_class_that_does_as_well_as_other_inputs_is_not_held_back() -> None:
    assert judged().of(QUICK) >= 1.0


def test_nothing_is_said_of_a_class_before_it_was_tried_some_times() -> None:
    assert judged().of(NEW) == judged().of(("m", "Never")) == 1.0
