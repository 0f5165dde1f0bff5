"""What the dependence relation promises: neighbouring independent steps can change places."""

from __future__ import annotations

import itertools

import pytest

from everypath.concurrency.access import WHOLE, Access, dependent
from everypath.concurrency.independence import Places, conflict
from everypath.concurrency.orders import Order, explore
from everypath.concurrency.system import Branch, Choice, Footprint, Move, Pending, Policy, Send
from everypath.errors import Internal
from tests.concurrency.toy import Program, Toy, random_program
from tests.concurrency.traces import follow, replay


def test_independent_neighbours_change_places() -> None:
    swapped = 0
    for seed in range(60):
        toy = Toy(random_program(seed))
        for execution in itertools.islice(explore(toy, toy.initial(), Order.ALL), 15):
            states = [toy.initial(), *replay(toy, toy.initial(), execution.schedule)]
            for i, (first, second) in enumerate(itertools.pairwise(execution.events)):
                if conflict(first, second):
                    continue
                state = states[i]
                for event in second, first:
                    state = follow(toy, state, Choice(event.move, event.label))
                assert toy.canonical(state) == toy.canonical(states[i + 2]), seed
                swapped += 1
    assert swapped > 500


KEYS = ["size", "name", 0, 1, WHOLE]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(KEYS, KEYS)))
def test_fields_depend_as_accesses_do(first: object, second: object) -> None:
    places = Places(lambda _: Policy.ANY)
    for one, other in itertools.product([(True, False), (False, True), (True, True)], repeat=2):
        a, b = Access("o", first, *one), Access("o", second, *other)
        events = [
            places.event(Move("p", task), Branch(None, Footprint((access,))), 1, ())
            for task, access in (("s", a), ("t", b))
        ]
        assert conflict(*events) == dependent(a, b)
        apart = places.event(Move("p", "u"), Branch(None, Footprint((Access("x", second, *other),))), 1, ())
        assert not conflict(events[0], apart)


def step(places: Places, processor: str, task: str, footprint: Footprint, *pending: Pending):  # type: ignore[no-untyped-def]
    return places.event(Move(processor, task), Branch(None, footprint), 1, pending)


def test_unknown_steps_depend_on_all() -> None:
    places = Places(lambda _: Policy.ANY)
    assert conflict(step(places, "p", "s", Footprint(unknown=True)), step(places, "q", "t", Footprint()))


@pytest.mark.parametrize(("policy", "sends", "arrival"), [("any", 0, 0), ("fifo", 1, 0), ("lifo", 1, 1)])
def test_calls_into_the_same_queue(policy: str, sends: bool, arrival: bool) -> None:
    places = Places(lambda p: Policy(policy) if p == "q" else Policy.ANY)
    first = step(places, "p", "s", Footprint(sends=(Send("x", "q"),)))
    second = step(places, "r", "t", Footprint(sends=(Send("y", "q"),)))
    runs = step(places, "q", "z", Footprint(resolves=("z",)))
    assert conflict(first, second) == sends
    assert conflict(first, runs) == arrival
    assert conflict(first, step(places, "q", "x", Footprint())), "a task runs after its call"


def test_results_and_held_processors() -> None:
    places = Places(lambda _: Policy.ANY)
    gives = step(places, "p", "s", Footprint(resolves=("s",)))
    assert conflict(gives, step(places, "q", "t", Footprint(gets=("s",))))
    assert conflict(gives, step(places, "q", "t", Footprint(misses=("s",))))
    assert conflict(gives, step(places, "q", "t", Footprint(), Pending(Move("q", "t"), futures=("s",))))
    assert not conflict(gives, step(places, "q", "t", Footprint(gets=("u",))))
    holds = step(places, "q", "t", Footprint(holds=True))
    releases = step(places, "q", "t", Footprint(), Pending(Move("q", "t"), holding=True))
    beside = step(places, "q", "v", Footprint())
    assert conflict(holds, beside)
    assert conflict(releases, beside)
    assert not conflict(holds, step(places, "p", "v", Footprint()))
    watches = Pending(Move("q", "w"), watches=(Access("q", "a", True, False),))
    assert conflict(step(places, "q", "w", Footprint(), watches), step(places, "q", "v", writes_a()))


def writes_a() -> Footprint:
    return Footprint((Access("q", "a", False, True),))


def test_a_schedule_that_cannot_be_followed_says_where() -> None:
    toy = Toy(Program({"P": Policy.ANY}, ("a",), ((("add", "a", 1),),), (("P", 0),)))
    with pytest.raises(Internal, match="task 7 of P cannot run here"):
        replay(toy, toy.initial(), [Choice(Move("P", "7"))])
    with pytest.raises(Internal, match="has no branch"):
        replay(toy, toy.initial(), [Choice(Move("P", "0"), "x")])
