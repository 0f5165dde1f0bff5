"""What a method promises, as a part of its code: conditions on its result that are looked at where it ends.

    entry:   the parameters and each `\\old(...)` are kept
    return:  each `ensures` and `invariant` is computed; where it does not hold, the path gets a remark and goes on
    throw:   each `signals` for the class of the exception likewise; where it holds, the exception is on purpose

So a broken promise is a finding of a test that shows what the method really does. A condition that cannot be computed,
because it fails itself, says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.instructions import Block, Handler, Reg
from everypath.ir.program import Method
from everypath.records import dataclass, replace

CHECKED = "promised"
"""the native that looks at a condition: whether it holds, its kind, its text, its file and its line"""
SIGNALLED = "signalled"
"""the native that computes what a method says about an exception of some class"""


@dataclass(frozen=True, slots=True)
class Promise:
    """A compiled condition: over the parameters, the values of before, and then the result or exception, if any."""

    kind: str
    """ensures, invariant or signals"""
    text: str
    method: str
    """the compiled condition, in the class of conditions"""
    span: Span
    olds: tuple[str, ...] = ()
    """methods that compute what `\\old(...)` stands for from the parameters"""
    takes_end: bool = True
    """whether it takes what the method returned or threw"""
    throws: str = ""
    """the class of the exceptions that it is about"""


def with_promises(method: Method, conditions: str, promises: Sequence[Promise]) -> Method:
    """The method, which looks at its promises before it ends; `conditions` is the class of the compiled ones."""
    return _Weaver(method, conditions, promises).method()


class _Weaver:
    """Adds blocks to one method. They have no lines, and no branches that a test would have to take."""

    def __init__(self, method: Method, conditions: str, promises: Sequence[Promise]) -> None:
        self._method = method
        self._conditions = conditions
        self._promises = promises
        self._registers = method.registers
        self._blocks: dict[ins.Label, Block] = {}
        self._handlers: list[Handler] = list(method.handlers)
        self._given = tuple(self._register() for _ in method.params)
        """the parameters as they were: the body may assign them"""
        olds = dict.fromkeys(old for promise in promises for old in promise.olds)
        self._olds = {name: self._register() for name in olds}

    def _register(self) -> Reg:
        self._registers += 1
        return self._registers - 1

    def method(self) -> Method:
        """The method with all that was added."""
        old = self._method
        returning = [each for each in self._promises if each.kind != "signals"]
        for label, block in old.blocks.items():
            if isinstance(block.terminator, ins.Return) and returning:
                leaving = f"promised {label}"
                self._blocks[label] = replace(block, terminator=ins.Jump(leaving))
                self._leave(leaving, block.terminator, returning)
            else:
                self._blocks[label] = block
        signals = [each for each in self._promises if each.kind == "signals"]
        if signals:
            self._catch(frozenset(old.blocks), signals)
        entry = self._enter(old.entry)
        blocks = {entry.label: entry, **self._blocks}
        return replace(old, blocks=blocks, entry=entry.label, registers=self._registers, handlers=tuple(self._handlers))

    def _enter(self, entry: ins.Label) -> Block:
        """Keep what the promises compare with."""
        code: list[ins.Instruction] = [ins.Move(kept, number) for number, kept in enumerate(self._given)]
        for name, kept in self._olds.items():
            code.append(ins.CallStatic(kept, self._conditions, name, self._given))
        return Block("promising", tuple(code), ins.Jump(entry))

    def _arguments(self, promise: Promise, end: Reg) -> tuple[Reg, ...]:
        given = (*self._given, *map(self._olds.__getitem__, promise.olds))
        return (*given, end) if promise.takes_end else given

    def _leave(self, label: ins.Label, terminator: ins.Return, promises: Sequence[Promise]) -> None:
        """One block for each promise, so that one that cannot be computed leads to the next."""
        for promise in promises:
            holds = self._register()
            call = ins.CallStatic(holds, self._conditions, promise.method, self._arguments(promise, terminator.value))
            label = self._guarded(label, [call, *self._checked(holds, promise)])
        self._blocks[label] = Block(label, (), terminator)

    def _guarded(self, label: ins.Label, code: Sequence[ins.Instruction]) -> ins.Label:
        """A block that leads on even if it fails; gives the label of the next one."""
        following = f"{label}'"
        self._blocks[label] = Block(label, tuple(code), ins.Jump(following))
        self._handlers.append(Handler(frozenset((label,)), following, self._register()))
        return following

    def _catch(self, blocks: frozenset[ins.Label], promises: Sequence[Promise]) -> None:
        """What is thrown is looked at and thrown again."""
        thrown = self._register()
        label = "signals 0"
        self._handlers.append(Handler(blocks, label, thrown))
        for promise in promises:
            holds, owner, name, cls = (self._register() for _ in range(4))
            told = {owner: self._conditions, name: promise.method, cls: promise.throws}
            asked = ins.CallNative(holds, SIGNALLED, (thrown, *told, *self._arguments(promise, thrown)))
            code = [ins.Const(register, value) for register, value in told.items()]
            label = self._guarded(label, [*code, asked, *self._checked(holds, promise, thrown)])
        self._blocks[label] = Block(label, (), ins.Throw(thrown))

    def _checked(self, holds: Reg, promise: Promise, thrown: Reg | None = None) -> list[ins.Instruction]:
        """Have the engine look at the value of a condition."""
        registers: list[Reg] = []
        code: list[ins.Instruction] = []
        for value in (promise.kind, promise.text, promise.span.file, promise.span.line):
            registers.append(self._register())
            code.append(ins.Const(registers[-1], value))
        given = (holds, *registers) if thrown is None else (holds, *registers, thrown)
        code.append(ins.CallNative(self._register(), CHECKED, given))
        return code
