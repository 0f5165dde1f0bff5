"""Strongly connected components, by the algorithm of Tarjan's "Depth-first search and linear graph algorithms"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node")


def components(
    root: Node, following: Callable[[Node], Iterable[Node]], is_known: Callable[[Node], bool]
) -> Iterator[list[Node]]:
    """The components that can be reached from a node, each after those it leads to; what is known is left out.

    Nodes are told apart by identity.
    """
    order: dict[int, int] = {id(root): 0}
    lowest: dict[int, int] = {id(root): 0}
    stack: list[Node] = [root]
    waiting: set[int] = {id(root)}
    path = [(root, iter(following(root)))]
    while path:
        node, others = path[-1]
        key = id(node)
        for other in others:
            if id(other) not in order:
                if is_known(other):
                    continue
                order[id(other)] = lowest[id(other)] = len(order)
                stack.append(other)
                waiting.add(id(other))
                path.append((other, iter(following(other))))
                break
            if id(other) in waiting:
                lowest[key] = min(lowest[key], order[id(other)])
        else:
            path.pop()
            if path:
                above = id(path[-1][0])
                lowest[above] = min(lowest[above], lowest[key])
            if lowest[key] == order[key]:
                found: list[Node] = []
                while not found or found[-1] is not node:
                    found.append(stack.pop())
                    waiting.discard(id(found[-1]))
                yield found
