"""Theorem 1 of 002 on the paper's own example."""

from __future__ import annotations

from everypath.concurrency.stability import Actor, Method, Statics, commits, temporarily_stable
from everypath.concurrency.system import Branch, Footprint, Policy, Send
from tests.concurrency.toy import Program, Toy

FT, WK, DG, RP = (Method("Fact", name) for name in ("ft", "wk", "dg", "rp"))
FACT = Statics(
    calls={FT: frozenset([WK, DG, RP]), WK: frozenset(), DG: frozenset([FT]), RP: frozenset([RP])},
    reads={FT: frozenset(["mx"]), WK: frozenset(["r"]), DG: frozenset(["mx"]), RP: frozenset(["r", "b"])},
    writes={FT: frozenset(), WK: frozenset(["r"]), DG: frozenset(), RP: frozenset(["r"])},
)


def actor(name: str, methods: list[Method], *refers: str, owner: str = "Fact") -> Actor:
    tasks = tuple((f"{name}.{i}", method) for i, method in enumerate(methods))
    return Actor(name, frozenset([owner]), tasks, frozenset(refers))


def stable(name: str, *actors: Actor, statics: Statics = FACT, ordered: bool = False) -> bool:
    (asked,) = [candidate for candidate in actors if candidate.processor == name]
    return temporarily_stable(asked, actors, statics, ordered)


def test_example_3() -> None:
    """Node (2) of Fig. 4: s0 has wk left, its worker r1 has ft and knows s0."""
    actors = actor("s0", [WK]), actor("r1", [FT], "s0")
    assert stable("r1", *actors)
    assert not stable("s0", *actors)


def test_condition_2_calls_of_independent_methods_do_no_harm() -> None:
    actors = actor("r0", [DG], "r1"), actor("r1", [FT], "r0")
    assert stable("r0", *actors)
    assert stable("r1", *actors)
    assert not stable("r0", *actors, ordered=True)


def test_condition_3_nobody_on_the_way_knows_the_actor() -> None:
    assert stable("s0", actor("s0", [WK]), actor("r1", [RP], "s2"), actor("s2", []))
    assert not stable("s0", actor("s0", [WK]), actor("r1", [RP], "s2"), actor("s2", [], "s0"))


def test_condition_3_looks_only_at_classes_on_the_chain() -> None:
    ask, answer, other = Method("A", "ask"), Method("B", "answer"), Method("C", "other")
    statics = Statics(
        calls={ask: frozenset([answer, other]), answer: frozenset(), other: frozenset()},
        reads={ask: frozenset(), answer: frozenset(["x"]), other: frozenset()},
        writes={ask: frozenset(), answer: frozenset(["x"]), other: frozenset()},
    )
    b, a = actor("b", [answer], owner="B"), actor("a", [ask], owner="A")
    assert stable("b", a, b, actor("c", [], "b", owner="C"), statics=statics)
    assert not stable("b", actor("a", [ask], "b", owner="A"), b, statics=statics)


def test_unknown_methods_can_do_anything() -> None:
    assert not stable("s0", actor("s0", [WK]), actor("r1", [Method("Fact", "new")]))
    assert not FACT.independent(WK, Method("Fact", "new"))


def test_a_method_that_may_block_is_independent_of_none() -> None:
    statics = Statics(FACT.calls, FACT.reads, FACT.writes, frozenset([DG]))
    assert FACT.independent(DG, WK)
    assert not statics.independent(DG, WK)


def test_steps_that_other_actors_can_change_do_not_go_first() -> None:
    toy = Toy(Program({"P": Policy.ANY, "Q": Policy.FIFO}, (), (), ()))
    state = toy.initial()
    assert commits(toy, [Branch(state, Footprint(sends=(Send("x", "P"),), misses=("x",)))])
    assert not commits(toy, [Branch(state, Footprint(misses=("x",)))])
    assert not commits(toy, [Branch(state, Footprint(sends=(Send("x", "Q"),)))])
    assert not commits(toy, [Branch(state, Footprint(unknown=True))])
