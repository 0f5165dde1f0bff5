"""What an instruction reads, writes and may do next, without executing it."""

from __future__ import annotations

from everypath.ir.instructions import (
    Argument,
    Await,
    Binary,
    Branch,
    CallNative,
    CallStatic,
    CallValue,
    CallVirtual,
    Cast,
    Compare,
    Const,
    Construct,
    DelField,
    DelItem,
    EnterLoop,
    Get,
    GetField,
    GetItem,
    GetStatic,
    Instruction,
    Iterate,
    Jump,
    Label,
    Length,
    Matches,
    Move,
    NewActor,
    NewArray,
    NewCollection,
    NewObject,
    Reg,
    Return,
    SetField,
    SetItem,
    SetStatic,
    Spawn,
    Suspend,
    Switch,
    Terminator,
    Throw,
    TypeTest,
    Unary,
)

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


def reads(instruction: Instruction | Terminator) -> tuple[Reg, ...]:
    """The registers whose values the instruction uses."""
    match instruction:
        case Move(src=register) | Unary(operand=register) | NewArray(length=register) | Switch(value=register):
            return (register,)
        case GetField(obj=register) | DelField(obj=register) | Length(obj=register):
            return (register,)
        case TypeTest(obj=register) | Cast(obj=register) | Branch(cond=register) | Get(future=register):
            return (register,)
        case SetStatic(value=register) | Return(value=register) | Throw(exception=register):
            return (register,)
        case Matches(value=register) | Argument(value=register):
            return (register,)
        case NewActor(beside=beside):
            return () if beside is None else (beside,)
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            return (left, right)
        case SetField(obj=obj, value=value):
            return (obj, value)
        case GetItem(obj=obj, index=index) | DelItem(obj=obj, index=index):
            return (obj, index)
        case SetItem(obj=obj, index=index, value=value):
            return (obj, index, value)
        case NewCollection(items=registers) | Await(guards=registers) | Construct(args=registers):
            return registers
        case CallStatic(args=args, keywords=keywords) | CallNative(args=args, keywords=keywords):
            return args + tuple(register for _, register in keywords)
        case CallVirtual(receiver=head, args=args, keywords=keywords):
            return (head, *args, *(register for _, register in keywords))
        case CallValue(function=head, args=args, keywords=keywords):
            return (head, *args, *(register for _, register in keywords))
        case Spawn(receiver=receiver, args=args):
            return (receiver, *args)
        case _:
            return ()


def writes(instruction: Instruction | Terminator) -> Reg | None:
    """The register that receives the instruction's result."""
    match instruction:
        case SetField() | DelField() | SetStatic() | SetItem() | DelItem() | EnterLoop() | Iterate():
            return None
        case Jump() | Branch() | Switch() | Return() | Throw() | Await() | Suspend():
            return None
        case GetStatic(dst=dst) | Get(dst=dst):
            return dst
        case _:
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
