"""What a state may still come to: reachability and distance in the interprocedural control-flow graph.

The frames of a state are known, so a way out of a method leads back to its real caller and nowhere else. What calls
lead to is the call graph's business. Sets of wanted items are bits of an integer, because they are united at every
block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.explore.state import State
from everypath.ir.cfg import Graph
from everypath.ir.instructions import Label, Return, Throw
from everypath.ir.program import Method

Bits = int
Direct = Callable[[Method], Mapping[Label, Bits]]
"""The items in each block of a method."""
FAR = 1 << 30
"""The distance of what cannot be reached."""
Position = tuple[Method, Label]


def positions(state: State) -> Iterator[Position]:
    """Where the state goes on, and where each of its callers will, innermost first."""
    frame, segment = state.frame, state.next
    while frame is not None:
        if segment is not None:
            yield frame.code.method, segment.label
        segment, frame = frame.resume, frame.parent


class Flow:
    """The control-flow graphs of a program's methods, with the ways that exceptions take, and what lies ahead."""

    def __init__(self, calls: CallGraph, direct: Direct) -> None:
        self.calls = calls
        self._direct = direct
        self._graphs: dict[int, Graph] = {}
        self._kept: list[Method] = []
        """graphs are found by identity, so their methods must live as long"""
        self._whole: dict[int, Bits] = {}
        self._ahead: dict[int, dict[Label, Bits]] = {}

    def changed(self) -> None:
        """Forget what was computed: there are other items, or calls that were not known."""
        self._whole.clear()
        self._ahead.clear()

    def graph(self, method: Method) -> Graph:
        """The control-flow graph of a method, with edges to handlers."""
        found = self._graphs.get(id(method))
        if found is None:
            found = self._graphs[id(method)] = Graph(method, exceptional=True)
            self._kept.append(method)
        return found

    def whole(self, method: Method) -> Bits:
        """The items in a method and in everything that it may run."""
        found = self._whole.get(id(method))
        if found is None:
            found = 0
            for each in self.calls.reachable(method):
                for bits in self._direct(each).values():
                    found |= bits
            self._whole[id(method)] = found
            self._kept.append(method)
        return found

    def ahead(self, state: State) -> Bits:
        """The items that the state may still come to."""
        found = 0
        for method, label in positions(state):
            found |= self._loose() if method.model else self.ahead_of(method, label)
        return found

    def _loose(self) -> Bits:
        found = 0
        for method in self.calls.loose():
            found |= self.whole(method)
        return found

    def ahead_of(self, method: Method, label: Label) -> Bits:
        """The items that may follow from the beginning of a block, before the method is left."""
        found = self._ahead.get(id(method))
        if found is None:
            found = self._ahead[id(method)] = self._compute_ahead(method)
        return found.get(label, 0)

    def _compute_ahead(self, method: Method) -> dict[Label, Bits]:
        graph, direct = self.graph(method), self._direct(method)
        found: dict[Label, Bits] = {}
        for label in method.blocks:
            found[label] = direct.get(label, 0)
            for callee in self.calls.callees_of_block(method, label):
                found[label] |= self.whole(callee)
        # Backwards along the edges until nothing changes; blocks come after their successors except in loops.
        changed = True
        order = [*reversed(graph.reverse_postorder)]
        while changed:
            changed = False
            for label in order:
                bits = found[label]
                for target in graph.successors[label]:
                    bits |= found[target]
                if bits != found[label]:
                    found[label] = bits
                    changed = True
        return found


class Distances:
    """How many blocks lie between a state and the nearest block with a wanted item."""

    def __init__(self, flow: Flow, wanted: Callable[[Method, Label], bool]) -> None:
        self._flow = flow
        self._wanted = wanted
        self._inside: dict[int, dict[Label, int]] = {}
        self._entries: dict[int, int] = {}
        self._leaving: dict[int, dict[Label, int]] = {}
        self._kept: list[Method] = []

    def of(self, state: State) -> int:
        """The distance of a state; FAR where nothing wanted can be reached."""
        best, left = FAR, 0
        for method, label in positions(state):
            if method.model:
                left += 1
                continue
            best = min(best, left + self._from(method, label))
            left += self._to_end(method).get(label, 1)
            if left >= best:
                break
        return best

    def _from(self, method: Method, label: Label) -> int:
        found = self._inside.get(id(method))
        if found is None:
            self._settle(method)
            found = self._inside[id(method)]
        return found.get(label, FAR)

    def _settle(self, root: Method) -> None:
        """Distances inside a method and all that it may run: shorter ways are taken over until there are none."""
        methods = self._flow.calls.reachable(root)
        for method in methods:
            self._inside.setdefault(id(method), {})
            self._kept.append(method)
        changed = True
        while changed:
            changed = False
            # Callees first, where there is no recursion: one more round then only finds that nothing changes.
            for method in reversed(methods):
                inside = self._compute(method)
                if inside != self._inside[id(method)]:
                    self._inside[id(method)] = inside
                    self._entries[id(method)] = inside.get(method.entry, FAR)
                    changed = True

    def _compute(self, method: Method) -> dict[Label, int]:
        costs: dict[Label, int] = {}
        for label in method.blocks:
            if self._wanted(method, label):
                costs[label] = 0
                continue
            inner = [self._entries.get(id(c), FAR) for c in self._flow.calls.callees_of_block(method, label)]
            nearest = min(inner, default=FAR)
            if nearest < FAR:
                costs[label] = nearest + 1
        return _backwards(self._flow.graph(method), costs)

    def _to_end(self, method: Method) -> dict[Label, int]:
        found = self._leaving.get(id(method))
        if found is None:
            ends = {n: 1 for n, block in method.blocks.items() if isinstance(block.terminator, (Return, Throw))}
            found = self._leaving[id(method)] = _backwards(self._flow.graph(method), ends)
            self._kept.append(method)
        return found


def _backwards(graph: Graph, costs: Mapping[Label, int]) -> dict[Label, int]:
    """The least number of edges to a block plus its cost, for each block from which there is a way."""
    found = dict(costs)
    waiting = sorted(found, key=found.__getitem__)
    while waiting:
        later: dict[Label, None] = {}
        for label in waiting:
            for before in graph.predecessors.get(label, ()):
                if found[label] + 1 < found.get(before, FAR):
                    found[before] = found[label] + 1
                    later[before] = None
        waiting = list(later)
    return found
