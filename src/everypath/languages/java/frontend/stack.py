"""The operand stack of the JVM while a method is translated: which register holds what is on it.

Most of what is pushed is a local variable or a constant that the next instruction uses. So the stack holds registers
and constants without copying them. Only at the end of a block everything lies in registers of its own, one for each
depth, because other blocks lead to the same place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import ConstValue, Reg
from everypath.records import replace


class Constant(NamedTuple):
    """A constant that no register holds yet."""

    value: ConstValue


class Comparison(NamedTuple):
    """The result of `lcmp` and its like, which a conditional jump mostly uses at once."""

    left: Entry
    right: Entry
    unordered: int | None
    """the result where one of them is not a number; None for integers"""


class Entry(NamedTuple):
    """One value on the stack; a long or double is one, too."""

    holder: Reg | Constant | Comparison
    kind: str
    """I, Z, J, F, D, or A for references"""


class OperandStack:
    """What is on the stack at one point of a method."""

    def __init__(self, build: MethodBuilder, span: Callable[[], Span]) -> None:
        self.build = build
        self.span = span
        self.entries: list[Entry] = []
        self._places: list[Reg] = []
        """depth -> the register of its own"""

    def place(self, depth: int) -> Reg:
        """The register that belongs to a depth."""
        while len(self._places) <= depth:
            self._places.append(self.build.register())
        return self._places[depth]

    def enter(self, kinds: str) -> None:
        """Begin a block with this on the stack, everything in its own register."""
        # What is a truth value on one way here may be a number on another one.
        self.entries = [Entry(self.place(depth), kind.replace("Z", "I")) for depth, kind in enumerate(kinds)]

    @property
    def kinds(self) -> str:
        """What kinds of values there are, the top last."""
        return "".join(entry.kind for entry in self.entries)

    def push(self, entry: Entry) -> None:
        """Put something that exists already on top."""
        self.entries.append(entry)

    def push_constant(self, value: ConstValue, kind: str) -> None:
        """Put a constant on top."""
        self.entries.append(Entry(Constant(value), kind))

    def result(self, kind: str) -> Reg:
        """Put the result of the next instruction on top, and say which register it goes to."""
        register = self._free(len(self.entries))
        self.entries.append(Entry(register, kind))
        return register

    def scratch(self) -> Reg:
        """A register for a value that is used at once."""
        return self._free(len(self.entries))

    def _free(self, depth: int) -> Reg:
        register = self.place(depth)
        return self.build.register() if self._used(register) else register

    def _used(self, register: Reg) -> bool:
        return any(entry.holder == register for entry in self.entries)

    def pop(self) -> Entry:
        """Take what is on top."""
        return self.entries.pop()

    def pop_register(self) -> Reg:
        """Take what is on top, in a register."""
        return self.register_of(self.pop())

    def pop_registers(self, count: int) -> list[Reg]:
        """Take several values, the top last."""
        taken = self.entries[len(self.entries) - count :]
        # While one of them gets a register, those that are still to be used must not lose theirs.
        registers: list[Reg] = []
        for number, entry in enumerate(taken):
            if isinstance(entry.holder, int):
                registers.append(entry.holder)
            else:
                depth = len(self.entries) - count + number
                own = self.place(depth)
                busy = any(other.holder == own for other in self.entries if other is not entry)
                registers.append(self.load(entry, self.build.register() if busy else own))
        del self.entries[len(self.entries) - count :]
        return registers

    def register_of(self, entry: Entry) -> Reg:
        """A register with the value; one that was taken from the stack right before."""
        if isinstance(entry.holder, int):
            return entry.holder
        return self.load(entry, self.scratch())

    def load(self, entry: Entry, into: Reg) -> Reg:
        """Put the value into a register."""
        match entry.holder:
            case Constant(value):
                self.build.emit(ins.Const(into, value, span=self.span()))
            case Comparison(left, right, unordered):
                operands = (self.register_of(left), self.build.register())
                self.load(right, operands[1])
                name = "lcmp" if unordered is None else "fcmpg" if unordered > 0 else "fcmpl"
                self.build.emit(ins.CallNative(into, name, operands, span=self.span()))
            case int(register):
                if register != into:
                    self.build.emit(ins.Move(into, register, span=self.span()))
        return into

    def before_store(self, register: Reg) -> None:
        """A local variable gets another value: what is on the stack keeps the old one."""
        if self._used(register):
            saved = self.build.register()
            self.build.emit(ins.Move(saved, register, span=self.span()))
            self.entries = [
                entry._replace(holder=saved) if entry.holder == register else entry for entry in self.entries
            ]

    def store(self, entry: Entry, into: Reg) -> None:
        """Give a local variable the value that was taken from the stack."""
        self.before_store(into)
        last = self.build.last
        # A value that was computed right before goes there at once.
        if (
            isinstance(entry.holder, int)
            and entry.holder in self._places
            and last is not None
            and getattr(last, "dst", None) == entry.holder
            and not self._used(entry.holder)
        ):
            self.build.replace_last(replace(last, dst=into))  # type: ignore[arg-type]
            return
        self.load(entry, into)

    def settle(self) -> None:
        """Bring everything into the register of its depth, as other blocks expect it."""
        for depth, entry in enumerate(self.entries):
            own = self.place(depth)
            if entry.holder == own:
                continue
            # Something further up that still lies here is moved out of the way.
            if any(other.holder == own for other in self.entries[depth + 1 :]):
                saved = self.build.register()
                self.build.emit(ins.Move(saved, own, span=self.span()))
                self.entries[depth + 1 :] = [
                    other._replace(holder=saved) if other.holder == own else other
                    for other in self.entries[depth + 1 :]
                ]
            self.load(entry, own)
            self.entries[depth] = entry._replace(holder=own)
