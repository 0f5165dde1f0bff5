"""What an instruction reads, writes and may do next, without executing it."""

from __future__ import annotations

from everypath.ir import instructions as ins
from everypath.ir.instructions import Instruction, Label, Reg, Terminator
from everypath.records import fields

_NEVER_RAISE = (
    ins.Const,
    ins.Move,
    ins.NewObject,
    ins.TypeTest,
    ins.NewActor,
    ins.Construct,
    ins.Matches,
    ins.Argument,
    ins.EnterLoop,
    ins.Iterate,
    ins.Jump,
    ins.Branch,
    ins.Switch,
    ins.Return,
    ins.Suspend,
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
        case ins.Jump(target=target) | ins.Await(target=target) | ins.Get(target=target) | ins.Suspend(target=target):
            return (target,)
        case ins.Branch(if_true=if_true, if_false=if_false):
            return (if_true,) if if_true == if_false else (if_true, if_false)
        case ins.Switch(cases=cases, default=default):
            return tuple(dict.fromkeys([label for _, label in cases] + [default]))
        case _:
            return ()


def may_raise(instruction: Instruction | Terminator) -> bool:
    """Whether executing the instruction can raise; calls and operators run user code, so they can."""
    match instruction:
        case ins.Compare(op="is" | "is not") | ins.NewCollection(kind="list" | "tuple" | "slice"):
            return False
        case _:
            return not isinstance(instruction, _NEVER_RAISE)
