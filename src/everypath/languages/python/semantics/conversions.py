"""What the language demands of the results of `__len__`, `__bool__`, `__int__`, `__index__` and `__float__`."""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import Unsupported
from everypath.explore.objects import resolve, short
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, is_truth
from everypath.heap.values import Value
from everypath.languages.python.semantics.kinds import type_name, user_method
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term

_RESULTS = {"__int__": "int", "__index__": "int", "__float__": "float"}


def size(st: State, value: Value) -> IntLike:
    """What `__len__` returned, if it is an integer that may be a length."""
    value = resolve(st, value)
    kind = type_name(st, value)
    if kind not in ("int", "bool"):
        if user_method(st, value, "__index__") is not None:
            raise Unsupported("a length that is an object with __index__")
        raise Fault("TypeError", f"{short(kind)!r} object cannot be interpreted as an integer")
    if decide(st.pc, terms.lt(as_int(value), 0)):
        raise Fault("ValueError", "__len__() should return >= 0")
    return as_int(value)


def not_empty(st: State, value: Value) -> bool | Term:
    """The truth of an object whose `__len__` returned the value."""
    return terms.gt(size(st, value), 0)


def boolean(st: State, value: Value) -> bool | Term:
    """What `__bool__` returned, which must be a truth value."""
    value = resolve(st, value)
    if not is_truth(value):
        raise Fault("TypeError", f"__bool__ should return bool, returned {short(type_name(st, value))}")
    return value


def number(name: str) -> Callable[[State, Value], Value] | None:
    """The check of what a conversion to a number returned; None where any result will do."""
    wanted = _RESULTS.get(name)
    if wanted is None:
        return None

    def check(st: State, value: Value) -> Value:
        value = resolve(st, value)
        kind = type_name(st, value)
        if kind == wanted or (wanted == "int" and kind == "bool"):
            return as_int(value) if wanted == "int" else value
        raise Fault("TypeError", f"{name} returned non-{wanted} (type {short(kind)})")

    return check
