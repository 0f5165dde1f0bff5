"""Compiles blocks to functions of the interpreter that runs us, so that concrete work is fast.

A *segment* is the part of a block from some instruction to its end or to the next call. It takes the
state and its registers and returns the segment to run next, or None when the path forked or ended.
Exceptions leave a segment in the middle: the generated line tells which instruction raised, and a
segment starting there is compiled when it is needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import cached_property
from types import CodeType, ModuleType
from typing import Any

from everypath.explore.assigned import unsure_reads
from everypath.explore.segments import Writer
from everypath.explore.state import Mark, Segment
from everypath.heap.values import UNBOUND, Value
from everypath.ir.instructions import (
    CallStatic,
    CallValue,
    CallVirtual,
    Instruction,
    Iterate,
    Terminator,
)
from everypath.ir.program import Method

CALLS = (CallStatic, CallVirtual, CallValue)
_KEPT = 2_000
_PREFIX = "<everypath "
_units: dict[tuple[str, str], tuple[CodeType, frozenset[str]]] = {}
"""The units compiled last, with the names they use: the entries of a module share most of the code that they run."""


def _compiled_unit(name: str, source: str) -> tuple[CodeType, frozenset[str]]:
    unit = _units.get((name, source))
    if unit is None:
        if len(_units) >= _KEPT:
            _units.clear()
        # The number makes the name unique, because a method finds the instruction of a line by the name of its file.
        code = compile(source, f"{_PREFIX}{name} {next(_numbers)}>", "exec")
        functions = (each for each in code.co_consts if isinstance(each, CodeType))
        unit = _units[name, source] = code, frozenset(used for function in functions for used in function.co_names)
    return unit


_numbers = itertools.count()


def is_generated(code: CodeType) -> bool:
    """Whether code was written by this module, so that it works on the values of one path only."""
    return code.co_filename.startswith(_PREFIX)


class Later:
    """An operation in a module that is loaded when code that names the operation is compiled."""

    def __init__(self, module: Callable[[], ModuleType], name: str) -> None:
        self.module = module
        self.name = name


class Code:
    """A method ready to run."""

    def __init__(self, method: Method, namespace: Mapping[str, Any], loop_bound: int) -> None:
        self.method = method
        self.params = len(method.params)
        self.plain = all(p.kind in ("normal", "positional") for p in method.params)
        loops = 1 + max(
            (i.loop for b in method.blocks.values() for i in b.instructions if isinstance(i, Iterate)), default=-1
        )
        self.blank: tuple[Value, ...] = (UNBOUND,) * (method.registers + 2 * loops - self.params + 1)
        self.marks = {label: Mark(method, label) for label in method.blocks}
        self._namespace: dict[str, Any] = {**namespace}
        self.bound_loops(loop_bound)
        self._segments: dict[tuple[str, int], Segment] = {}
        self._resumed: dict[tuple[str, int], Segment] = {}
        self._unsure = unsure_reads(method)
        self._numbers = {label: n for n, label in enumerate(method.blocks)}
        self._lines: dict[str, list[tuple[str, int]]] = {}

    def bound_loops(self, bound: int) -> None:
        """Let loops have so many iterations, and the method so many re-entries."""
        self.loop_bound = self._namespace["LOOPS"] = bound

    @cached_property
    def entry(self) -> Segment:
        """Where the method begins; a method that is only called by way of its summary is never compiled."""
        self._compile_all()
        return self._segments[self.method.entry, 0]

    def segment(self, label: str, index: int) -> Segment:
        """The segment from this instruction on."""
        found = self._segments.get((label, index))
        if found is None:
            if not self._segments:
                self._compile_all()
            if (label, index) not in self._segments:
                self._compile([(label, index)])
            found = self._segments[label, index]
        return found

    def again(self, label: str, index: int) -> Segment:
        """Like `segment`, for an instruction that runs once more: its block is on the trace already."""
        found = self._resumed.get((label, index))
        if found is None:
            self._compile([(label, index)], resumed=True)
            found = self._resumed[label, index]
        return found

    def locate(self, filename: str, line: int) -> tuple[str, int]:
        """The block and instruction that a line of generated code belongs to."""
        return self._lines[filename][line - 1]

    def instruction(self, label: str, index: int) -> Instruction | Terminator:
        """The instruction at a place."""
        block = self.method.blocks[label]
        return block.instructions[index] if index < len(block.instructions) else block.terminator

    def name_of(self, label: str, index: int) -> str:
        """The name of a segment in generated code."""
        return f"s{self._numbers[label]}_{index}"

    def _compile_all(self) -> None:
        places = []
        for label, block in self.method.blocks.items():
            places.append((label, 0))
            # A call leaves its segment, and comes back in one that begins right after it.
            places.extend((label, i + 1) for i, ins in enumerate(block.instructions) if isinstance(ins, CALLS))
        self._compile(places)

    def _load_operations(self, names: frozenset[str]) -> None:
        for name in names & self._namespace["LATER"]:
            # What an earlier unit of this method has loaded is there already.
            if isinstance(operation := self._namespace[name], Later):
                self._namespace[name] = getattr(operation.module(), operation.name)

    def _compile(self, places: list[tuple[str, int]], resumed: bool = False) -> None:
        writer = Writer(self.method, self.name_of, self._namespace, self.marks, self._unsure)
        for label, index in places:
            writer.segment(label, index, resumed)
        unit, names = _compiled_unit(self.method.qualified, writer.source())
        self._load_operations(names)
        exec(unit, self._namespace)
        self._lines[unit.co_filename] = writer.places
        for label, index in places:
            function = self._namespace[f"{self.name_of(label, index)}{'_again' if resumed else ''}"]
            function.label = label
            function.index = index
            # The instruction whose call comes back here: the one before, unless it is the one that runs once more.
            function.calling = index if resumed else max(0, index - 1)
            function.code = self
            (self._resumed if resumed else self._segments)[label, index] = function
