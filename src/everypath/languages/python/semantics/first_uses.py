"""Inputs whose type nothing tells: what the code does first with one decides which values are tried."""

from __future__ import annotations

from everypath.explore.state import State
from everypath.heap.alternatives import Narrow
from everypath.heap.choice import Fixed
from everypath.heap.values import SliceValue, Unknown, Value
from everypath.ir.types import ANY, STR, DictType, ListType, TupleType, Type

_LARGEST = 8
"""Elements of the tuples that are tried where the code asks for one by its place."""
_KINDS: tuple[tuple[Type, str, type], ...] = (
    (STR, "texts", str),
    (DictType(STR, ANY), "dicts", dict),
    (ListType(ANY), "lists", list),
)


def take_for(st: State, value: Value, type_: Type, kind: str) -> None:
    """Go on with values of this type if nothing tells that of the input."""
    if st.heap.is_open(value):
        assert isinstance(value, Unknown)
        raise Fixed(f"nothing tells the type of {value.name}; {kind} are tried", (Narrow(value, (type_,)),))


def take_for_container(st: State, value: Value, index: Value) -> None:
    """The same for something that the code asks for an element."""
    if type(index) is int and 0 <= index < _LARGEST:
        take_for(st, value, TupleType((ANY,) * (index + 1)), f"tuples of {index + 1}")
    elif type(index) is int or isinstance(index, SliceValue):
        take_for(st, value, ListType(ANY), "lists")
    elif isinstance(index, str):
        take_for(st, value, DictType(STR, ANY), "dicts")


def take_for_receiver(st: State, value: Value, method: str) -> None:
    """The same for something whose method is called: of the common types, the one that has it."""
    for type_, kind, real in _KINDS:
        if hasattr(real, method):
            take_for(st, value, type_, kind)
