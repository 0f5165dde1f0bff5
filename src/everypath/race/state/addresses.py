"""Addresses in memory that programs store: as numbers from `id`, and in the texts that `repr` gives by default.

They differ from run to run although the states are the same, so a snapshot must not contain them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

from everypath.race.state.graph import Node, Ref, Shape, Token, ref, shape

_LEAST = 1 << 20
"""Smaller numbers are no addresses."""
_SHORTEST = len("<a at 0x123456>")
_MARK = " at 0x"
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]{6,16}\b")
_ID = shape("id", "id")


def without_addresses(
    roots: tuple[Token, ...], nodes: list[Node], memo: dict[int, Token]
) -> tuple[tuple[Token, ...], list[Node], int]:
    """The same snapshot with ids of its objects as nodes of their own, how many these are, and neutral texts."""
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
