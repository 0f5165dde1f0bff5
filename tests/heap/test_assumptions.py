"""Heap assumptions: how they are written, what they may name, and what they mean for a concrete graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.errors import BadInput
from everypath.generate.exploring import single_entry
from everypath.heap.assumptions import Assumption, check, cyclic, holds, parse, parse_all, shared
from everypath.languages.python.frontend import load_target
from everypath.languages.python.semantics.inputs import PYTHON_INPUTS
from everypath.languages.python.subject import method_of

CODE = """\
from __future__ import annotations


class Node:
    def __init__(self, value: int, next: Node | None) -> None:
        self.value = value
        self.next = next


class Pair:
    def __init__(self, left: Node, right: list[Node], extra) -> None:
        self.left = left
        self.right = right
        self.extra = extra


class List:
    def __init__(self, head: Node | None, spare: Node | None = None) -> None:
        self.head = head
        self.__spare = spare

    def size(self, limit: int) -> int:
        return limit

    @classmethod
    def make(cls, head: Node | None) -> List:
        return cls(head)

    @staticmethod
    def same(a: Node, b: Node) -> bool:
        return a is b

    def __enter__(self) -> List:
        return self


class Longer(List):
    pass


def f(a: Node, b: Node | None, either: int | Node | Pair, n: int, word: str, items: list[int], index: dict[str, Node],
      seen: set[int], pair: tuple[Node, Node]) -> int:
    return n


def nothing() -> int:
    return 1
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("assumed") / "lists.py"
    path.write_text(CODE)
    return path


def checked(file: Path, member: str, *texts: str) -> tuple[Assumption, ...]:
    source = load_target(f"{file}::{member}")
    entry = single_entry(source, member)
    constructs = entry.kind == "constructor"
    return check(parse_all(texts), source.program, method_of(source, entry), entry.cls, constructs, PYTHON_INPUTS)


def test_spaces_and_separators() -> None:
    assert parse("noalias(a,b)") == (Assumption("noalias", ("a", "b"), "noalias(a,b)"),)
    assert parse("  acyclic ( self . head ) ;") == (Assumption("acyclic", ("self.head",), "acyclic ( self . head )"),)
    found = parse_all(["noalias(a, b); nosharing(a.next,\n b)", "acyclic(a)", "noalias(b,a)", "acyclic(a)"])
    assert [(a.kind, a.names) for a in found] == [
        ("noalias", ("a", "b")),
        ("nosharing", ("a.next", "b")),
        ("acyclic", ("a",)),
    ]
    assert [a.text for a in found] == ["noalias(a, b)", "nosharing(a.next,\n b)", "acyclic(a)"]
    assert parse_all([]) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is not a heap assumption; write noalias(a, b), nosharing(a, b) or acyclic(a)"),
        (" ; ", "is not a heap assumption"),
        ("x > 3", "'x > 3' is not a heap assumption"),
        ("acyclic a", "is not a heap assumption"),
        ("acyclic(a", "is not a heap assumption"),
        ("acyclic(a))", "is not a heap assumption"),
        ("acyclic(f(a))", "is not a heap assumption"),
        ("noalias(a, b), acyclic(a)", "';' between several"),
        ("not acyclic(a)", "is not a heap assumption"),
        ("noalais(a, b)", "unknown kind 'noalais'; did you mean 'noalias'?"),
        ("NoSharing(a, b)", "did you mean 'nosharing'?"),
        ("distinct(a, b)", "unknown kind 'distinct'; write noalias(a, b)"),
        ("noalias(a)", "about two references, not 1; write noalias(a, b)"),
        ("nosharing(a, b, c)", "about two references, not 3"),
        ("noalias()", "about two references, not 0"),
        ("acyclic()", "about one reference, not 0"),
        ("acyclic(a, b)", "about one reference, not 2; write acyclic(a)"),
        ("noalias(a,)", "names ''"),
        ("acyclic(a[0])", "names 'a[0]', which is no parameter or field"),
        ("acyclic(a b)", "names 'a b'"),
        ("acyclic(a..next)", "names 'a..next'"),
        ("acyclic(.a)", "names '.a'"),
        ("acyclic(3)", "names '3'"),
        ("noalias(a,a)", "'noalias(a,a)' contradicts itself: 'a' is one and the same object"),
        ("nosharing(a.next, a . next)", "contradicts itself: 'a.next'"),
        ("acyclic(a); noalias(b, b)", "the assumption 'noalias(b, b)' contradicts itself"),
    ],
)
def test_what_is_no_assumption(text: str, expected: str) -> None:
    with pytest.raises(BadInput) as error:
        parse(text)
    assert expected in str(error.value)
    assert str(error.value).startswith("the assumption '")


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ("f", "noalias(a, b)"),
        ("f", "nosharing(a, a.next)"),
        ("f", "noalias(a, a.next.next)"),
        ("f", "acyclic(items)"),
        ("f", "nosharing(index, seen)"),
        ("f", "acyclic(either.next)"),
        ("f", "nosharing(either.left, either.right)"),
        ("List.size", "acyclic(self.head.next)"),
        ("List.size", "acyclic(self)"),
        ("Longer.size", "noalias(self, self.head)"),
        ("List.make", "acyclic(head)"),
        ("List.same", "noalias(a, b)"),
        ("List.__init__", "noalias(head, spare)"),
    ],
)
def test_names_of_references(file: Path, member: str, text: str) -> None:
    assert checked(file, member, text) == parse(text)


@pytest.mark.parametrize("member", ["List.size", "Longer.size"])
def test_private_fields_are_found_as_they_are_stored(file: Path, member: str) -> None:
    (found,) = checked(file, member, "acyclic(self.__spare.next)")
    assert found == Assumption("acyclic", ("self._List__spare.next",), "acyclic(self.__spare.next)")
    assert checked(file, member, "acyclic(self._List__spare.next)")[0].names == found.names


@pytest.mark.parametrize(
    ("member", "text", "expected"),
    [
        ("f", "acyclic(q)", "names 'q', but f has no such parameter; it has a, b, either, n, word"),
        ("f", "noalias(a, itms)", "has no such parameter; did you mean 'items'?"),
        ("nothing", "acyclic(a)", "nothing has no such parameter; it has none"),
        ("f", "acyclic(n)", "names 'n', which is int and refers to no object of the heap"),
        ("f", "noalias(a, word)", "names 'word', which is str"),
        ("f", "acyclic(a.value)", "names 'a.value', which is int"),
        ("f", "acyclic(pair)", "names 'pair', which is tuple[Node, Node]"),
        ("f", "acyclic(either.extra)", "needs the type of 'either.extra', which is not known; annotate it or pass"),
        ("f", "acyclic(either.extra.next)", "needs the type of 'either.extra', which is not known"),
        ("f", "acyclic(a.nxt)", "names 'a.nxt', but Node has no field 'nxt'; did you mean 'next'?"),
        ("f", "acyclic(a.next.tail)", "names 'a.next.tail', but Node has no field 'tail'; it has value, next"),
        ("f", "acyclic(n.next)", "goes through 'n', which is int and has no fields"),
        ("f", "acyclic(items.next)", "goes through 'items', which is list[int] and has no fields"),
        ("f", "acyclic(either.size)", "Node | Pair has no field 'size'"),
        ("f", "acyclic(self)", "has no such parameter"),
        ("List.size", "acyclic(self.size)", "List has no field 'size'"),
        ("List.size", "acyclic(head)", "List.size has no such parameter; it has self, limit"),
        ("List.__init__", "acyclic(self)", "names 'self', the object that is only now constructed"),
        ("List.__init__", "acyclic(q)", "List.__init__ has no such parameter; it has head, spare"),
        ("List.make", "acyclic(cls)", "names 'cls', which is a class"),
        ("List.make", "acyclic(q)", "it has head"),
    ],
)
def test_names_of_nothing_or_of_no_reference(file: Path, member: str, text: str, expected: str) -> None:
    with pytest.raises(BadInput) as error:
        checked(file, member, text)
    message = str(error.value)
    assert expected in message
    assert f"the assumption '{text}'" in message
    assert "lists.py:" in message


GRAPH = {
    "a": ["b", "c"],
    "b": ["d"],
    "c": ["d"],
    "d": [],
    "e": ["f"],
    "f": ["e", "d"],
    "g": ["g"],
    "h": ["e"],
}


def test_sharing_and_cycles_in_a_small_graph() -> None:
    following = GRAPH.__getitem__
    assert [node for node in GRAPH if cyclic(node, following)] == ["e", "f", "g", "h"]
    assert shared("a", "a", following)
    assert shared("d", "b", following) and shared("b", "c", following) and shared("e", "a", following)
    assert not shared("a", "g", following)


def test_long_chains_need_no_recursion() -> None:
    last = 200_000

    def following(node: int) -> Iterator[int]:
        return iter((node + 1,) if node < last else ())

    assert not cyclic(0, following)
    assert shared(0, last, following)
    assert cyclic(0, lambda node: ((node + 1) % last,))


def test_nodes_may_be_false() -> None:
    falsy = {"": ["a"], "a": [""], "b": []}
    assert cyclic("", falsy.__getitem__)
    assert not cyclic("b", falsy.__getitem__)
    assert shared("a", "", falsy.__getitem__)


_NODES = st.integers(0, 5)


@given(st.dictionaries(_NODES, st.lists(_NODES, max_size=3)), _NODES, _NODES)
def test_against_the_definition(edges: Mapping[int, list[int]], first: int, second: int) -> None:
    def following(node: int) -> list[int]:
        return edges.get(node, [])

    def closure(start: int) -> set[int]:
        reached = {start}
        for _ in range(6):
            reached |= {after for node in reached for after in following(node)}
        return reached

    loops = any(node in closure(after) for node in closure(first) for after in following(node))
    assert cyclic(first, following) == loops
    assert shared(first, second, following) == bool(closure(first) & closure(second))


def test_what_holds_for_a_concrete_heap() -> None:
    names = {"a": "a", "b": "b", "e": "e", "alias": "a", "nothing": None}

    def verdicts(*texts: str) -> list[bool]:
        return [holds(a, names.__getitem__, GRAPH.__getitem__) for a in parse_all(texts)]

    assert verdicts("noalias(a, b)", "noalias(a, alias)", "noalias(a, nothing)") == [True, False, True]
    assert verdicts("nosharing(a, e)", "nosharing(a, nothing)") == [False, True]
    assert verdicts("acyclic(a)", "acyclic(e)", "acyclic(nothing)") == [True, False, True]


def test_a_path_through_a_chain_of_nodes() -> None:
    chain = dict(pairwise("xyzx"))
    assert cyclic("x", lambda node: chain.get(node, ""))
