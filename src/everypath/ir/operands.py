"""What an instruction reads, writes and may do next, without executing it."""

from __future__ import annotations

from everypath.ir.instructions import (
    Argument,
    Await,
    Branch,
    Compare,
    Const,
    Construct,
    EnterLoop,
    Get,
    Instruction,
    Iterate,
    Jump,
    Label,
    Matches,
    Move,
    NewActor,
    NewCollection,
    NewObject,
    Reg,
    Return,
    Suspend,
    Switch,
    Terminator,
    TypeTest,
)
from everypath.records import fields

_NEVER_RAISE = (
    Const,
    Move,
    NewObject,
    TypeTest,
    NewActor,
    Construct,
    Matches,
    Argument,
    EnterLoop,
    Iterate,
    Jump,
    Branch,
    Switch,
    Return,
    Suspend,
)


_REGISTERS = ("Reg", "Reg | None", "tuple[Reg, ...]", "Keywords")
_OPERANDS: dict[type, tuple[tuple[str, str], ...]] = {
    cls: tuple((f.name, str(f.type)) for f in fields(cls) if f.name != "dst" and f.type in _REGISTERS)
    for cls in (*Instruction.__args__, *Terminator.__args__)
}
"""The fields of each instruction that hold registers to be read, with their declared types; `dst` is written."""


def reads(instruction: Instruction | Terminator) -> tuple[Reg, ...]:
    """The registers whose values the instruction uses, in the order of its fields."""
    found: list[Reg] = []
    for name, kind in _OPERANDS[type(instruction)]:
        value = getattr(instruction, name)
        if kind == "Keywords":
            found += [register for _, register in value]
        elif kind == "tuple[Reg, ...]":
            found += value
        elif value is not None:
            found.append(value)
    return tuple(found)


def writes(instruction: Instruction | Terminator) -> Reg | None:
    """The register that receives the instruction's result."""
    return getattr(instruction, "dst", None)


def targets(terminator: Terminator) -> tuple[Label, ...]:
    """The labels that the terminator may go to, in order of first mention and without repetitions."""
    match terminator:
        case Jump(target=target) | Await(target=target) | Get(target=target) | Suspend(target=target):
            return (target,)
        case Branch(if_true=if_true, if_false=if_false):
            return (if_true,) if if_true == if_false else (if_true, if_false)
        case Switch(cases=cases, default=default):
            return tuple(dict.fromkeys([label for _, label in cases] + [default]))
        case _:
            return ()


def may_raise(instruction: Instruction | Terminator) -> bool:
    """Whether executing the instruction can raise; calls and operators run user code, so they can."""
    match instruction:
        case Compare(op="is" | "is not") | NewCollection(kind="list" | "tuple" | "slice"):
            return False
        case _:
            return not isinstance(instruction, _NEVER_RAISE)
