"""What running and exploring find in the programs of examples/actors."""

from __future__ import annotations

import pytest

from everypath.cases.actors import ActorExpected, shown_value
from everypath.concurrency.orders import Order
from everypath.languages.abs.runtime.explore import machine_for
from everypath.languages.abs.runtime.outcomes import outcome
from everypath.languages.abs.runtime.system import ActorSystem
from tests.concurrency.traces import replay
from tests.runtimes.executing import EXAMPLES, clean, ended, example, outcomes

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.abs"))
FAILING = {"dining_philosophers"}


def field(found: ActorExpected, owner: str, name: str) -> str:
    (actor,) = [actor for actor in found.actors if actor.name == owner]
    return shown_value(dict(actor.fields)[name], comma=",")


def test_there_are_fourteen() -> None:
    assert len(NAMES) == 14


@pytest.mark.parametrize("name", NAMES)
def test_orders_agree(name: str) -> None:
    program = example(name)
    results = [outcomes(program, Order.ALL), outcomes(program), outcomes(program, Order.OPTIMAL, False)]
    assert len({frozenset(str(f.outcome) for f in r.found) for r in results}) == 1
    assert any(not clean(f.outcome) for f in results[0].found) == (name in FAILING)
    assert results[2].counts.blocked == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_random_schedule_is_among_the_explored(name: str) -> None:
    program = example(name)
    known = {str(f.outcome) for f in outcomes(program).found}
    assert {str(ended(program, seed)) for seed in range(10)} <= known
    assert str(ended(program)) in known


def test_the_factorial_loses_a_factor_in_some_orders() -> None:
    results = {field(f.outcome, "Fact#1", "r") for f in outcomes(example("fact")).found}
    assert results == {"6", "3"}


def test_the_philosophers_starve_in_one_outcome() -> None:
    found = outcomes(example("dining_philosophers")).found
    stuck = [f for f in found if f.outcome.deadlock is not None]
    assert len(stuck) == 1
    assert all(field(stuck[0].outcome, f"Philosopher#{n}", "meals") == "0" for n in (1, 2, 3))
    fed = outcomes(example("dining_philosophers_fixed")).found
    assert [field(f.outcome, f"Philosopher#{n}", "meals") for f in fed for n in (1, 2, 3)] == ["1", "1", "1"]


def test_sorting_ends_sorted_in_every_order() -> None:
    sorted_values = [
        [field(f.outcome, f"Node#{n}", "myval") for n in range(1, 5)] for f in outcomes(example("psort")).found
    ]
    assert sorted_values == [["1", "1", "2", "2"]]
    assert {f.outcome.output for f in outcomes(example("quicksort")).found} == {"list[1,1,3,4,5]\n"}


def test_messages_arrive_in_any_order() -> None:
    kept = {field(f.outcome, "Buffer#1", "buf") for f in outcomes(example("prod")).found}
    assert kept == {f"list[{a},{b}]" for a in (1, 2, 3) for b in (1, 2, 3) if a != b}
    left = {field(f.outcome, "Buffer#1", "buf") for f in outcomes(example("cons")).found}
    assert left == {"list[]"}


def test_racing_reads_see_either_value() -> None:
    assert {f.outcome.output for f in outcomes(example("hash_table")).found} == {"10\n", "11\n"}
    assert {f.outcome.output for f in outcomes(example("reader_writer")).found} == {"read 0\n", "read 7\n"}


def test_mail_is_delivered_or_returned() -> None:
    found = {
        (field(f.outcome, "Client#2", "inbox"), field(f.outcome, "Client#1", "bounced"))
        for f in outcomes(example("mail")).found
    }
    assert found == {('list["hello"]', "0"), ("list[]", "1")}


@pytest.mark.parametrize("name", ["fact", "dining_philosophers", "mail"])
def test_a_schedule_can_be_followed_again(name: str) -> None:
    program = example(name)
    for found in outcomes(program).found:
        system = ActorSystem(machine_for(program))
        last = replay(system, system.machine.initial(), found.schedule)[-1]
        assert system.enabled(last) == []
        assert outcome(system.machine, last) == found.outcome
