"""Races in which a step takes another one's possibility away, each a small program with its exact executions."""

from __future__ import annotations

import pytest

from everypath.concurrency.executions import Counts
from everypath.concurrency.orders import Order, explore
from everypath.concurrency.system import Policy
from tests.concurrency.toy import Program, Toy
from tests.concurrency.traces import normal_form

ANY, FIFO, LIFO = Policy.ANY, Policy.FIFO, Policy.LIFO

CASES = {
    # Both conditions hold only between steps that do not depend on each other.
    "two conditions": (
        Program(
            {"P": ANY},
            ("a", "b"),
            (
                (("set", "a", 1), ("suspend",), ("set", "a", 0)),
                (("set", "b", 1), ("suspend",), ("set", "b", 0)),
                (("await", ("a", ">=", 1), ("b", ">=", 1)),),
            ),
            (("P", 0), ("P", 1), ("P", 2)),
        ),
        {"done", "deadlock"},
    ),
    # The task that makes the condition false may come first: then the other waits for ever.
    "a condition lost": (
        Program(
            {"P": ANY},
            ("a",),
            ((("set", "a", 1),), (("await", ("a", "<=", 0)),)),
            (("P", 0), ("P", 1)),
        ),
        {"done", "deadlock"},
    ),
    # A blocking get keeps the processor from the very task that it waits for.
    "a call to itself": (
        Program({"P": ANY}, ("a",), ((("send", "P", 1), ("get",)), (("set", "a", 1),)), (("P", 0), ("P", 1))),
        {"deadlock"},
    ),
    # Each blocks its own processor and waits for the other, unless one is done before.
    "a circle of gets": (
        Program(
            {"P": ANY, "Q": ANY},
            ("a",),
            ((("send", "Q", 2), ("get",)), (("send", "P", 2), ("get",)), (("add", "a", 1),)),
            (("P", 0), ("Q", 1)),
        ),
        {"done", "deadlock"},
    ),
    # The first in the queue gets ready while the second, never seen beside it, could have run.
    "overtaken while waiting": (
        Program(
            {"P": FIFO, "Q": ANY, "R": ANY},
            ("a",),
            ((("send", "P", 1),), (("send", "Q", 2), ("wait",)), ()),
            (("R", 0), ("P", 1)),
        ),
        {"done"},
    ),
    "the last comes first": (
        Program(
            {"P": LIFO, "Q": ANY, "R": ANY},
            ("a", "b"),
            ((("send", "P", 1),), (("send", "Q", 2), ("wait",), ("mix", "a", "b")), (("mix", "b", "b"),)),
            (("R", 0), ("P", 2), ("R", 0)),
        ),
        {"done"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_class_is_found_once(name: str) -> None:
    program, kinds = CASES[name]
    toy = Toy(program)
    executions = list(explore(toy, toy.initial(), Order.ALL))
    classes = {normal_form(execution.events) for execution in executions}
    counts = Counts()
    found = list(explore(toy, toy.initial(), counts=counts))
    assert {normal_form(execution.events) for execution in found} == classes
    assert len(found) == len(classes)
    assert counts.blocked == 0
    assert {str(toy.outcome(execution.state)[0]) for execution in found} == kinds  # type: ignore[index]


def philosophers(count: int) -> Program:
    """Everyone takes the left fork, then the right one; a fork is a processor whose field says that it is taken."""
    forks = [f"F{i}" for i in range(count)]
    seats = [f"S{i}" for i in range(count)]
    take, put = 0, 1
    seat = [
        (("send", f, take), ("get",), ("send", forks[(i + 1) % count], take), ("get",), ("send", f, put),
         ("send", forks[(i + 1) % count], put))
        for i, f in enumerate(forks)
    ]  # fmt: skip
    procedures = ((("await", ("taken", "<=", 0)), ("set", "taken", 1)), (("set", "taken", 0),), *seat)
    return Program(
        {name: ANY for name in (*forks, *seats)}, ("taken",), procedures, tuple((s, i + 2) for i, s in enumerate(seats))
    )


def test_philosophers_starve() -> None:
    toy = Toy(philosophers(3))
    counts = Counts()
    found = list(explore(toy, toy.initial(), counts=counts))
    assert counts.blocked == 0
    assert {toy.outcome(execution.state)[0] for execution in found} == {"done", "deadlock"}  # type: ignore[index]
    classes = [normal_form(execution.events) for execution in found]
    assert len(set(classes)) == len(classes)
