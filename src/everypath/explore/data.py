"""Values of algebraic data types: making one, testing the constructor, taking an argument.

An input is opened only as far as the program looks, one constructor at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.errors import Internal, Unsupported
from everypath.explore.state import State
from everypath.heap.alternatives import MadeBy
from everypath.heap.values import Data, OneOf, Unknown, Value
from everypath.logic.condition import Infeasible


def construct(constructor: str, arguments: Sequence[Value]) -> Data:
    """A value made by the constructor."""
    return Data(constructor, tuple(arguments))


def matches(st: State, value: Value, constructor: str, among: tuple[str, ...] = ()) -> bool:
    """Whether the value was made by the constructor; forks when that is open.

    Looking at an input counts as a decision even when its constructor is known by now, so that a loop over input data
    is bounded like any other. Where inputs that no branch expects are left out, an open input is one of `among`.
    """
    if type(value) is OneOf:
        st.decisions += 1
        value = st.heap.settled(value)
    if type(value) is Unknown:
        st.decisions += 1
        if among and not st.heap.inputs.input_errors and value not in st.heap.bind:
            _expect(st, value, among)
        if value not in st.heap.bind:
            return st.heap.is_made_by(of_data(st, value), constructor)
        value = st.heap.bind[value]
    if type(value) is Data:
        return value.constructor == constructor
    raise Internal(f"{value!r} was tested for the constructor {constructor}")


def _expect(st: State, unknown: Unknown, among: tuple[str, ...]) -> None:
    """Narrow an input to the constructors that the program has branches for, if it can have one of them."""
    data = st.heap.data_type(of_data(st, unknown))
    assert data is not None
    possible = st.heap.inputs.constructors(data)
    expected = tuple(name for name in possible if name in among)
    if expected and len(expected) < len(possible) and not MadeBy(unknown, *expected).apply(st.heap, st.pc):
        raise Infeasible


def of_data(st: State, unknown: Unknown) -> Unknown:
    """The input itself, which is not supported here unless it can only be a value of a data type."""
    if st.heap.data_type(unknown) is None:
        raise Unsupported(f"the input {unknown.name} as a value of a data type")
    return unknown


def argument(st: State, value: Value, constructor: str, index: int) -> Value:
    """An argument of a value that is known to be made by the constructor."""
    value = st.heap.settled(value)
    if type(value) is Unknown and st.heap.is_made_by(of_data(st, value), constructor):
        value = st.heap.bind[value]
    if type(value) is not Data or value.constructor != constructor:
        raise Internal(f"{value!r} is not made by {constructor}")
    return value.arguments[index]
