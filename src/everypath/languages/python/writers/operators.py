"""Operator methods as users call them: `a + b` instead of `a.__add__(b)`, where both do the same."""

from __future__ import annotations

from everypath.cases.model import CallCase, Literal, Named, ObjectState, Pointer, Raised, TupleValue, Value
from everypath.languages.python.writers.layout import Expr, Item, Text, call, flat

_METHODS = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor eq ne lt le gt ge"
_SIGNS = "+ - * @ / // % ** << >> & | ^ == != < <= > >="
_BETWEEN = {f"__{method}__": sign for method, sign in zip(_METHODS.split(), _SIGNS.split())}
_BEFORE = {"__neg__": "-", "__pos__": "+", "__invert__": "~"}
_CONVERTING: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str, "repr": str}
"""Functions that insist on the type of what the method returns."""
_DECLINED = Named("builtins", "NotImplemented")
"""The other operand is asked then."""


def spelled(case: CallCase, receiver: str, arguments: list[Item]) -> Expr | None:
    """The call as an operator or with a function of the language; None where only the method itself will do."""
    name = case.entry.name
    if not receiver.isidentifier() or not (name.startswith("__") and name.endswith("__")):
        return None
    if name == "__call__":
        return call(receiver, arguments)
    if not arguments:
        return _of_one(case, name, receiver)
    values = [value for _, value, _ in case.inputs.arguments]
    # An expression that stands alone in a test for an exception looks like a mistake, so the method is named there.
    if len(values) != 1 or arguments[0].prefix or isinstance(case.expected.outcome, Raised):
        return None
    return _of_two(case, name, receiver, values[0], flat(arguments[0].value))


def _of_one(case: CallCase, name: str, receiver: str) -> Expr | None:
    outcome = case.expected.outcome
    function = name.strip("_")
    if isinstance(outcome, Raised):
        return call(function, [Item(Text(receiver))]) if function in ("len", "abs", *_CONVERTING) else None
    result = outcome.value.value if isinstance(outcome.value, Literal) else None
    sized = function == "len" and type(result) is int and result >= 0
    if sized or function == "abs" or (function in _CONVERTING and type(result) is _CONVERTING[function]):
        return call(function, [Item(Text(receiver))])
    return Text(f"{_BEFORE[name]}{receiver}") if name in _BEFORE else None


def _of_two(case: CallCase, name: str, receiver: str, value: Value, written: str) -> Expr | None:
    outcome = case.expected.outcome
    assert not isinstance(outcome, Raised)
    if not isinstance(value, (Literal, TupleValue, Pointer)):
        return None
    if name == "__getitem__":
        return Text(f"{receiver}[{written}]")
    if name == "__contains__":
        truth = isinstance(outcome.value, Literal) and isinstance(outcome.value.value, bool)
        return Text(f"{written} in {receiver}") if truth else None
    if name not in _BETWEEN or outcome.value == _DECLINED or not _waits(case, value):
        return None
    return Text(f"{receiver} {_BETWEEN[name]} {written}")


def _waits(case: CallCase, value: Value) -> bool:
    """Whether the operand on the right is not asked first, as one of a subclass would be."""
    heap, receiver = case.inputs.ready or case.inputs.heap, case.inputs.receiver
    mine = heap.get(receiver.id) if isinstance(receiver, Pointer) else None
    theirs = heap.get(value.id) if isinstance(value, Pointer) else None
    if not isinstance(theirs, ObjectState):
        return True
    return isinstance(mine, ObjectState) and (mine.module, mine.cls) == (theirs.module, theirs.cls)
