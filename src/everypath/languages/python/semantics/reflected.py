"""Operators that the program defines: which methods are asked, in which order, and what happens when all decline."""

from __future__ import annotations

from collections.abc import Callable

from everypath.explore.objects import class_for, possible_classes, program_of
from everypath.explore.signals import Invoke
from everypath.explore.state import Post, State
from everypath.heap.values import Ref, Value
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
    program, answer = program_of(st), (other, right, left)

    def order(mine: str, theirs: str) -> list[Attempt]:
        if mine == theirs:
            return [*found, answer] if same or not found else found
        if program.is_subclass(theirs, mine) and (same or program.find_method(mine, mirrored) is not other):
            return [answer, *found]
        return [*found, answer]

    def asked(mine: str, theirs: str) -> tuple[bool, ...]:
        """Who is asked, as far as anybody can tell: after an answer nobody is, and one method is one whoever has it."""
        listed = order(mine, theirs)
        if same and len({id(method) for method, _, _ in listed}) == 1:
            return ()
        ends = next((at for at, (method, _, _) in enumerate(listed, 1) if not _may_decline(method)), None)
        return tuple(each is answer for each in listed[:ends])

    mine, theirs = type_name(st, left), type_name(st, right)
    if found and isinstance(left, Ref) and left.open:
        others = possible_classes(st.heap, right) if isinstance(right, Ref) and right.open else (theirs,)
        mine = class_for(st, left, lambda cls: tuple(asked(cls, each) for each in others))
    if found and isinstance(right, Ref) and right.open:
        theirs = class_for(st, right, lambda cls: asked(mine, cls))
    return order(mine, theirs)


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
