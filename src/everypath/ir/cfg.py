"""The control-flow graph of a method: order, dominators, natural loops and their nesting.

Dominators come from the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"). An edge to a
block that dominates its source is a back edge; the natural loop of a header is what reaches its back edges without
passing the header (Aho, Lam, Sethi and Ullman, "Compilers", section 9.6). A graph in which cycles remain after the
back edges are taken out is irreducible: such cycles have no header.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from everypath.ir.instructions import Label
from everypath.ir.operands import may_raise, targets
from everypath.ir.program import Method
from everypath.records import dataclass

Edge = tuple[Label, Label]


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: the blocks that reach a back edge without passing the header."""

    header: Label
    body: frozenset[Label]
    """all blocks of the loop, the header and those of inner loops included"""
    back_edges: frozenset[Edge]
    exits: frozenset[Edge]
    """edges from a block of the loop to a block outside"""
    parent: Label | None
    """header of the innermost loop around this one"""
    depth: int
    """1 for an outermost loop"""


class Graph:
    """The blocks of one method and the edges between them.

    Labels that no block carries are ignored here and reported by the checker. With `exceptional`, the
    edges from blocks that can raise to their innermost handler count as edges like any other.
    """

    def __init__(self, method: Method, *, exceptional: bool = False) -> None:
        self.entry = method.entry
        self.exceptional: dict[Label, tuple[Label, ...]] = {label: () for label in method.blocks}
        """the handler that an exception raised in the block reaches first"""
        self._find_handlers(method)
        self.successors: dict[Label, tuple[Label, ...]] = {}
        for label, block in method.blocks.items():
            found = [target for target in targets(block.terminator) if target in method.blocks]
            if exceptional:
                found += self.exceptional[label]
            self.successors[label] = tuple(dict.fromkeys(found))
        before: dict[Label, list[Label]] = {label: [] for label in method.blocks}
        for label, following in self.successors.items():
            for target in following:
                before[target].append(label)
        self.predecessors: dict[Label, tuple[Label, ...]] = {label: tuple(found) for label, found in before.items()}

    def _find_handlers(self, method: Method) -> None:
        covered: set[Label] = set()
        for handler in method.handlers:
            for label in handler.blocks - covered:
                block = method.blocks.get(label)
                if block is None or handler.target not in method.blocks:
                    continue
                if any(map(may_raise, block.instructions)) or may_raise(block.terminator):
                    self.exceptional[label] = (handler.target,)
            covered |= handler.blocks

    @cached_property
    def reverse_postorder(self) -> tuple[Label, ...]:
        """The reachable blocks, each before its successors except along back edges."""
        if self.entry not in self.successors:
            return ()
        order: list[Label] = []
        seen = {self.entry}
        stack = [(self.entry, iter(self.successors[self.entry]))]
        while stack:
            # An explicit stack: a method may have more blocks than the interpreter allows calls.
            label, rest = stack[-1]
            following = next((target for target in rest if target not in seen), None)
            if following is None:
                order.append(label)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(self.successors[following])))
        return tuple(reversed(order))

    @cached_property
    def reachable(self) -> frozenset[Label]:
        """The blocks that some sequence of edges from the entry reaches."""
        return frozenset(self.reverse_postorder)

    @cached_property
    def immediate_dominators(self) -> dict[Label, Label]:
        """The closest strict dominator of each reachable block; the entry is its own."""
        position = {label: number for number, label in enumerate(self.reverse_postorder)}
        closest: dict[Label, Label] = {}
        if not position:
            return closest
        closest[self.entry] = self.entry
        changed = True
        while changed:
            changed = False
            for label in self.reverse_postorder[1:]:
                # In reverse postorder at least one predecessor comes earlier, so that `known` is never empty.
                known = [before for before in self.predecessors[label] if before in closest]
                candidate = known[0]
                for other in known[1:]:
                    candidate = _meet(candidate, other, closest, position)
                if closest.get(label) != candidate:
                    closest[label] = candidate
                    changed = True
        return closest

    def dominates(self, first: Label, second: Label) -> bool:
        """Whether every path from the entry to `second` passes `first`; a block dominates itself."""
        closest = self.immediate_dominators
        if second not in closest:
            return False
        while second != first:
            if second == self.entry:
                return False
            second = closest[second]
        return True

    @cached_property
    def back_edges(self) -> tuple[Edge, ...]:
        """The edges whose target dominates their source."""
        return tuple(
            (label, target)
            for label in self.reverse_postorder
            for target in self.successors[label]
            if self.dominates(target, label)
        )

    @cached_property
    def reducible(self) -> bool:
        """Whether every cycle passes the header of a natural loop."""
        back = set(self.back_edges)
        forward = {
            label: [target for target in self.successors[label] if (label, target) not in back]
            for label in self.reverse_postorder
        }
        return not cyclic_part(forward)

    @cached_property
    def loops(self) -> dict[Label, Loop]:
        """The natural loops by header, outer ones first; loops that share a header are one."""
        ends: dict[Label, list[Label]] = {}
        for label, header in self.back_edges:
            ends.setdefault(header, []).append(label)
        bodies = {header: self._body(header, sources) for header, sources in ends.items()}
        loops: dict[Label, Loop] = {}
        # Largest first, so that the loops around a loop are known when it is its turn.
        for header in sorted(bodies, key=lambda label: -len(bodies[label])):
            body = bodies[header]
            parent = _smallest(loop for loop in loops.values() if header in loop.body)
            loops[header] = Loop(
                header,
                body,
                back_edges=frozenset((label, header) for label in ends[header]),
                exits=frozenset((b, target) for b in body for target in self.successors[b] if target not in body),
                parent=parent.header if parent else None,
                depth=parent.depth + 1 if parent else 1,
            )
        return loops

    def innermost_loop(self, label: Label) -> Loop | None:
        """The smallest natural loop that contains the block."""
        return _smallest(loop for loop in self.loops.values() if label in loop.body)

    def _body(self, header: Label, sources: list[Label]) -> frozenset[Label]:
        body = {header}
        pending = list(sources)
        while pending:
            label = pending.pop()
            if label not in body:
                body.add(label)
                pending.extend(before for before in self.predecessors[label] if before in self.reachable)
        return frozenset(body)


def _smallest(loops: Iterable[Loop]) -> Loop | None:
    found = sorted(loops, key=lambda loop: len(loop.body))
    return found[0] if found else None


def _meet(first: Label, second: Label, closest: dict[Label, Label], position: dict[Label, int]) -> Label:
    while first != second:
        while position[first] > position[second]:
            first = closest[first]
        while position[second] > position[first]:
            second = closest[second]
    return first


def cyclic_part(edges: Mapping[Label, Iterable[Label]]) -> list[Label]:
    """The nodes that lie on a cycle or between cycles; empty for an acyclic graph."""
    following = {label: {target for target in found if target in edges} for label, found in edges.items()}
    # Take away what no cycle can pass, nodes without a way out or without a way in, until nothing changes.
    while following:
        ends = {label for label, found in following.items() if not found}
        entered = set().union(*following.values())
        ends |= following.keys() - entered
        if not ends:
            break
        following = {label: found - ends for label, found in following.items() if label not in ends}
    return list(following)
