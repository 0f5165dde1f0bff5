"""The control-flow graph on graphs small enough to check by eye, and dominators against their definition."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.ir import instructions as ins
from everypath.ir.cfg import Graph
from everypath.ir.program import Method


def method(edges: dict[str, str], *handlers: ins.Handler) -> Method:
    """A method from `label: "successor successor"`; two successors are a branch, more a switch, none a return."""
    blocks = {}
    for label, following in edges.items():
        targets = following.split()
        terminator: ins.Terminator
        match targets:
            case []:
                terminator = ins.Return(0)
            case [one]:
                terminator = ins.Jump(one)
            case [yes, no]:
                terminator = ins.Branch(0, yes, no)
            case [*others, default]:
                terminator = ins.Switch(0, tuple(enumerate(others)), default)
        blocks[label] = ins.Block(label, (ins.Length(0, 0),), terminator)
    return Method("C", "m", (), blocks, next(iter(edges)), 1, handlers=tuple(handlers), kind="static")


NESTED = {"a": "b", "b": "c g", "c": "d", "d": "e f", "e": "d", "f": "b", "g": "", "dead": "g"}


def test_edges_and_order() -> None:
    graph = Graph(method(NESTED))
    assert graph.successors["b"] == ("c", "g")
    assert set(graph.predecessors["b"]) == {"a", "f"}
    assert graph.reverse_postorder[0] == "a"
    assert graph.reachable == set("abcdefg")


def test_nested_loops() -> None:
    graph = Graph(method(NESTED))
    outer, inner = graph.loops["b"], graph.loops["d"]
    assert list(graph.loops) == ["b", "d"]
    assert (outer.body, outer.parent, outer.depth) == (set("bcdef"), None, 1)
    assert (inner.body, inner.parent, inner.depth) == (set("de"), "b", 2)
    assert outer.exits == {("b", "g")}
    assert inner.exits == {("d", "f")}
    assert inner.back_edges == {("e", "d")}
    assert graph.innermost_loop("e") == inner
    assert graph.innermost_loop("c") == outer
    assert graph.innermost_loop("g") is None
    assert graph.reducible


def test_loops_with_one_header_are_one() -> None:
    graph = Graph(method({"a": "b c x", "b": "a", "c": "a", "x": ""}))
    assert graph.loops["a"].body == set("abc")
    assert graph.loops["a"].back_edges == {("b", "a"), ("c", "a")}


def test_two_entries_into_a_cycle_are_irreducible() -> None:
    graph = Graph(method({"a": "b c", "b": "c", "c": "b x", "x": ""}))
    assert not graph.reducible
    assert graph.loops == {}


def test_exceptional_edges_go_to_the_first_handler_and_are_separate() -> None:
    handlers = ins.Handler(frozenset("b"), "h", 0), ins.Handler(frozenset("bh"), "o", 0)
    subject = method({"a": "b", "b": "c", "c": "", "h": "b", "o": ""}, *handlers)
    graph = Graph(subject)
    assert graph.exceptional == {"a": (), "b": ("h",), "c": (), "h": ("o",), "o": ()}
    assert graph.reachable == set("abc")
    assert graph.loops == {}
    assert Graph(subject, exceptional=True).loops["b"].body == {"b", "h"}


def test_blocks_that_cannot_raise_have_no_exceptional_edge() -> None:
    subject = method({"a": "b", "b": ""}, ins.Handler(frozenset("a"), "b", 0))
    subject.blocks["a"] = ins.Block("a", (ins.Const(0, 1),), ins.Jump("b"))
    assert Graph(subject).exceptional["a"] == ()


def test_missing_blocks_are_left_to_the_checker() -> None:
    graph = Graph(method({"a": "b nowhere", "b": ""}))
    assert graph.successors["a"] == ("b",)
    lost = method({"a": ""})
    lost.entry = "nowhere"
    assert Graph(lost).reverse_postorder == ()
    assert Graph(lost).loops == {}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=3), min_size=6, max_size=6))
def test_dominators_agree_with_their_definition(following: list[list[str]]) -> None:
    graph = Graph(method({label: " ".join(found) for label, found in zip("abcdef", following)}))

    def reached_without(avoided: str) -> set[str]:
        seen: set[str] = set()
        pending = ["a"] if avoided != "a" else []
        while pending:
            label = pending.pop()
            seen.add(label)
            pending += [t for t in graph.successors[label] if t != avoided and t not in seen]
        return seen

    for first in graph.reachable:
        avoiding = reached_without(first)
        for second in graph.reachable:
            assert graph.dominates(first, second) == (second not in avoiding)
