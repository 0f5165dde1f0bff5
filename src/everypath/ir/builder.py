"""Builds one method at a time: registers, labels, blocks, loops and handlers."""

from __future__ import annotations

from everypath.errors import NOWHERE, Span
from everypath.ir import instructions as ins
from everypath.ir.program import Method
from everypath.ir.types import ANY, Type


class MethodBuilder:
    """Collects instructions into blocks; what is emitted after a terminator goes to a new, unreachable block."""

    def __init__(self, cls: str, name: str, params: tuple[ins.Param, ...], span: Span = NOWHERE) -> None:
        self.cls = cls
        self.name = name
        self.params = params
        self.span = span
        self._registers = 0
        self._labels = 0
        self._loops = 0
        self._names: dict[int, str] = {}
        self._blocks: dict[ins.Label, ins.Block] = {}
        self._handlers: list[ins.Handler] = []
        self._current: ins.Label | None = None
        self._pending: list[ins.Instruction] = []
        for param in params:
            self.register(param.name)
        self.entry = self.label("entry")
        self.start(self.entry)

    def register(self, name: str = "") -> ins.Reg:
        """A new register; a name makes listings readable."""
        number = self._registers
        self._registers += 1
        if name:
            self._names[number] = name
        return number

    def label(self, hint: str = "block") -> ins.Label:
        """A new label; its block exists once `start` is called."""
        self._labels += 1
        return f"{hint}{self._labels}"

    def loop(self) -> int:
        """A number for a loop, unique in the method."""
        self._loops += 1
        return self._loops - 1

    @property
    def open(self) -> bool:
        """Whether the current block still lacks its terminator."""
        return self._current is not None

    def start(self, label: ins.Label, span: Span = NOWHERE) -> None:
        """Continue in the block of this label; an open block falls through to it."""
        if self._current is not None:
            self.end(ins.Jump(label, span=span))
        self._current = label
        self._pending = []

    def emit(self, instruction: ins.Instruction) -> None:
        """Append to the current block."""
        if self._current is None:
            self.start(self.label("dead"))
        self._pending.append(instruction)

    def give(self, instruction: ins.Giving) -> ins.Reg:
        """Append an instruction, and return the register that gets its result."""
        self.emit(instruction)
        return instruction.dst

    def end(self, terminator: ins.Terminator) -> None:
        """Close the current block."""
        if self._current is None:
            self.start(self.label("dead"))
        assert self._current is not None
        self._blocks[self._current] = ins.Block(self._current, tuple(self._pending), terminator)
        self._current = None
        self._pending = []

    @property
    def last(self) -> ins.Instruction | None:
        """The instruction that was appended last to the current block."""
        return self._pending[-1] if self._pending else None

    def replace_last(self, instruction: ins.Instruction) -> None:
        """Put another one in the place of the last instruction."""
        self._pending[-1] = instruction

    def constant(self, value: ins.ConstValue, span: Span = NOWHERE) -> ins.Reg:
        """A new register holding the constant."""
        return self.give(ins.Const(self.register(), value, span=span))

    def branch(self, cond: ins.Reg, if_true: ins.Label, if_false: ins.Label, span: Span = NOWHERE) -> None:
        """End the block with a two-way branch."""
        self.end(ins.Branch(cond, if_true, if_false, span=span))

    def labels_since(self, mark: int) -> frozenset[ins.Label]:
        """The blocks closed since `mark` (a value of `mark()`), and the current one: what a handler covers."""
        labels = set(list(self._blocks)[mark:])
        if self._current is not None:
            labels.add(self._current)
        return frozenset(labels)

    def mark(self) -> int:
        """A point in the list of closed blocks."""
        return len(self._blocks)

    def handle(self, blocks: frozenset[ins.Label], target: ins.Label, exception: ins.Reg) -> None:
        """Add a handler; call for inner `try` statements first."""
        self._handlers.append(ins.Handler(blocks, target, exception))

    def finish(self, *, returns: Type = ANY, kind: str = "instance", model: bool = False) -> Method:
        """The method; a body that falls off its end returns null."""
        if self._current is not None:
            nothing = self.constant(None)
            self.end(ins.Return(nothing))
        return Method(
            cls=self.cls,
            name=self.name,
            params=self.params,
            blocks=dict(self._blocks),
            entry=self.entry,
            registers=self._registers,
            returns=returns,
            handlers=tuple(self._handlers),
            kind=kind,
            model=model,
            register_names=dict(self._names),
            span=self.span,
        )
