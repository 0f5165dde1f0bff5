"""Operators that the program defines: which methods are asked, in which order, and what happens when all decline."""

from __future__ import annotations

from collections.abc import Callable

from everypath.explore.objects import program_of
from everypath.explore.signals import Invoke
from everypath.explore.state import Post, State
from everypath.heap.values import Value
from everypath.ir.instructions import CallNative, CallStatic, CallValue, CallVirtual, Const, FunctionRef, NativeRef
from everypath.ir.program import Method
from everypath.languages.python.semantics.kinds import type_name, user_method

NOT_IMPLEMENTED = NativeRef("NotImplemented")
Attempt = tuple[Method, Value, Value]
"""a method, the operand that has it, and the other one"""
_CALLS = (CallNative, CallStatic, CallValue, CallVirtual)


def attempts(
    st: State, left: Value, right: Value, names: tuple[str, ...], mirrored: str, *, same: bool
) -> list[Attempt]:
    """The methods of `left`, then the mirrored one of `right`, which comes first where its class is the more special.

    `same` is for comparisons: the right one of two operands of one class is asked as well, and one of a more special
    class comes first even where it has inherited the method.
    """
    found: list[Attempt] = []
    for name in names:
        method = user_method(st, left, name)
        if method is not None:
            found.append((method, left, right))
    other = user_method(st, right, mirrored)
    if other is None:
        return found
    mine, theirs = type_name(st, left), type_name(st, right)
    if mine == theirs:
        return [*found, (other, right, left)] if same or not found else found
    if program_of(st).is_subclass(theirs, mine) and (same or user_method(st, left, mirrored) is not other):
        return [(other, right, left), *found]
    return [*found, (other, right, left)]


def ask(st: State, found: list[Attempt], otherwise: Callable[[State], Value], finish: Post | None = None) -> None:
    """Call methods until one does not decline; `otherwise` answers when all do, `finish` completes any answer."""

    def post(state: State, value: Value) -> Value:
        if value == NOT_IMPLEMENTED:
            return otherwise(state)
        return value if finish is None else finish(state, value)

    method, receiver, other = found[0]
    if not _may_decline(method):
        raise Invoke(method, [receiver, other], post)
    questions = tuple((FunctionRef(m.cls, m.name), mine, theirs) for m, mine, theirs in found)
    model = program_of(st).find_method("builtins", "first_answer")
    assert model is not None
    raise Invoke(model, [questions], post)


def _may_decline(method: Method) -> bool:
    """Whether a method may return `NotImplemented`, its own or that of something it calls."""
    for block in method.blocks.values():
        for instruction in block.instructions:
            if isinstance(instruction, _CALLS):
                return True
            if isinstance(instruction, Const) and instruction.value == NOT_IMPLEMENTED:
                return True
    return False
