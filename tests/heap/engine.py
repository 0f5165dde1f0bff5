"""Explores a random program with one heap, and reads what a path did off its trace, event by event."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from everypath.explore import traces
from everypath.explore.code import CALLS
from everypath.explore.outcomes import Cut, Finished, NotSupported, Uncaught, Undecided
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.state import Interrupted, Mark, State, unchain
from everypath.generate.exploring import single_entry
from everypath.ir.instructions import (
    Branch,
    CallStatic,
    CallVirtual,
    GetField,
    GetItem,
    Instruction,
    Return,
    Terminator,
)
from everypath.languages.python.frontend import Loaded, load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.languages.python.subject import method_of
from everypath.options import Limits, Options
from tests.heap.programs import Program

MODULE = "sample"

Event = tuple[object, ...]
"""A branch with its decision, or a field or element that was read, with the line where it stands."""
Behaviour = tuple[tuple[Event, ...], str]
"""The events of a run and how it ended."""


@dataclass
class Paths:
    """The last states of one exploration."""

    call: Call
    states: list[State] = field(default_factory=list)
    """those that returned or raised"""
    incomplete: str = ""
    """why some path did not end by itself; empty when all did"""

    def signatures(self) -> list[tuple[object, ...]]:
        """What each path executed, block by block, and the class of the exception that ended it."""
        return [(traces.signature(state), ending(state)) for state in self.states]


def load(program: Program) -> Loaded:
    """The program as the front end hands it over."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{MODULE}.py"
        file.write_text(program.source)
        return load_target(f"{file}::subject")


def explore(source: Loaded, heap: str, most: int, loops: int = 8) -> Paths:
    """Every path of the program; programs end by themselves well below the bound on loops."""
    entry = single_entry(source, "subject")
    limits = Limits(loops=loops, paths=most, time=20, lengths=3)
    exploration = Exploration(PythonSemantics(source.program), Options(heap=heap, limits=limits))
    initial, call = exploration.initial(method_of(source, entry))
    found = Paths(call)
    for state in exploration.paths(initial):
        match state.outcome:
            case Finished() | Uncaught():
                found.states.append(state)
            case Cut(kind=kind, message=message):
                found.incomplete = "too many paths" if "--paths" in message else f"cut: {kind}"
            case NotSupported(message=message):
                found.incomplete = f"unsupported: {message}"
            case Undecided():
                found.incomplete = "undecided"
        if found.incomplete == "too many paths":
            break
    return found


def ending(state: State) -> str:
    """`returned`, or the class of the exception and the line that raised it."""
    outcome = state.outcome
    return f"{outcome.cls} in line {outcome.span.line}" if isinstance(outcome, Uncaught) else "returned"


def predicted(state: State) -> Behaviour:
    """What a real run along this path must do."""
    reader = _TraceReader(unchain(state.trace))
    reader.method()
    assert reader.at == len(reader.trace), "the trace goes on after the entry returned"
    return tuple(reader.events), ending(state)


class _TraceReader:
    """Follows the blocks of a trace through calls, returns and handlers."""

    def __init__(self, trace: list[Mark | Interrupted]) -> None:
        self.trace = trace
        self.at = 0
        self.events: list[Event] = []

    def method(self) -> None:
        """Read one activation; the next element is the entry block of its method."""
        while self.block(self.trace[self.at]):
            pass

    def block(self, mark: Mark | Interrupted) -> bool:
        """Read one block and the calls in it; whether the activation goes on behind it."""
        assert isinstance(mark, Mark)
        self.at += 1
        body = mark.method.blocks[mark.label]
        for index, instruction in enumerate((*body.instructions, body.terminator)):
            if self.enters(instruction):
                self.method()
            if self.interrupted(mark, index):
                return self.handled(mark)
            if not isinstance(instruction, Branch):
                self.note(instruction)
            elif all(mark.label != handler.target for handler in mark.method.handlers):
                # The test of an exception's class is no condition of the source.
                self.decided(instruction)
        return not isinstance(body.terminator, Return)

    def next(self) -> Mark | Interrupted | None:
        return self.trace[self.at] if self.at < len(self.trace) else None

    def enters(self, instruction: Instruction | Terminator) -> bool:
        """Whether the call runs user code: natives and models leave nothing on the trace."""
        following = self.next()
        if not isinstance(instruction, CALLS) or not isinstance(following, Mark):
            return False
        if not isinstance(instruction, CallStatic | CallVirtual):
            return following.label == following.method.entry
        return following.label == following.method.entry and following.method.name == instruction.name

    def interrupted(self, mark: Mark, index: int) -> bool:
        following = self.next()
        if isinstance(following, Interrupted) and following.mark is mark and following.index == index:
            self.at += 1
            return True
        return False

    def handled(self, mark: Mark) -> bool:
        """Whether a handler of the same activation goes on."""
        following = self.next()
        if not isinstance(following, Mark) or following.method is not mark.method:
            return False
        return any(mark.label in h.blocks and following.label == h.target for h in mark.method.handlers)

    def note(self, instruction: Instruction | Terminator) -> None:
        if isinstance(instruction, GetField):
            self.events.append(("field", instruction.span.line, instruction.name))
        elif isinstance(instruction, GetItem):
            self.events.append(("item", instruction.span.line))

    def decided(self, branch: Branch) -> None:
        following = self.next()
        assert isinstance(following, Mark)
        self.events.append(("branch", branch.span.line, branch.span.column, following.label == branch.if_true))
