"""Random object graphs as descriptions: built as often as needed, and compared by trying all correspondences."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st


class Plain:
    """Has a `__dict__`."""


class Slotted:
    """Has slots, of which some stay unset."""

    __slots__ = ("_a0", "_a1", "_a2", "_a3")


ATOMS: list[Any] = [0, 1, True, "a", 1.0, None]
KINDS = ["list", "dict", "plain", "slotted", "set"]

Child = Any
"""("atom", index), ("node", number) or ("tuple", child, child)"""
Graph = list[tuple[str, list[Child]]]


def _children(count: int) -> st.SearchStrategy[Child]:
    atoms = st.tuples(st.just("atom"), st.integers(0, len(ATOMS) - 1))
    nodes = st.tuples(st.just("node"), st.integers(0, count - 1))
    single = st.one_of(nodes, atoms)
    return st.one_of(nodes, single, st.tuples(st.just("tuple"), single, single))


@st.composite
def graphs(draw: st.DrawFn, most: int = 5) -> Graph:
    """Up to `most` nodes with up to three children each; the first is the root."""
    count = draw(st.integers(1, most))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=count, max_size=count))
    found = []
    for kind in kinds:
        children = draw(st.lists(_children(count), max_size=3))
        if kind == "set":
            children = [child for child in children if _hashable(child, kinds)]
            children = list({_plain(child): child for child in children}.values())
        found.append((kind, children))
    return found


def _hashable(child: Child, kinds: list[str]) -> bool:
    if child[0] == "node":
        return kinds[child[1]] in ("plain", "slotted")
    return child[0] == "atom" or all(_hashable(each, kinds) for each in child[1:])


def _plain(child: Child) -> Any:
    """What a set takes for the same element."""
    if child[0] == "atom":
        return ATOMS[child[1]]
    return child if child[0] == "node" else tuple(map(_plain, child[1:]))


def build(graph: Graph, seed: int = 0) -> Any:
    """The root of fresh objects; the seed decides the order in which they are made and sets are filled."""
    random = Random(seed)
    makers: dict[str, Any] = {"list": list, "dict": dict, "plain": Plain, "slotted": Slotted, "set": set}
    numbers = list(range(len(graph)))
    random.shuffle(numbers)
    spare = []
    made: dict[int, Any] = {}
    for number in numbers:
        spare.append([object() for _ in range(random.randrange(4))])
        made[number] = makers[graph[number][0]]()

    def value(child: Child) -> Any:
        if child[0] == "atom":
            return ATOMS[child[1]]
        return made[child[1]] if child[0] == "node" else tuple(value(each) for each in child[1:])

    for number in numbers:
        kind, children = graph[number]
        target = made[number]
        if kind == "set":
            shuffled = list(children)
            random.shuffle(shuffled)
            target.update(value(child) for child in shuffled)
        for position, child in enumerate(children):
            if kind == "list":
                target.append(value(child))
            elif kind == "dict":
                target[f"a{position}"] = value(child)
            elif kind != "set":
                setattr(target, f"_a{position}", value(child))
    return made[0]


def same(one: Graph, other: Graph) -> bool:
    """Whether some correspondence of the nodes turns one graph into the other."""
    return any(True for _ in _matches(one, other, [(("node", 0), ("node", 0))], {}, {}))


def _matches(
    one: Graph, other: Graph, todo: list[tuple[Child, Child]], there: dict[int, int], back: dict[int, int]
) -> Iterator[None]:
    if not todo:
        yield None
        return
    (a, b), rest = todo[0], todo[1:]
    if a[0] != b[0]:
        return
    if a[0] == "atom":
        if a == b:
            yield from _matches(one, other, rest, there, back)
    elif a[0] == "tuple":
        yield from _matches(one, other, [*zip(a[1:], b[1:]), *rest], there, back)
    elif a[1] in there or b[1] in back:
        if there.get(a[1]) == b[1]:
            yield from _matches(one, other, rest, there, back)
    else:
        kind, children = one[a[1]]
        other_kind, other_children = other[b[1]]
        if kind != other_kind or len(children) != len(other_children):
            return
        there, back = {**there, a[1]: b[1]}, {**back, b[1]: a[1]}
        for paired in _orders(other_children) if kind == "set" else [other_children]:
            yield from _matches(one, other, [*zip(children, paired), *rest], there, back)


def _orders(children: list[Child]) -> Iterator[list[Child]]:
    if not children:
        yield []
    for position, child in enumerate(children):
        for rest in _orders(children[:position] + children[position + 1 :]):
            yield [child, *rest]
