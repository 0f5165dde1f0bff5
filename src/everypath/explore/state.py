"""A symbolic state: the frames, the heap, the path condition and the choices that led here.

A state is changed in place while its path runs and copied at a choice; frames below the top, the
choices and the trace are immutable and shared, so a copy costs little more than the top frame and
the heap's dictionaries.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from everypath.errors import NOWHERE, Span
from everypath.explore.outcomes import Activation, Origin, Outcome
from everypath.heap.heap import Heap
from everypath.heap.values import Data, Ref, Value
from everypath.ir.instructions import Instruction, Terminator
from everypath.ir.program import Method
from everypath.logic.condition import PathCondition
from everypath.records import dataclass

_numbers = itertools.count()


class Mark:
    """A block on a path's trace."""

    __slots__ = ("label", "method", "number", "span")

    def __init__(self, method: Method, label: str) -> None:
        self.method = method
        self.label = label
        self.number = next(_numbers)
        self.span: Span = next((s for s in self.spans() if s.line), method.span)

    def spans(self, last: int | None = None) -> list[Span]:
        """The places of the block's instructions, up to the one at which an exception left it."""
        block = self.method.blocks[self.label]
        every = (*block.instructions, block.terminator)
        return [i.span for i in (every if last is None else every[: last + 1])]


@dataclass(slots=True, eq=False)
class Interrupted:
    """A mark on a trace: an exception left the block at this instruction."""

    mark: Mark
    index: int
    error: str
    """The class of the exception."""

    @property
    def span(self) -> Span:
        """Where the instruction stands."""
        return next((s for s in reversed(self.mark.spans(self.index)) if s.line), self.mark.span)


Post = Callable[["State", Value], Value]
T = TypeVar("T")
Chain = tuple[T, "Chain[T]"] | None
"""A linked list that grows at its front; states that were one share the rest."""


class Segment(Protocol):
    """Generated code from an instruction to the next call or the end of the block; `code.py` makes it."""

    label: str
    index: int
    calling: int
    """the instruction whose call comes back here"""

    def __call__(self, st: State, regs: list[Value], /) -> Segment | None:
        """Run it and return the segment to run next; None if the path has forked or ended."""


class Compiled(Protocol):
    """A method ready to run, as states and calls see it; `code.py` makes them."""

    method: Method
    params: int
    plain: bool
    """whether every parameter takes one argument by position"""
    blank: tuple[Value, ...]
    """what the registers behind the parameters hold at first"""
    loop_bound: int

    @property
    def marks(self) -> Mapping[str, Mark]:
        """block -> how it appears on a trace"""

    @property
    def entry(self) -> Segment:
        """Where the method begins."""

    def segment(self, label: str, index: int) -> Segment:
        """The segment from this instruction on."""

    def again(self, label: str, index: int) -> Segment:
        """Like `segment`, for an instruction that is executed once more, so that its block is on the trace already."""

    def locate(self, filename: str, line: int) -> tuple[str, int]:
        """The block and instruction that a line of generated code belongs to."""

    def instruction(self, label: str, index: int) -> Instruction | Terminator:
        """The instruction at a place."""


class Concurrent(Protocol):
    """The concurrent part of a state: tasks, queues and results; `actors/world.py` has it for actor programs."""

    uncertain: bool
    """whether the running step depends on something unknown"""

    def copy(self) -> Concurrent:
        """An independent copy."""


class Frame:
    """A method activation and where its caller goes on; immutable."""

    __slots__ = ("code", "depth", "dst", "parent", "post", "resume", "saved", "stamp")

    def __init__(
        self,
        code: Compiled,
        parent: Frame | None,
        saved: tuple[Value, ...],
        dst: int,
        resume: Segment | None,
        post: Post | None,
        stamp: int,
    ) -> None:
        self.code = code
        self.parent = parent
        self.saved = saved
        """the caller's registers"""
        self.dst = dst
        self.resume = resume
        self.post = post
        """what turns the returned value into the one that the caller sees"""
        self.stamp = stamp
        """how many symbolic decisions had been made when the method was entered"""
        self.depth: int = 0 if parent is None else parent.depth + 1


class State:
    """One path as far as it has come."""

    __slots__ = (
        "arranged",
        "choices",
        "decisions",
        "fixed",
        "frame",
        "heap",
        "kept",
        "next",
        "orders",
        "outcome",
        "pc",
        "raised",
        "regs",
        "statics",
        "steps",
        "successors",
        "touched",
        "trace",
        "world",
    )

    def __init__(self, heap: Heap, pc: PathCondition) -> None:
        self.heap = heap
        self.pc = pc
        heap.attach(pc)
        self.frame: Frame | None = None
        self.regs: list[Value] = []
        self.next: Segment | None = None
        self.arranged: Heap | None = None
        """the heap right before the call under test, if other calls were made first"""
        self.choices: Chain[int] = None
        self.trace: Chain[Mark | Interrupted] = None
        self.decisions = 0
        """symbolic decisions so far: loops and recursion count against their bounds only when this has grown"""
        self.steps = 0
        self.fixed = ""
        """why only some values were tried for an input of the path, if that is so"""
        self.statics: dict[tuple[str, str], Value] = {}
        self.orders: Chain[tuple[Value, ...]] = None
        """the elements of sets in the order in which the path met them, if that depends on their values"""
        self.raised: tuple[Ref | Data, Origin] | None = None
        """the exception under way, and where it was raised"""
        self.outcome: Outcome | None = None
        self.kept: State | None = None
        """the path right before it was stopped, if somebody may want to go on with it under a larger bound"""
        self.successors: list[State] | None = None
        self.world: Concurrent | None = None
        """the tasks of an actor program"""
        self.touched: dict[tuple[Ref | str, str], int] = {}
        """fields of actors read (1) and written (2) since the running task was continued"""

    def beside(self, choice: int, segment: Segment, pc: PathCondition) -> State:
        """A copy that makes another choice here and goes on with a segment, under another path condition."""
        new = self.copy(pc)
        new.choices = (choice, self.choices)
        new.next = segment
        return new

    def copy(self, pc: PathCondition | None = None) -> State:
        """An independent state at the same point, under another path condition if one is given."""
        new = object.__new__(State)
        new.heap = self.heap.copy()
        new.pc = self.pc.copy() if pc is None else pc
        # Only a heap with conditional values asks the path condition.
        if new.heap.disjunctive:
            new.heap.attach(new.pc)
        new.arranged = self.arranged
        new.frame = self.frame
        new.regs = self.regs.copy()
        new.next = self.next
        new.choices = self.choices
        new.trace = self.trace
        new.decisions = self.decisions
        new.steps = self.steps
        new.fixed = self.fixed
        new.statics = self.statics
        new.orders = self.orders
        new.raised = self.raised
        new.outcome = None
        new.kept = None
        new.successors = None
        if self.world is None:
            new.world = None
        else:
            new.world = self.world.copy()
            new.touched = self.touched.copy()
        return new

    def become(self, other: State) -> None:
        """Take over what another state at the same point knows about the inputs."""
        self.heap = other.heap
        self.pc = other.pc

    def stopped(self, choice: int, outcome: Outcome, kept: State | None = None) -> State:
        """The end of a path that a bound stops right after this choice: only its choices and its trace matter."""
        new = object.__new__(State)
        new.next = None
        new.choices = (choice, self.choices)
        new.trace = self.trace
        new.pc = self.pc
        new.world = None
        new.steps = self.steps
        new.fixed = self.fixed
        new.outcome = outcome
        new.kept = kept
        new.successors = None
        return new

    def choice_sequence(self) -> tuple[int, ...]:
        """The choices from the start; together with the start they name the path and replay it."""
        return tuple(unchain(self.choices))

    def span(self) -> Span:
        """Where the path is, as precisely as blocks tell."""
        return self.trace[0].span if self.trace is not None else NOWHERE


def unchain(chain: Chain[T]) -> list[T]:
    """The elements of a chain, oldest first."""
    found = []
    while chain is not None:
        found.append(chain[0])
        chain = chain[1]
    found.reverse()
    return found


def activations(frame: Frame, label: str, index: int, registers: Sequence[Value]) -> Iterator[Activation]:
    """The active methods, innermost first, down to the call under test, without what looks at its result."""
    while True:
        above = frame.parent if frame.parent is not None and frame.parent.parent is not None else None
        caller = above or (None if frame.parent is None or frame.parent.code.method.model else frame.parent)
        yield Activation(frame.code.method, label, frame.code.instruction(label, index), registers, caller is not None)
        if caller is None or frame.resume is None:
            return
        label, index, registers, frame = frame.resume.label, frame.resume.calling, frame.saved, caller
