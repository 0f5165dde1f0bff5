"""Criteria about places: branches, statements, or given points of the program.

An item is a branch (`file:line->line`) or a line. Which items lie ahead of a state follows from the interprocedural
control-flow graph; those that its trace has passed already count too, because the path is not a case before its end.
Methods that are called by name are wanted from the start. A method that only a value or an operator leads to becomes
wanted when the first path enters it: nobody could say before that it belongs to the program under test.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.explore.search.guidance.criterion import Element, Rank, Verdict, rethrowing
from everypath.explore.search.guidance.reach import FAR, Bits, Distances, Flow
from everypath.explore.search.subject import Subject
from everypath.explore.state import Interrupted, Mark, State
from everypath.explore.traces import Place, branches_taken, leads_to, lines
from everypath.ir.cfg import Graph
from everypath.ir.instructions import Branch, Label
from everypath.ir.names import is_preparation
from everypath.ir.operands import targets
from everypath.ir.program import Method
from everypath.records import dataclass, field

Item = str
Labels = tuple[Label, "Labels"] | None
"""The last block of each call of one method that is under way, innermost first."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The items that a trace has passed, and where its calls are."""

    bits: Bits = 0
    last: Mark | None = None
    calls: dict[int, Labels] = field(default_factory=dict)
    """method -> its calls under way; never changed in place"""
    way: Bits = 0
    """the items of the edge on which it goes on, which it had not passed before"""


@dataclass(slots=True)
class _Places:
    """The items of one method: those of its blocks, and those of its edges."""

    blocks: dict[Label, Bits] = field(default_factory=dict)
    edges: dict[tuple[Label, Label], Bits] = field(default_factory=dict)
    leaving: dict[Label, Bits] = field(default_factory=dict)
    """the items of all edges that leave a block"""


class Coverage:
    """The items that are wanted, covered and out of reach."""

    def __init__(
        self,
        subject: Subject,
        calls: CallGraph,
        *,
        branches: bool = False,
        statements: bool = False,
        points: Sequence[Place] = (),
    ) -> None:
        self._branches = branches
        self._statements = statements
        self._points = frozenset(points)
        self._numbers: dict[Item, int] = {f"{file}:{line}": at for at, (file, line) in enumerate(points)}
        self._places: dict[int, _Places] = {}
        self._methods: dict[int, Method] = {}
        """the methods whose items are wanted"""
        self._known: list[Method] = []
        self.flow = Flow(calls, self._direct)
        self._uncovered: Bits = (1 << len(points)) - 1
        self._only: frozenset[Item] | None = None
        self._lost: dict[int, str] = {}
        """item -> why a path that might have come to it did not"""
        self._bounded: Bits = 0
        self._nameless: Bits = 0
        """sides of branches that lead to the same line, so that no trace of lines tells them apart"""
        self._known_distances: dict[Bits, Distances] = {}
        """those to the items that are wanted at present"""
        for method in calls.exact(subject.method):
            self._want(method)

    # The criterion.

    def begin(self, state: State) -> Passed:
        """Nothing is passed at first."""
        return Passed()

    def follow(self, memo: Passed, elements: Iterable[Element], state: State) -> Passed:
        """Add the items of the blocks, and of the edges between blocks of the same call."""
        bits, last, calls = memo.bits, memo.last, memo.calls.copy()
        for element in elements:
            if isinstance(element, Interrupted):
                continue
            method, label = element.method, element.label
            if id(method) not in self._methods and not is_preparation(method.name):
                self._meet(method, last)
            places = self._of(method)
            before = self._before(method, calls.get(id(method)), label)
            bits |= places.blocks.get(label, 0)
            if before is not None:
                bits |= places.edges.get((before[0], label), 0)
            calls[id(method)] = (label, before if label == method.entry else before and before[1])
            last = element
        way = 0
        if state.next is not None and _is_whole(state):
            assert state.frame is not None
            method = state.frame.code.method
            under_way = calls.get(id(method))
            if under_way is not None:
                way = self._of(method).edges.get((under_way[0], state.next.label), 0) & ~bits
        return Passed(bits | way, last, calls, way)

    def _before(self, method: Method, calls: Labels, label: Label) -> Labels:
        """The calls of a method under way when it comes to a block: those that cannot go on there have ended."""
        if label == method.entry:
            return calls
        successors = self.flow.graph(method).successors
        while calls is not None and label not in successors[calls[0]]:
            calls = calls[1]
        return calls

    def wants(self, memo: Passed, state: State) -> bool:
        """Whether an item without a case was passed or lies ahead."""
        return bool((memo.bits | self.flow.ahead(state)) & self._uncovered)

    def nearness(self, memo: Passed, state: State) -> Rank:
        """Blocks to the nearest item without a case; of several such states, that which may still have most of them."""
        left = 0 if memo.bits & self._uncovered else 1 + self._distances(self._uncovered).of(state)
        return left, -((memo.bits | self.flow.ahead(state)) & self._uncovered).bit_count()

    def direction(self, memo: Passed, state: State) -> Rank:
        """Blocks to the nearest item that the trace has not passed itself; where there is none, to the end."""
        new = self._uncovered & ~memo.bits
        if memo.way & self._uncovered:
            left = 0
        else:
            left = 1 + self._distances(new).of(state) if new else FAR
        return left, self.flow.to_end(state), -(self.flow.ahead(state) & new).bit_count()

    def _distances(self, wanted: Bits) -> Distances:
        found = self._known_distances.get(wanted)
        if found is None:
            near = partial(self._is_near, wanted)
            found = self._known_distances[wanted] = Distances(self.flow, near)
        return found

    def items(self, memo: Passed, state: State) -> tuple[Item, ...]:
        """The wanted lines and branches of the path."""
        bits = self._bits_on(memo, state)
        return tuple(item for item, number in self._numbers.items() if bits >> number & 1)

    def learn(self, memo: Passed, state: State) -> None:
        """Cover the items of the path."""
        bits = self._bits_on(memo, state)
        if bits & self._uncovered:
            self._uncovered &= ~bits
            self._known_distances.clear()

    def _bits_on(self, memo: Passed, state: State) -> Bits:
        found = {f"{file}:{line}" for file, line in lines(state)}
        if self._branches:
            found.update(branches_taken(state))
        bits = memo.bits & self._nameless
        for item in found:
            bits |= self._bit(item)
        return bits

    def lost(self, memo: Passed, state: State, reason: str, bound: bool) -> None:
        """Remember for the items that the path might have come to why it did not."""
        # A path that a bound stops at a branch is its trace only: where its callers would have gone on is not kept.
        bits = memo.bits | self.flow.ahead(state) if _is_whole(state) else self._uncovered
        bits &= self._uncovered
        if bound:
            self._bounded |= bits
            return
        number = 0
        while bits:
            if bits & 1:
                self._lost.setdefault(number, reason)
            bits >>= 1
            number += 1

    def only(self, items: Collection[Item]) -> None:
        """Want nothing but these items."""
        self._only = frozenset(items)
        self._uncovered &= self._wanted_bits()

    def _wanted_bits(self) -> Bits:
        if self._only is None:
            return -1
        return sum(1 << number for item, number in self._numbers.items() if item in self._only)

    @property
    def missing(self) -> tuple[Item, ...]:
        """The items that no case has."""
        return tuple(item for item, number in self._numbers.items() if self._uncovered >> number & 1)

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self._numbers)

    @property
    def satisfied(self) -> bool:
        """Whether every item has a case."""
        return not self._uncovered

    def verdicts(self) -> list[Verdict]:
        """The items; one without a case is not reached where a path that might have come to it was given up."""
        return [self._verdict(i, number) for i, number in self._numbers.items() if not self._nameless >> number & 1]

    def _verdict(self, item: Item, number: int) -> Verdict:
        if not self._uncovered >> number & 1:
            return Verdict(item, "covered")
        if number in self._lost:
            return Verdict(item, "not reached", self._lost[number])
        bounded = self._bounded >> number & 1
        return Verdict(item, "infeasible", "within the bound on loops and recursion" if bounded else "")

    # Items.

    def _want(self, method: Method) -> None:
        """Make the items of a method wanted, unless only given points are."""
        if id(method) in self._methods:
            return
        self._methods[id(method)] = method
        if not (self._branches or self._statements):
            return
        self._places.pop(id(method), None)
        rethrows = rethrowing(method)
        before = len(self._numbers)
        for label in Graph(method, exceptional=True).reverse_postorder:
            if label in rethrows:
                continue
            for item in _lines_of(method, label):
                self._numbers.setdefault(item, len(self._numbers))
            if self._branches:
                for target in _sides(method, label):
                    if target not in rethrows:
                        item = _branch(method, label, target)
                        if item not in self._numbers and _is_nameless(method, label):
                            self._nameless |= 1 << len(self._numbers)
                        self._numbers.setdefault(item, len(self._numbers))
        self._uncovered |= ((1 << len(self._numbers)) - 1) & ~((1 << before) - 1) & self._wanted_bits()
        self._changed()

    def _meet(self, method: Method, last: Mark | None) -> None:
        """A path has entered a method that no call names."""
        if last is not None:
            self.flow.calls.note_entered(method, last.method.blocks[last.label], last.method)
        self._want(method)
        self._changed()

    def _changed(self) -> None:
        self._places.clear()
        self.flow.changed()
        self._known_distances.clear()

    def _is_near(self, wanted: Bits, method: Method, label: Label) -> bool:
        places = self._of(method)
        return bool((places.blocks.get(label, 0) | places.leaving.get(label, 0)) & wanted)

    def _direct(self, method: Method) -> dict[Label, tuple[Bits, Bits]]:
        places = self._of(method)
        return {label: (inside, places.leaving[label]) for label, inside in places.blocks.items()}

    def _of(self, method: Method) -> _Places:
        found = self._places.get(id(method))
        if found is None:
            found = self._places[id(method)] = self._places_of(method)
            self._known.append(method)
        return found

    def _places_of(self, method: Method) -> _Places:
        places = _Places()
        for label in method.blocks:
            bits = 0
            for item in _lines_of(method, label):
                bits |= self._bit(item)
            places.blocks[label], places.leaving[label] = bits, 0
            if self._branches:
                for target in _sides(method, label):
                    bit = places.edges[label, target] = self._bit(_branch(method, label, target))
                    places.leaving[label] |= bit
        return places

    def _bit(self, item: Item) -> Bits:
        number = self._numbers.get(item)
        return 0 if number is None else 1 << number


def _is_whole(state: State) -> bool:
    """Whether the state still has its frames: a path that a bound stops at a branch is its trace only."""
    return getattr(state, "frame", None) is not None


def _sides(method: Method, label: Label) -> tuple[Label, ...]:
    terminator = method.blocks[label].terminator
    return targets(terminator) if isinstance(terminator, Branch) else ()


def _branch(method: Method, label: Label, target: Label) -> Item:
    """What `traces.branches_taken` calls it; sides that it does not tell apart have the names of their blocks."""
    span = method.blocks[label].terminator.span
    if _is_nameless(method, label):
        return f"{method.qualified}:{label}->{target}"
    return f"{span.file}:{span.line}->{leads_to(method, span, target)[1]}"


def _is_nameless(method: Method, label: Label) -> bool:
    """Whether both sides of a branch lead to the same line: a conditional expression may call one thing or another."""
    span = method.blocks[label].terminator.span
    return len({leads_to(method, span, target) for target in _sides(method, label)}) == 1


def _lines_of(method: Method, label: Label) -> list[Item]:
    block = method.blocks[label]
    spans = (each.span for each in (*block.instructions, block.terminator))
    return list(dict.fromkeys(f"{span.file}:{span.line}" for span in spans if span.line))
