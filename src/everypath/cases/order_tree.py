"""Draws the execution tree of an actor program: which task goes on is a choice there, besides what data decide.

The orders of `concurrency` follow whole executions and forget the states on the way. So the tree is grown from the
executions: those that begin with the same steps share a branch, and what all below a node have in common, and not all
below the one above it, is what was decided there. Steps at which nothing is decided are no nodes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from everypath.cases.actors import Turn
from everypath.cases.trees import CUT, INNER, RAISED, RETURNED, UNKNOWN, UNSUPPORTED, Node
from everypath.concurrency.executions import TooLong
from everypath.explore.outcomes import Cut, NotSupported, Undecided
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Order:
    """One execution: its steps, who makes each, what holds of its input, and its end."""

    steps: tuple[Hashable, ...]
    """equal for executions that do the same there"""
    tasks: tuple[str, ...]
    """who makes each step"""
    condition: tuple[str, ...]
    end: Node
    turns: tuple[Turn, ...] = ()
    """its schedule"""


@dataclass(frozen=True, slots=True)
class _Growing:
    """A node that is still to be filled, with the executions that come by."""

    node: Node
    orders: Sequence[Order]
    depth: int
    """how many steps were made so far"""
    decided: tuple[str, ...]
    """what was decided to come here, other than by data"""
    known: frozenset[str]
    """what holds in the node above"""


def order_tree(orders: Sequence[Order]) -> Node:
    """The tree of some executions from one start."""
    root = Node(INNER)
    agenda = [_Growing(root, orders, 0, (), frozenset())]
    while agenda:
        growing = agenda.pop()
        node, depth = growing.node, _parting(growing.orders, growing.depth)
        common = _common(growing.orders)
        news = tuple(text for text in growing.orders[0].condition if text in common and text not in growing.known)
        if depth is None:
            end = growing.orders[0].end
            node.kind, node.file, node.line, node.bound = end.kind, end.file, end.line, end.bound
            node.told, node.case, node.same = end.told, end.case, end.same
        else:
            node.told = f"after {depth} step{'s' * (depth != 1)}" if depth else ""
            groups: dict[Hashable, list[Order]] = {}
            for order in growing.orders:
                groups.setdefault(order.steps[depth] if depth < len(order.steps) else None, []).append(order)
            firsts = [group[0] for group in groups.values()]
            several = len({_task(order, depth) for order in firsts}) > 1
            for number, group in enumerate(groups.values()):
                child = Node(INNER, choice=number)
                node.children.append(child)
                who = (_task(group[0], depth),) if several else ()
                agenda.append(_Growing(child, group, depth + 1, tuple(filter(None, who)), common))
        node.decided = (*growing.decided, *news)
    return root


def _parting(orders: Sequence[Order], depth: int) -> int | None:
    """The first step, from a given one on, that not all make; None if there is only one execution."""
    first = orders[0].steps
    for at in range(depth, len(first) + 1):
        if any(order.steps[at : at + 1] != first[at : at + 1] for order in orders):
            return at
    return None


def _task(order: Order, depth: int) -> str:
    return order.tasks[depth] if depth < len(order.tasks) else ""


def _common(orders: Iterable[Order]) -> frozenset[str]:
    return frozenset.intersection(*(frozenset(order.condition) for order in orders))


def leaf(ended: object, file: str, line: int, *, well: bool = True) -> Node:
    """The end of an execution; `well` says whether all its tasks have ended without an error that nobody handles."""
    match ended:
        case Cut(kind=kind, message=message):
            return Node(CUT, file, line, bound=kind, told=message)
        case TooLong():
            return Node(CUT, file, line, bound="depth")
        case NotSupported(message=message):
            return Node(UNSUPPORTED, file, line, told=message)
        case Undecided(message=message):
            return Node(UNKNOWN, file, line, told=message)
        case "deadlock":
            return Node(RAISED, file, line, told="deadlock")
        case _:
            return Node(RETURNED if well else RAISED, file, line)
