"""Which lines and branches of a file there are, and which a call reaches.

A branch is a pair of lines that a conditional jump of the bytecode leads from and to. Code of which everything was
reached is no longer traced, so that a search gets faster the more it has found.
"""

from __future__ import annotations

import ast
import dis
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from types import CodeType, FrameType, TracebackType
from typing import Any

from everypath.languages.python.probing.statements import decided_lines
from everypath.records import dataclass

Arc = tuple[int, int]
Reached = frozenset[int | Arc]
"""Lines and branches."""
Look = Callable[[FrameType, int], None]
Complain = Callable[[BaseException, TracebackType | None], None]
_Key = tuple[int, str]
"""First line and name, the same for a function that was compiled twice."""


@dataclass(slots=True)
class Function:
    """The code of one function: what there is to reach in it."""

    name: str
    first: int
    last: int
    wanted: set[int | Arc]
    size: int
    """how much there is in all"""
    asked: frozenset[int] | None = None
    """lines with a branch that is wanted, if that is known"""

    def asking(
        self, watched: Mapping[int, Collection[int]], answering: Mapping[int, frozenset[int]], undecided: set[int]
    ) -> frozenset[int]:
        """The lines from which a branch is wanted, and those that are watched as long as some other line is wanted.

        Lines that answer a condition count as long as that is undecided.
        """
        if self.asked is None:
            own = {thing[0] for thing in self.wanted if isinstance(thing, tuple)}
            for line, others in watched.items():
                if self.first <= line <= self.last and not self.wanted.isdisjoint(others):
                    own.add(line)
            for line, conditions in answering.items():
                if self.first <= line <= self.last and not undecided.isdisjoint(conditions):
                    own.add(line)
            self.asked = frozenset(own)
        return self.asked


MODULE_CODE = "<module>"
"""The name of the code that runs when a module is imported."""


def functions_in(source: str, file: str) -> dict[_Key, Function]:
    """Every function of a file, also those inside others; and what importing the file may leave out."""
    found: dict[_Key, Function] = {}
    whole = compile(source, file, "exec", dont_inherit=True)
    decided = decided_lines(ast.parse(source))
    if decided:
        lines = {line for _, _, line in whole.co_lines() if line and line in decided}
        left: set[int | Arc] = {*lines, *(arc for arc in _branches(whole) if arc[0] in decided)}
        found[whole.co_firstlineno, whole.co_name] = Function(MODULE_CODE, 1, max(lines, default=1), left, len(left))
    for code in _codes(whole):
        if code.co_flags & 0x02:
            lines = {line for _, _, line in code.co_lines() if line}
            first = code.co_firstlineno
            body = lines - {first} or lines
            wanted: set[int | Arc] = {*body, *_branches(code)}
            found[first, code.co_name] = Function(
                code.co_qualname, first, max(lines, default=first), wanted, len(wanted)
            )
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _branches(code: CodeType) -> Iterator[Arc]:
    instructions = list(dis.get_instructions(code))
    line = 0
    lines: dict[int, int] = {}
    for each in instructions:
        line = each.positions.lineno if each.positions and each.positions.lineno else line
        lines[each.offset] = line
    for each, following in pairwise(instructions):
        if each.opname.startswith(("POP_JUMP", "FOR_ITER", "JUMP_IF")):
            for target in (each.argval, following.offset):
                if target in lines and lines[target] != lines[each.offset]:
                    yield lines[each.offset], lines[target]


def is_sought(qualname: str, members: Sequence[str], left_out: Collection[str]) -> bool:
    """Whether a function or class is, or is inside of, one of the members, if there are any, and not left out."""
    names = set(accumulate(qualname.split("."), "{}.{}".format))
    return (not members or not names.isdisjoint(members)) and names.isdisjoint(left_out)


class Coverage:
    """What is still wanted in a file, and a tracer that notes what of it a call reaches."""

    def __init__(self, source: str, file: str, reached: Iterable[int | Arc] = ()) -> None:
        self._file = os.path.realpath(file)
        self._known: dict[str, bool] = {}
        self.functions = functions_in(source, file)
        self.total = sum(len(each.wanted) for each in self.functions.values())
        self._found: set[int | Arc] = set()
        self._look: Look | None = None
        self._complain: Complain | None = None
        self._wanted: set[int | Arc] | None = None
        self.watched: Mapping[int, Collection[int]] = {}
        """lines that are looked at as long as one of some others is wanted"""
        self.answering: Mapping[int, frozenset[int]] = {}
        """lines that are looked at as long as a branch is wanted from one of some others, perhaps in other functions"""
        self._undecided: set[int] | None = None
        self.entered = 0
        """functions that the last call entered, of whatever file"""
        self.version = 0
        """changes with what is wanted"""
        self.note(reached)

    @property
    def wanted(self) -> set[int | Arc]:
        """The lines and branches that nothing has reached so far."""
        if self._wanted is None:
            self._wanted = {thing for each in self.functions.values() for thing in each.wanted}
            self._undecided = None
        return self._wanted

    @property
    def undecided(self) -> set[int]:
        """The lines from which a branch is wanted."""
        wanted = self.wanted
        if self._undecided is None:
            self._undecided = {thing[0] for thing in wanted if isinstance(thing, tuple)}
        return self._undecided

    def note(self, reached: Iterable[int | Arc]) -> None:
        """These are reached now."""
        reached = set(reached)
        self._wanted = None
        self.version += 1
        for each in self.functions.values():
            each.wanted.difference_update(reached)
            each.asked = None

    def restrict(self, members: Sequence[str], left_out: Collection[str]) -> None:
        """Only what these names mean is asked for, with all inside of them, and nothing of what is left out."""
        for each in self.functions.values():
            if not is_sought(each.name, members, left_out):
                each.wanted.clear()
                self._wanted = None

    @property
    def of_import(self) -> set[int | Arc]:
        """What is wanted of the code that runs at import."""
        return {thing for each in self.functions.values() if each.name == MODULE_CODE for thing in each.wanted}

    def settle(self, names: Iterable[str]) -> None:
        """Nothing is missing in these functions, whatever was reached; functions inside of them are others.

        One that was not entered at all is no such function: what its call gives was never used.
        """
        settled = set(names)
        for each in self.functions.values():
            if each.name in settled and len(each.wanted) < each.size:
                each.wanted.clear()
                self._wanted = None

    def start(self, look: Look | None = None, complain: Complain | None = None) -> None:
        """Forget what the last call reached.

        `look` is called before a line from which a branch is wanted, `complain` when something is raised.
        """
        self._found = set()
        self.entered = 0
        self._look = look
        self._complain = complain

    def found(self) -> Reached:
        """What the call reached of all that is wanted."""
        return frozenset(self._found)

    def holds(self, code: CodeType) -> bool:
        """Whether code is of the file."""
        ours = self._known.get(code.co_filename)
        if ours is None:
            ours = self._known[code.co_filename] = os.path.realpath(code.co_filename) == self._file
        return ours

    def trace(self, frame: FrameType, event: str, _argument: Any) -> Any:
        """For `sys.settrace`: follow only functions of the file in which something is missing."""
        code = frame.f_code
        self.entered += 1
        function = self.functions.get((code.co_firstlineno, code.co_name)) if self.holds(code) else None
        if function is None:
            return None
        look = self._look
        asking = function.asking(self.watched, self.answering, self.undecided) if look is not None else ()
        if not function.wanted and not asking:
            return None
        wanted, found, complain = function.wanted, self._found, self._complain
        previous = 0

        def local(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal previous
            if event == "line":
                line = frame.f_lineno
                if line in wanted:
                    found.add(line)
                if (previous, line) in wanted:
                    found.add((previous, line))
                previous = line
                if line in asking and look is not None:
                    look(frame, line)
            elif event == "exception" and complain is not None and issubclass(argument[0], Exception):
                complain(argument[1], argument[2])
            return local

        return local
