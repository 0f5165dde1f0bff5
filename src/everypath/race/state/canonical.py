"""Removes from a snapshot what differs between runs that reach the same state: addresses, and the order in sets.

Programs store addresses as numbers from `id`, and in the texts that `repr` gives by default; a snapshot must not
contain them.

The nodes get canonical numbers by colour refinement with individualisation (McKay, "Practical Graph Isomorphism",
1981). Colours are refined until nodes of one colour have neighbours of the same colours; if elements of a set still
look alike, one of them is singled out and the refinement goes on. If it could matter which one, several are tried and
the smallest result counts, up to a bound. Past that, snapshots of the same state may differ, but never the other way
round.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

from everypath.race.state.graph import Node, Ref, Shape, Token, ref, shape

_MOST_ROUNDS = 60
_MOST_BRANCHES = 24
_MOST_LOOKAHEADS = 40
_IN_SET = -1
_LEAST = 1 << 20
"""Smaller numbers cannot be addresses."""
_SHORTEST = len("<a at 0x123456>")
_MARK = " at 0x"
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]{6,16}\b")
_ID = shape("id", "id")

Colours = list[int]


class _Graph:
    """The edges between nodes: (position, target) forwards and (position, source) backwards."""

    def __init__(self, roots: Sequence[Token], nodes: Sequence[Node]) -> None:
        self.roots = [each.number for each in roots if type(each) is Ref]
        self.forward: list[list[tuple[int, int]]] = []
        self.backward: list[list[tuple[int, int]]] = [[] for _ in nodes]
        looks = []
        for number, node in enumerate(nodes):
            edges = [(position, each.number) for position, each in enumerate(node) if type(each) is Ref]
            last = node[-1]
            if type(last) is frozenset:
                edges += [(_IN_SET, each.number) for each in last if type(each) is Ref]
            for position, target in edges:
                self.backward[target].append((position, number))
            self.forward.append(edges)
            looks.append(_look(node))
        ranks = {look: rank for rank, look in enumerate(sorted(set(looks)))}
        self.colours: Colours = [ranks[look] for look in looks]
        # No edge shows which root a node is, so each gets one with a position that no other edge has.
        for position, number in enumerate(self.roots):
            self.backward[number].append((-2 - position, number))

    def refined(self, colours: Colours) -> Colours:
        """The coarsest refinement in which nodes of equal colours have neighbours of equal colours."""
        count = len(set(colours))
        while True:
            signatures = [
                (
                    colours[number],
                    tuple(sorted((position, colours[target]) for position, target in self.forward[number])),
                    tuple(sorted((position, colours[source]) for position, source in self.backward[number])),
                )
                for number in range(len(colours))
            ]
            ranks = {signature: rank for rank, signature in enumerate(sorted(set(signatures)))}
            colours = [ranks[signature] for signature in signatures]
            if len(ranks) == count:
                return colours
            count = len(ranks)

    def visited(self, colours: Colours) -> tuple[list[int], list[int]]:
        """The nodes in breadth-first order; or, in second place, elements of a set that come next and look alike."""
        order: list[int] = []
        seen: set[int] = set()

        def visit(number: int) -> None:
            if number not in seen:
                seen.add(number)
                order.append(number)

        for root in self.roots:
            visit(root)
        for number in order:
            elements = []
            for position, target in self.forward[number]:
                if position != _IN_SET:
                    visit(target)
                elif target not in seen:
                    elements.append(target)
            elements = sorted((each for each in elements if each not in seen), key=colours.__getitem__)
            for one, other in pairwise(elements):
                if colours[one] == colours[other]:
                    return [], [each for each in elements if colours[each] == colours[one]]
            for element in elements:
                visit(element)
        return order, []

    def interchangeable(self, numbers: Sequence[int]) -> bool:
        """Whether the nodes have exactly the same neighbours."""
        first = numbers[0]
        return all(
            sorted(self.forward[each]) == sorted(self.forward[first])
            and sorted(self.backward[each]) == sorted(self.backward[first])
            for each in numbers
        )

    def rarest(self, colours: Colours, numbers: Sequence[int]) -> Sequence[int]:
        """The nodes to try: those that, when singled out, give the smallest counts of nodes by colour.

        The counts do not depend on the order in which the nodes come, so equal states try the same nodes.
        """
        if len(numbers) > _MOST_LOOKAHEADS:
            return numbers
        ways: dict[tuple[int, ...], list[int]] = {}
        for number in numbers:
            told = Counter(self.refined(_singled_out(colours, [number])))
            ways.setdefault(tuple(told[colour] for colour in sorted(told)), []).append(number)
        return ways[min(ways)]


def _look(node: Node) -> str:
    """The node without the references in it, as a text that can be ordered."""

    def look(token: Token) -> str:
        if type(token) is Ref:
            return "#"
        return repr(sorted(map(look, token)) if type(token) is frozenset else token)

    return "\0".join(map(look, node))


def renumbered(
    roots: tuple[Token, ...], nodes: Sequence[Node], objects: Sequence[Any]
) -> tuple[tuple[Token, ...], list[Node], list[Any]]:
    """The same snapshot with its nodes in canonical order."""
    graph = _Graph(roots, nodes)
    order = _canonical_order(graph, lambda found: repr(_in_order(roots, nodes, found)))
    return *_in_order(roots, nodes, order), [objects[number] for number in order]


def _canonical_order(graph: _Graph, written: Callable[[list[int]], str]) -> list[int]:
    best: list[int] = []
    text: str | None = None
    waiting = [graph.colours]
    rounds = branches = 0
    while waiting and (not best or rounds < _MOST_ROUNDS):
        colours = graph.refined(waiting.pop())
        order, alike = graph.visited(colours)
        rounds += 1
        if not alike:
            if not waiting and not best:
                # There was never a choice, as in most states, so nothing needs to be written out and compared.
                return order
            now = written(order)
            if text is None or now < text:
                best, text = order, now
        elif rounds > _MOST_ROUNDS or graph.interchangeable(alike):
            # Interchangeable ones give the same text in any order; past the bound, any order has to do.
            waiting.append(_singled_out(colours, alike))
        else:
            promising = graph.rarest(colours, alike)
            tried = promising if branches + len(promising) <= _MOST_BRANCHES else promising[:1]
            branches += len(tried)
            waiting.extend(_singled_out(colours, [each]) for each in tried)
    return best


def _singled_out(colours: Colours, numbers: Sequence[int]) -> Colours:
    """Give each of these nodes a colour of its own, after all others."""
    found = list(colours)
    for extra, number in enumerate(numbers):
        found[number] = len(colours) + extra
    return found


def _in_order(
    roots: tuple[Token, ...], nodes: Sequence[Node], order: Sequence[int]
) -> tuple[tuple[Token, ...], list[Node]]:
    place = {number: ref(position) for position, number in enumerate(order)}

    def moved(token: Token) -> Token:
        if type(token) is Ref:
            return place[token.number]
        return frozenset(map(moved, token)) if type(token) is frozenset else token

    return tuple(map(moved, roots)), [tuple(map(moved, nodes[number])) for number in order]


def without_addresses(
    roots: tuple[Token, ...], nodes: list[Node], memo: dict[int, Token]
) -> tuple[tuple[Token, ...], list[Node], int]:
    """The same snapshot with neutral texts and with the ids of its objects as nodes of their own; also how many
    these are.
    """
    # Hardly any state holds an address, and to look for one is cheaper than to copy all nodes.
    if not _has_addresses(chain(roots, chain.from_iterable(nodes)), memo):
        return roots, nodes, 0
    made: dict[int, Ref] = {}
    count = len(nodes)

    def neutral(token: Token) -> Token:
        cls = type(token)
        if cls is str:
            return _ADDRESS.sub(f"{_MARK}...", token)
        if cls is int and token > _LEAST and type(memo.get(token)) is Ref:
            found = made.get(token)
            if found is None:
                found = made[token] = ref(count + len(made))
            return found
        if cls is tuple and _is_inline(token):
            # An inline node cannot mention others, so numbers in it stay.
            return (*token[:2], *(_ADDRESS.sub(f"{_MARK}...", t) if type(t) is str else t for t in token[2:]))
        return frozenset(map(neutral, token)) if cls is frozenset else token

    roots = tuple(map(neutral, roots))
    nodes = [(*node[:2], *map(neutral, node[2:])) for node in nodes]
    nodes += [(_ID, (), memo[address]) for address in made]
    return roots, nodes, len(made)


def _is_inline(token: tuple[Any, ...]) -> bool:
    return len(token) > 2 and type(token[0]) is Shape


def _has_addresses(tokens: Iterable[Token], memo: dict[int, Token]) -> bool:
    for token in tokens:
        cls = type(token)
        if cls is str:
            if len(token) >= _SHORTEST and _MARK in token:
                return True
        elif cls is int:
            if token > _LEAST and token in memo:
                return True
        elif (cls is frozenset or (cls is tuple and _is_inline(token))) and _has_addresses(
            (each for each in token if type(each) in (str, int)), memo
        ):
            return True
    return False
