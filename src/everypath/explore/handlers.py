"""Which exceptions the code around a call handles: those that a stand-in can raise so that it makes a difference.

Frames and handlers are searched from the inside out. A clause gives one class that no clause further in has already
taken, and the subclasses that its code treats differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from everypath.explore.objects import get_static, program_of
from everypath.explore.state import Frame, State
from everypath.heap.values import Value
from everypath.ir.instructions import (
    Block,
    Branch,
    CallNative,
    CallVirtual,
    ClassRef,
    GetStatic,
    Handler,
    Label,
    Move,
    Throw,
    TypeTest,
)
from everypath.ir.operands import targets
from everypath.ir.program import Method, Program
from everypath.ir.types import ClassType
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a handler that tells exceptions of these classes from others."""

    classes: tuple[str, ...]
    passes_on: bool = False
    """whether code further out may see the same exception"""
    asked: tuple[str, ...] = ()
    """the classes that the code of the clause asks for once more"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An activation that waits for something: the block where it does, and its registers."""

    method: Method
    label: Label
    registers: Sequence[Value]


class Managing(Protocol):
    """What only a language knows about handling exceptions."""

    anything: str
    """the class of an exception that is none of those that some code asks for"""

    def managed(self, st: State, manager: Value) -> Iterable[Clause | Waiting]:
        """What an object does with an exception that a handler passes to it."""


def callers(st: State) -> Iterator[tuple[Frame, Label, int, Sequence[Value]]]:
    """The frames below the running one, each with the block and instruction where it waits, and its registers."""
    frame = st.frame
    while frame is not None and frame.parent is not None:
        place, registers, frame = frame.resume, frame.saved, frame.parent
        if place is None:
            return
        yield frame, place.label, place.calling, registers


def caught_around(st: State, managing: Managing) -> list[str]:
    """The classes of exceptions that the handlers around the running call tell apart, one for each clause."""
    found: list[str] = []
    stopped: list[str] = []
    program = program_of(st)
    for frame, label, _, registers in callers(st):
        if frame.code.method.model:
            continue
        for clause in _clauses_around(st, Waiting(frame.code.method, label, registers), managing):
            fresh = (cls for cls in clause.classes if not any(program.is_subclass(cls, known) for known in stopped))
            cls = next(fresh, None)
            if cls is not None:
                found += [kind for kind in (cls, *_kinds(program, cls, clause)) if kind not in found]
            # A clause that may throw its exception again does not hide it from the code further out.
            if not clause.passes_on:
                stopped += clause.classes
    return found


def _kinds(program: Program, cls: str, clause: Clause) -> Iterator[str]:
    """The subclasses that a clause may treat differently: those it asks for, and those that override something."""
    for name in program.subclasses(cls):
        if name != cls and (name in clause.asked or _overrides(program, name)):
            yield name


def _overrides(program: Program, name: str) -> bool:
    """Whether a class of the program gives an attribute or a method that it inherits another value or body."""
    own = program.classes[name]
    inherited = (program.classes[base] for base in program.mro(name)[1:] if base in program.classes)
    told = {member for base in inherited if not base.external for member in (*base.statics, *base.methods)}
    return not own.external and any(n in told and not n.startswith("__") for n in (*own.statics, *own.methods))


def _clauses_around(st: State, place: Waiting, managing: Managing) -> Iterator[Clause]:
    """The clauses around a place of one activation, from the inside out."""
    method, label = place.method, place.label
    while (handler := next((h for h in method.handlers if label in h.blocks), None)) is not None:
        clauses = tuple(_clauses(st, method, handler))
        yield from clauses
        if (manager := _manager(method, handler)) is not None:
            for found in managing.managed(st, place.registers[manager]):
                yield from (found,) if isinstance(found, Clause) else _clauses_around(st, found, managing)
        elif not clauses and _decides(method, handler):
            yield Clause((managing.anything,), passes_on=True)
        # What no clause takes is thrown again, and the handler around this one may catch that.
        label = handler.target


def _clauses(st: State, method: Method, handler: Handler) -> Iterator[Clause]:
    """The classes that a handler asks for, clause by clause."""
    label = handler.target
    while True:
        block = method.blocks[label]
        tested = _tested(st, block, {handler.exception})
        if tested is None:
            return
        branch = block.terminator
        if not isinstance(branch, Branch):
            yield Clause(tested)
            return
        yield _clause(st, method, tested, branch.if_true, handler)
        label = branch.if_false


def _tested(st: State, block: Block, exceptions: set[int]) -> tuple[str, ...] | None:
    """The classes that a block asks an exception for; None if it does not ask."""
    tested: tuple[str, ...] | None = None
    for instruction in block.instructions:
        match instruction:
            case TypeTest(obj=obj, types=types) if obj in exceptions:
                tested = tuple(type.name for type in types if isinstance(type, ClassType))
            case CallNative(name="isinstance", args=(obj, classes)) if obj in exceptions:
                tested = _computed_classes(st, block.instructions, classes)
    return tested


def _computed_classes(st: State, instructions: Sequence[object], register: int) -> tuple[str, ...]:
    """The classes in a variable of a module or class that a clause names."""
    for instruction in instructions:
        if isinstance(instruction, GetStatic) and instruction.dst == register:
            value = get_static(st, instruction.cls, instruction.name)
            classes = value if isinstance(value, tuple) else (value,)
            return tuple(cls.name for cls in classes if isinstance(cls, ClassRef))
    return ()


def _manager(method: Method, handler: Handler) -> int | None:
    """The register with the object to which a handler passes its exception, if that is all it does."""
    for instruction in method.blocks[handler.target].instructions:
        if isinstance(instruction, CallVirtual) and handler.exception in instruction.args:
            return instruction.receiver
    return None


def _decides(method: Method, handler: Handler) -> bool:
    """Whether the code of a handler that asks for no class depends on more than the exception."""
    return any(isinstance(method.blocks[label].terminator, Branch) for label in _reached(method, handler.target))


def _clause(st: State, method: Method, tested: tuple[str, ...], start: Label, handler: Handler) -> Clause:
    """A clause whose code begins with a block: whether it may throw its exception again, and what it asks it for."""
    same = {handler.exception}
    asked: list[str] = []
    thrown = False
    for label in _reached(method, start):
        block = method.blocks[label]
        # Registers that hold the same exception, under other names.
        same |= {i.dst for i in block.instructions if isinstance(i, Move) and i.src in same}
        asked += _tested(st, block, same) or ()
        thrown = thrown or (isinstance(block.terminator, Throw) and block.terminator.exception in same)
    return Clause(tested, thrown, tuple(asked))


def _reached(method: Method, start: Label) -> Iterator[Label]:
    """The blocks that can come after one, starting with itself."""
    agenda, seen = [start], {start}
    while agenda:
        label = agenda.pop(0)
        yield label
        fresh = [after for after in targets(method.blocks[label].terminator) if after not in seen]
        seen.update(fresh)
        agenda += fresh
