"""What a state may still come to: reachability and distance in the interprocedural control-flow graph.

The frames of a state are known, so a way out of a method leads back to its real caller and nowhere else. A method that
can only raise from where it is leads to the handlers of its callers, and not to what comes behind their calls. What
calls lead to is the call graph's business. Sets of wanted items are bits of an integer, because they are united at
every block.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from everypath.explore.search.guidance.call_graph import Callee, CallGraph
from everypath.explore.search.guidance.components import components
from everypath.explore.state import State
from everypath.ir.cfg import Graph
from everypath.ir.instructions import Label, Return, Throw
from everypath.ir.program import Method

Bits = int
Direct = Callable[[Method], Mapping[Label, tuple[Bits, Bits]]]
"""The items in each block of a method, and those of the edges that leave it."""
FAR = 1 << 30
"""The distance of what cannot be reached."""
Place = tuple[Label, int]
Position = tuple[Method, Label, int]


def positions(state: State) -> Iterator[Position]:
    """Where the state goes on, and where each of its callers will, innermost first."""
    frame, segment = state.frame, state.next
    while frame is not None:
        if segment is not None:
            yield frame.code.method, segment.label, segment.index
        segment, frame = frame.resume, frame.parent


class Flow:
    """The control-flow graphs of a program's methods, with the ways that exceptions take, and what lies ahead."""

    def __init__(self, calls: CallGraph, direct: Direct) -> None:
        self.calls = calls
        self._direct = direct
        self._graphs: dict[int, Graph] = {}
        self._kept: list[Callee] = []
        """what is found by identity must live as long"""
        self._whole: dict[int, Bits] = {}
        self._ahead: dict[int, dict[Label, Bits]] = {}
        self._inside: dict[tuple[int, Label, int], Bits] = {}
        self._returns: dict[int, Collection[Label]] = {}
        self._leaving: dict[int, dict[Label, int]] = {}

    def changed(self) -> None:
        """Forget what was computed: there are other items, or calls that were not known."""
        self._whole.clear()
        self._ahead.clear()
        self._inside.clear()

    def graph(self, method: Method) -> Graph:
        """The control-flow graph of a method, with edges to handlers."""
        found = self._graphs.get(id(method))
        if found is None:
            found = self._graphs[id(method)] = Graph(method, exceptional=True)
            self._kept.append(method)
        return found

    def whole(self, callee: Callee) -> Bits:
        """The items in a method and in everything that it may run."""
        if id(callee) not in self._whole:
            start: Callee = callee
            for component in components(start, self.calls.following, lambda each: id(each) in self._whole):
                found = 0
                for each in component:
                    if isinstance(each, Method):
                        for inside, leaving in self._direct(each).values():
                            found |= inside | leaving
                    for other in self.calls.following(each):
                        found |= self._whole.get(id(other), 0)
                for each in component:
                    self._whole[id(each)] = found
                self._kept += component
        return self._whole[id(callee)]

    def ahead(self, state: State) -> Bits:
        """The items that the state may still come to."""
        found = 0
        for method, places in self.ways(state):
            if method.model:
                for each in self.calls.loose:
                    found |= self.whole(each)
            for label, index in places:
                found |= self.ahead_of(method, label, index)
        return found

    def ways(self, state: State) -> Iterator[tuple[Method, tuple[Place, ...]]]:
        """Each method under way, innermost first, with where it may go on; models are not looked into."""
        returns = True
        for method, label, index in positions(state):
            if method.model:
                returns = True
                yield method, ()
                continue
            places: tuple[Place, ...] = ((label, index),)
            if not returns:
                places = tuple((handler, 0) for handler in self.graph(method).exceptional[label])
            returning = self._returning(method)
            returns = any(at in returning for at, _ in places)
            yield method, places

    def _returning(self, method: Method) -> Collection[Label]:
        """The blocks from which the method may return; from others it can only raise."""
        found = self._returns.get(id(method))
        if found is None:
            ends = {n: 0 for n, block in method.blocks.items() if isinstance(block.terminator, Return)}
            found = self._returns[id(method)] = _backwards(self.graph(method), ends)
        return found

    def to_end(self, state: State) -> int:
        """How many blocks the path still executes at least, if it goes into no further call."""
        return sum(self.to_leave(method, places) for method, places in self.ways(state))

    def to_leave(self, method: Method, places: Iterable[Place]) -> int:
        """How many blocks lie between some of these places and the end of the method."""
        found = self._leaving.get(id(method))
        if found is None:
            ends = {n: 1 for n, block in method.blocks.items() if isinstance(block.terminator, (Return, Throw))}
            found = self._leaving[id(method)] = _backwards(self.graph(method), ends)
        return min((found.get(label, 1) for label, _ in places), default=1)

    def ahead_of(self, method: Method, label: Label, index: int = 0) -> Bits:
        """The items that may follow from an instruction of a block on, before the method is left."""
        key = (id(method), label, index)
        found = self._inside.get(key)
        if found is None:
            ahead = self._ahead.get(id(method))
            if ahead is None:
                ahead = self._ahead[id(method)] = self._compute_ahead(method)
            if index:
                found = self._in_block(method, label, index)
                for target in self.graph(method).successors.get(label, ()):
                    found |= ahead[target]
            else:
                found = ahead.get(label, 0)
            self._inside[key] = found
        return found

    def _in_block(self, method: Method, label: Label, index: int) -> Bits:
        """The items of a block from an instruction on, and of the edges that leave it; a trace has its first half."""
        inside, found = self._direct(method).get(label, (0, 0))
        if not index:
            found |= inside
        for callee in self.calls.run_from(method, label, index):
            found |= self.whole(callee)
        return found

    def _compute_ahead(self, method: Method) -> dict[Label, Bits]:
        graph = self.graph(method)
        found = {label: self._in_block(method, label, 0) for label in method.blocks}
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
        self._kept: list[Callee] = []

    def of(self, state: State) -> int:
        """The distance of a state; FAR where nothing wanted can be reached."""
        best, left = FAR, 0
        for method, places in self._flow.ways(state):
            best = min((best, *(left + self._from(method, label, index) for label, index in places)))
            left += self._flow.to_leave(method, places)
            if left >= best:
                break
        return best

    def _from(self, method: Method, label: Label, index: int) -> int:
        if id(method) not in self._inside:
            self._settle(method)
        inside = self._inside[id(method)]
        if not index:
            return inside.get(label, FAR)
        graph = self._flow.graph(method)
        after = min((inside.get(each, FAR) for each in graph.successors.get(label, ())), default=FAR)
        return min(self._nearest_call(method, label, index), after) + 1

    def _settle(self, root: Method) -> None:
        """Distances inside a method and all that it may run, callees first."""
        calls = self._flow.calls
        start: Callee = root
        for component in components(start, calls.following, lambda each: id(each) in self._entries):
            self._kept += component
            for each in component:
                self._entries[id(each)] = FAR
            # Shorter ways are taken over until there are none, which without recursion is at once.
            changed = True
            while changed:
                changed = False
                for each in component:
                    nearest = self._entry_of(each)
                    if nearest < self._entries[id(each)]:
                        self._entries[id(each)] = nearest
                        changed = len(component) > 1 or each in calls.following(each)

    def _entry_of(self, callee: Callee) -> int:
        if not isinstance(callee, Method):
            return min((self._entries.get(id(each), FAR) for each in callee.members), default=FAR)
        inside = self._inside[id(callee)] = self._compute(callee)
        return inside.get(callee.entry, FAR)

    def _compute(self, method: Method) -> dict[Label, int]:
        costs: dict[Label, int] = {}
        for label in method.blocks:
            if self._wanted(method, label):
                costs[label] = 0
                continue
            nearest = self._nearest_call(method, label, 0)
            if nearest < FAR:
                costs[label] = nearest + 1
        return _backwards(self._flow.graph(method), costs)

    def _nearest_call(self, method: Method, label: Label, index: int) -> int:
        called = self._flow.calls.run_from(method, label, index)
        return min((self._entries.get(id(each), FAR) for each in called), default=FAR)


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
