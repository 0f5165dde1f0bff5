"""The criterion all-local-paths: every path through the method under test itself, whatever the methods it calls do.

The trace abstraction of the method is its control-flow graph, sliced so that no other method is in it (Definition 6 of
"Test Case Generation by Symbolic Execution"): calls are one step, whose own trace stays free. Traces that cases follow
are kept as a tree. A node is *closed* when the abstraction, within the bound on loops, knows no continuation of it that
has no case. A waiting state is wanted as long as the node of its local trace is open.

An exception is a continuation like a branch: the trace tells at which instruction it left a block. Instructions that
cannot raise (`raising.py`) have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.explore.search.guidance.criterion import Element, Rank, Verdict, rethrowing
from everypath.explore.search.guidance.raising import Raising
from everypath.explore.search.subject import Subject
from everypath.explore.state import Interrupted, State
from everypath.ir.cfg import Graph
from everypath.ir.instructions import EnterLoop, Instruction, Iterate, Label, Return, Terminator, Throw
from everypath.ir.names import resumable_body
from everypath.ir.operands import targets
from everypath.ir.program import Method
from everypath.records import dataclass

Left = tuple[Label, int]
"""An exception left the block at this instruction."""
END = "<end>"
Event = Label | Left
"""What comes next on a local trace: a block, an exception, or the end."""
Calls = tuple[Label, "Calls"] | None
"""The last block of each call of the method that is under way, innermost first; the last one is the call under test."""


class Node:
    """A beginning of local traces, as far as cases follow it."""

    __slots__ = ("cases", "children", "closed", "event", "parent", "possible")

    def __init__(self, event: Event, parent: Node | None, possible: tuple[Event, ...]) -> None:
        self.event = event
        self.parent = parent
        self.possible = possible
        """how the abstraction lets traces go on"""
        self.children: dict[Event, Node] = {}
        self.closed = False
        self.cases = 0

    def trace(self) -> Iterator[Event]:
        """The events up to here, the last one first."""
        node: Node | None = self
        while node is not None:
            yield node.event
            node = node.parent


@dataclass(frozen=True, slots=True)
class Local:
    """How far a path has come in the method under test."""

    node: Node
    calls: Calls = None


class LocalPaths:
    """The local paths of one method."""

    def __init__(self, subject: Subject, calls: CallGraph, loops: int) -> None:
        program = subject.program
        # The work of a generator is in its body.
        self.method: Method = (
            program.find_method(subject.method.cls, resumable_body(subject.method.name)) or subject.method
        )
        self._graph = Graph(self.method, exceptional=True)
        self._loops = loops
        types = None if self.method is subject.method else (None,) * len(self.method.params)
        self._raising = Raising(program, calls).raising(self.method, types)
        self._handlers = {
            label: next((h.target for h in self.method.handlers if label in h.blocks), None)
            for label in self.method.blocks
        }
        self._unwritten = rethrowing(self.method)
        self._root = Node("<start>", None, (self.method.entry,))
        self._lost: list[tuple[Node, str]] = []
        self._bounded: list[Node] = []
        self._paths: dict[tuple[Event, ...], int] = {}
        """the local paths that paths have followed to their end, numbered"""

    # The criterion.

    def begin(self, state: State) -> Local:
        """Before the method is entered."""
        return Local(self._root)

    def follow(self, memo: Local, elements: Iterable[Element], state: State) -> Local:
        """Go down the tree by what the call under test itself did."""
        node, calls = memo.node, memo.calls
        for element in elements:
            mark = element.mark if isinstance(element, Interrupted) else element
            if mark.method is not self.method:
                continue
            if isinstance(element, Interrupted):
                while calls is not None and calls[0] != mark.label and calls[1] is not None:
                    calls = calls[1]
                if calls is not None and calls[1] is None:
                    node = self._child(node, (mark.label, element.index))
                continue
            if mark.label == self.method.entry:
                calls = (mark.label, calls)
            else:
                while calls is not None and calls[1] is not None and not self._follows(calls[0], mark.label):
                    calls = calls[1]
                calls = (mark.label, calls[1] if calls is not None else None)
            if calls[1] is None:
                node = self._child(node, mark.label)
        return Local(node, calls)

    def wants(self, memo: Local, state: State) -> bool:
        """Whether some continuation of the local trace has no case."""
        if memo.node.closed:
            return False
        following = self._following(memo, state)
        return following is None or not following.closed

    def _following(self, memo: Local, state: State) -> Node | None:
        """The node of the block that the call under test executes next, if a path has been there."""
        frame, segment = state.frame, state.next
        if frame is None or segment is None or segment.index or frame.code.method is not self.method:
            return None
        if memo.calls is None or memo.calls[1] is not None or memo.node.event == segment.label:
            return None
        return memo.node.children.get(segment.label)

    def nearness(self, memo: Local, state: State) -> Rank:
        """Traces of which no case has the beginning come first."""
        return (1 if memo.node.cases else 0,)

    direction = nearness

    def items(self, memo: Local, state: State) -> tuple[str, ...]:
        """The local path."""
        return (self._name(tuple(memo.node.trace())[-2::-1]),)

    def _name(self, trace: tuple[Event, ...]) -> str:
        number = self._paths.setdefault(trace, len(self._paths) + 1)
        return f"{self.method.span.file}:{self.method.span.line}: local path {number}: {self._told(trace)}"

    def learn(self, memo: Local, state: State) -> None:
        """A case follows the local trace to its end."""
        leaf = self._child(memo.node, END)
        leaf.closed = True
        node = leaf.parent
        while node is not None:
            node.cases += 1
            node.closed = node.closed or all(
                (child := node.children.get(event)) is not None and child.closed for event in node.possible
            )
            node = node.parent

    def lost(self, memo: Local, state: State, reason: str, bound: bool) -> None:
        """What could have followed is not known."""
        if bound:
            self._bounded.append(memo.node)
        else:
            self._lost.append((memo.node, reason))

    @property
    def size(self) -> int:
        """What is wanted never grows."""
        return 0

    @property
    def satisfied(self) -> bool:
        """Whether every local path has a case."""
        return self._root.closed

    def verdicts(self) -> list[Verdict]:
        """The local paths with a case, then the ways to go on from their beginnings that no case goes.

        Exceptions that only might have been raised are not among these: nothing shows that anybody could want them.
        """
        found = []
        waiting = [self._root]
        while waiting:
            node = waiting.pop(0)
            waiting += [child for child in node.children.values() if child.cases and child.event != END]
            if END in node.children:
                found.append(Verdict(self._name(tuple(node.trace())[-2::-1]), "covered"))
            found += [v for event in node.possible if (v := self._missing(node, event)) is not None]
        return sorted(found, key=lambda verdict: verdict.found)

    def _missing(self, node: Node, event: Event) -> Verdict | None:
        child = node.children.get(event)
        if event in (END, *self._unwritten) or (child is not None and child.cases):
            return None
        told = self._told((*tuple(node.trace())[-2::-1], event))
        below = set() if child is None else set(map(id, _below(child)))
        reason = next((reason for lost, reason in self._lost if id(lost) in below or lost is node), None)
        if reason is not None:
            return Verdict(told, "not reached", reason)
        if not isinstance(event, str):
            return None
        bounded = any(id(each) in below or each is node for each in self._bounded)
        return Verdict(told, "infeasible", "within the bound on loops and recursion" if bounded else "")

    # The sliced trace abstraction.

    def _follows(self, first: Label, second: Label) -> bool:
        return second in self._graph.successors[first]

    def _child(self, node: Node, event: Event) -> Node:
        child = node.children.get(event)
        if child is None:
            child = node.children[event] = Node(event, node, ())
            child.possible = tuple(self._continuations(child))
        return child

    def _continuations(self, node: Node) -> Iterator[Event]:
        event = node.event
        if event == END:
            return
        if not isinstance(event, str):
            handler = self._handlers[event[0]]
            yield END if handler is None else handler
            return
        block = self.method.blocks[event]
        for index in range(len(block.instructions) + 1):
            if (event, index) in self._raising:
                yield event, index
        if isinstance(block.terminator, Return):
            yield END
        elif not isinstance(block.terminator, Throw):
            yield from (target for target in targets(block.terminator) if not self._is_spent(node, target))

    def _is_spent(self, node: Node, target: Label) -> bool:
        """Whether the block begins an iteration beyond the bound."""
        first = next(iter(self.method.blocks[target].instructions), None)
        if not isinstance(first, Iterate):
            return False
        count = 0
        for event in node.trace():
            if event == target:
                count += 1
            elif isinstance(event, str) and event in self.method.blocks:
                instructions = self.method.blocks[event].instructions
                if any(isinstance(each, EnterLoop) and each.loop == first.loop for each in instructions):
                    break
        return count >= self._loops

    def _told(self, trace: Iterable[Event]) -> str:
        """The lines of a local trace, repetitions next to each other left out."""
        shown: list[str] = []
        for event in trace:
            if isinstance(event, str):
                spans = [each.span for each in _instructions(self.method, event)]
                words = list(dict.fromkeys(str(span.line) for span in spans if span.line))
            else:
                line = _instructions(self.method, event[0])[event[1]].span.line
                words = [f"{line} raises"]
                # The block was told as a whole; the exception left it here.
                while shown and shown[-1].isdigit() and int(shown[-1]) >= line:
                    shown.pop()
            for word in words:
                if not shown or shown[-1] != word:
                    shown.append(word)
        return "-".join(shown)


def _instructions(method: Method, label: Label) -> tuple[Instruction | Terminator, ...]:
    block = method.blocks[label]
    return (*block.instructions, block.terminator)


def _below(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.children.values()
