"""The orders against each other on random programs: the same outcomes, and `optimal` every equivalence class once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from everypath.concurrency.executions import Counts, Execution, Limits, TooLong
from everypath.concurrency.orders import Order, explore
from everypath.concurrency.stability import WithoutStable
from everypath.concurrency.system import Policy
from tests.concurrency.toy import Program, Toy, ToyState, random_program
from tests.concurrency.traces import normal_form, replay

SMALL = Limits(executions=500)
"""Programs with more executions are left out: each is run in every order."""


def small_programs(
    seeds: range, make: Callable[[int], Program]
) -> Iterator[tuple[int, Toy, list[Execution[ToyState]]]]:
    """The programs with a choice of order, each with all its executions."""
    used = 0
    for seed in seeds:
        toy = Toy(make(seed))
        counts = Counts()
        executions = list(explore(toy, toy.initial(), Order.ALL, limits=SMALL, counts=counts))
        if counts.complete and len(executions) > 1:
            used += 1
            yield seed, toy, executions
    assert used > len(seeds) // 5


KINDS: dict[str, Callable[[int], Program]] = {
    "everything": random_program,
    "no data": lambda seed: random_program(seed, inputs=False),
    "any order": lambda seed: random_program(seed, ordered=False),
    "no waiting": lambda seed: random_program(seed, waits=False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_optimal_explores_every_class_once(kind: str) -> None:
    for seed, toy, executions in small_programs(range(110), KINDS[kind]):
        counts = Counts()
        found = list(explore(toy, toy.initial(), counts=counts))
        classes = [normal_form(execution.events) for execution in found]
        assert set(classes) == {normal_form(execution.events) for execution in executions}, seed
        assert len(classes) == len(set(classes)) == counts.executions, seed
        assert counts.blocked == 0, seed
        assert {e.outcome for e in found} == {e.outcome for e in executions}, seed


@pytest.mark.parametrize("kind", KINDS)
def test_the_other_orders_lose_no_outcome(kind: str) -> None:
    for seed, toy, executions in small_programs(range(200, 260), KINDS[kind]):
        start = toy.initial()
        outcomes = {execution.outcome for execution in executions}
        runs = {
            "sleep": explore(toy, start, Order.INDEPENDENT),
            "stable": explore(toy, start, Order.STABLE, described=toy),
            "independent": explore(toy, start, Order.INDEPENDENT, described=toy),
            "static": explore(toy, start, Order.INDEPENDENT, described=toy, static=True),
            "merged all": explore(toy, start, Order.ALL, canonical=toy.canonical),
            "merged": explore(toy, start, Order.INDEPENDENT, described=toy, canonical=toy.canonical),
        }
        for name, run in runs.items():
            found = list(run)
            assert {execution.outcome for execution in found} == outcomes, (seed, name)
            assert len(found) <= len(executions), (seed, name)


def test_sleep_sets_alone_also_give_every_class_once_but_give_up_on_the_way() -> None:
    blocked = 0
    for seed, toy, executions in small_programs(range(300, 380), random_program):
        counts = Counts()
        classes = [normal_form(e.events) for e in explore(toy, toy.initial(), Order.INDEPENDENT, counts=counts)]
        assert sorted(map(hash, classes)) == sorted(map(hash, {normal_form(e.events) for e in executions})), seed
        blocked += counts.blocked
    assert blocked > 0


def test_schedules_lead_to_the_same_state_again() -> None:
    for seed, toy, _ in small_programs(range(400, 440), random_program):
        for execution in explore(toy, toy.initial()):
            states = replay(toy, toy.initial(), execution.schedule)
            assert not states or states[-1] == execution.state, seed


def test_branches_that_end_everything_hide_no_other_execution() -> None:
    ended = 0
    for seed, toy, executions in small_programs(range(500, 600), with_an_end):
        found = list(explore(toy, toy.initial()))
        finished = [normal_form(execution.events) for execution in found if execution.ended is None]
        assert len(finished) == len(set(finished)), seed
        assert set(finished) == {normal_form(e.events) for e in executions if e.ended is None}, seed
        sleeping = explore(toy, toy.initial(), Order.INDEPENDENT, described=toy)
        assert {e.outcome for e in sleeping} == {e.outcome for e in executions}, seed
        ends = {execution.ended for execution in executions}
        assert {execution.ended for execution in found} == ends, seed
        ended += ends != {None}
    assert ended > 5


def with_an_end(seed: int) -> Program:
    program = random_program(seed)
    rng = random.Random(seed)
    changed = rng.randrange(len(program.procedures))
    code = program.procedures[changed]
    code = (*code[: rng.randrange(len(code))], ("if", program.fields[0], 1), ("end", "bound"))
    procedures = (*program.procedures[:changed], code, *program.procedures[changed + 1 :])
    return Program(program.policies, program.fields, procedures, program.start)


def on_one_processor(count: int, *procedures: tuple[tuple[object, ...], ...]) -> Program:
    """`count` tasks of each procedure, all on one processor."""
    start = tuple(("P", i) for i in range(len(procedures)) for _ in range(count))
    return Program({"P": Policy.ANY}, ("a", "b"), procedures, start)


EXACT = {
    "four writers of a field": (on_one_processor(4, (("mix", "a", "a"),)), 24),
    "four readers": (on_one_processor(4, (("if", "a", 1),)), 1),
    "two writers of each of two fields": (on_one_processor(2, (("mix", "a", "a"),), (("mix", "b", "b"),)), 4),
    "three readers and a writer": (
        Program({"P": Policy.ANY}, ("a",), ((("if", "a", 1),), (("set", "a", 1),)), (*[("P", 0)] * 3, ("P", 1))),
        8,
    ),
    "calls that arrive in any order": (
        Program(
            {"P": Policy.ANY, "Q": Policy.ANY, "R": Policy.ANY},
            ("a",),
            ((("send", "P", 1),), (("if", "a", 1),)),
            (("Q", 0), ("R", 0)),
        ),
        1,
    ),
    "calls that arrive in a queue": (
        Program(
            {"P": Policy.FIFO, "Q": Policy.ANY, "R": Policy.ANY},
            ("a",),
            ((("send", "P", 1),), (("if", "a", 1),)),
            (("Q", 0), ("R", 0)),
        ),
        2,
    ),
    "data decides in two tasks": (on_one_processor(1, (("input", "x"), ("mix", "a", "a")), (("mix", "a", "b"),)), 3),
}


@pytest.mark.parametrize("name", EXACT)
def test_known_numbers_of_classes(name: str) -> None:
    program, expected = EXACT[name]
    toy = Toy(program)
    counts = Counts()
    assert len(list(explore(toy, toy.initial(), counts=counts))) == expected
    assert counts.blocked == 0


def test_optimal_takes_fewer_steps_than_sleep_sets() -> None:
    procedures = ((("mix", "a", "a"),), (("mix", "b", "b"), ("send", "P", 0)))
    start = (("P", 0), ("Q", 1), ("P", 0), ("Q", 1), ("P", 0))
    toy = Toy(Program({"P": Policy.ANY, "Q": Policy.ANY}, ("a", "b"), procedures, start))
    states = {}
    for order in Order.ALL, Order.INDEPENDENT, Order.OPTIMAL:
        counts = Counts()
        for _ in explore(toy, toy.initial(), order, counts=counts):
            pass
        states[order] = counts.states
    assert states[Order.OPTIMAL] < states[Order.INDEPENDENT] < states[Order.ALL]


@pytest.mark.parametrize("order", [Order.ALL, Order.INDEPENDENT, Order.OPTIMAL])
def test_limits(order: Order) -> None:
    toy = Toy(on_one_processor(4, (("mix", "a", "a"),)))
    counts = Counts()
    assert len(list(explore(toy, toy.initial(), order, limits=Limits(executions=5), counts=counts))) == 5
    assert not counts.complete
    counts = Counts()
    list(explore(toy, toy.initial(), order, limits=Limits(states=10), counts=counts))
    assert counts.states == 10
    assert not counts.complete
    counts = Counts()
    short = list(explore(toy, toy.initial(), order, limits=Limits(length=2), counts=counts))
    assert {execution.ended for execution in short} == {TooLong()}
    assert {len(execution.schedule) for execution in short} == {2}
    assert not counts.complete


@pytest.mark.parametrize("order", list(Order))
def test_nothing_to_do_is_one_execution(order: Order) -> None:
    toy = Toy(Program({"P": Policy.ANY}, ("a",), ((),), ()))
    (execution,) = explore(toy, toy.initial(), order, described=toy)
    assert execution.schedule == ()
    assert execution.outcome == toy.outcome(toy.initial())


def test_merging_ends_where_executions_do_not() -> None:
    # A task that waits for its turn for ever, beside one that changes something once.
    toy = Spinning()
    counts = Counts()
    found = list(explore(toy, toy.initial(), Order.STABLE, described=toy, canonical=toy.canonical, counts=counts))
    assert found == []
    assert counts.merged > 0
    assert toy.seen == {0, 1}


class Spinning(Toy):
    """One task suspends for ever, on the actor that is asked first; one on another actor sets a field."""

    def __init__(self) -> None:
        procedures = ((("suspend",),), (("set", "a", 1),))
        super().__init__(Program({"P": Policy.ANY, "Q": Policy.ANY}, ("a",), procedures, (("Q", 0), ("P", 1))))
        self.seen: set[int] = set()

    def step(self, state, move):  # type: ignore[no-untyped-def]
        (branch,) = super().step(state, move)
        self.seen.add(branch.state.fields["P", "a"])
        if move.task != "0":
            return [branch]
        tasks = {name: task for name, task in branch.state.tasks.items() if name != "0"}
        again = ToyState(branch.state.fields, {**tasks, "0": state.tasks["0"]}, state.queues)
        return [type(branch)(again, branch.footprint)]


def test_what_an_order_needs_is_asked_for() -> None:
    toy = Toy(on_one_processor(1, ()))
    with pytest.raises(ValueError, match="description"):
        explore(toy, toy.initial(), Order.STABLE)
    with pytest.raises(ValueError, match="merge"):
        explore(toy, toy.initial(), Order.OPTIMAL, canonical=toy.canonical)


def test_the_oldest_actor_alone_loses_executions() -> None:
    """Item 9 of the reading of 002: with no stable actor, the oldest goes first and nothing else is tried."""
    procedures = ((("mix", "a", "a"), ("send", "Q", 2)), (("mix", "a", "a"), ("send", "P", 2)), (("mix", "a", "a"),))
    start = (("P", 0), ("Q", 1))
    toy = Toy(Program({"P": Policy.ANY, "Q": Policy.ANY}, ("a",), procedures, start))
    every = list(explore(toy, toy.initial(), Order.INDEPENDENT, described=toy))
    oldest = list(explore(toy, toy.initial(), Order.INDEPENDENT, described=toy, without_stable=WithoutStable.OLDEST))
    classes = {normal_form(execution.events) for execution in every}
    assert {normal_form(execution.events) for execution in oldest} < classes
    assert classes == {normal_form(execution.events) for execution in explore(toy, toy.initial())}
