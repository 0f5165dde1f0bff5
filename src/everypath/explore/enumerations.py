"""Enumerations as values: their members, and iterating over, counting and searching a class of them."""

from __future__ import annotations

from everypath.explore.objects import resolve
from everypath.explore.registry import native
from everypath.explore.state import State
from everypath.heap.values import Ref, Value
from everypath.ir.instructions import ClassRef


@native("enum_member")
def enum_member(st: State, cls: ClassRef, name: str) -> Ref:
    """The member of this name."""
    return st.heap.member(st.heap.inputs.enumerations[cls.name][name])


def members_of(st: State, value: Value) -> tuple[Ref, ...] | None:
    """The members of an enumeration in order, None for any other value."""
    value = resolve(st, value)
    if not isinstance(value, ClassRef) or value.name not in st.heap.inputs.enumerations:
        return None
    return tuple(st.heap.member(ref) for ref in st.heap.inputs.enumerations[value.name].values())
