"""Enumerations as values: their members, and iterating over, counting and searching a class of them."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve, short
from everypath.explore.state import State
from everypath.heap.values import Ref, Value
from everypath.ir.instructions import ClassRef
from everypath.languages.python.semantics.registry import native


@native("enum_member")
def enum_member(st: State, cls: ClassRef, name: str) -> Ref:
    """The member of this name."""
    return st.heap.member(st.heap.inputs.enumerations[cls.name][name])


def members_of(st: State, value: Value) -> tuple[Ref, ...] | None:
    """The members of an enumeration in order, None for any other value."""
    value = resolve(st, value)
    if not isinstance(value, ClassRef) or value.name not in st.heap.inputs.enumerations:
        return None
    members = tuple(st.heap.member(ref) for ref in st.heap.inputs.enumerations[value.name].values())
    if value.name not in st.heap.inputs.flags:
        return members
    # Flags are listed without the names of combinations.
    return tuple(ref for ref in members if (st.heap.inputs.flag_value(ref) or 0).bit_count() == 1)


@native("flag_member")
def flag_member(st: State, cls: Value, value: Value) -> Value:
    """The flag with these bits, all of which some member has."""
    cls = resolve(st, cls)
    assert isinstance(cls, ClassRef)
    bits = fixed(st, resolve(st, value), "a flag needs a known value")
    assert isinstance(bits, int)
    whole = 0
    for known in st.heap.inputs.flags[cls.name].values():
        whole |= known
    if bits & ~whole:
        raise Unsupported(f"a {short(cls.name)} with bits that no member has")
    return st.heap.member(st.heap.inputs.flag(cls.name, bits))


@native("flag_parts")
def flag_parts(st: State, cls: Value, value: int, singles: tuple[str, ...]) -> Value:
    """The members that a combination is made of."""
    assert isinstance(cls, ClassRef)
    known = st.heap.inputs.flags[cls.name]
    return tuple(
        st.heap.member(st.heap.inputs.enumerations[cls.name][name])
        for name in sorted(singles, key=lambda name: known[name])
        if known[name] & value
    )
