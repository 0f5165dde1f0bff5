"""Arrays: of fixed length, with an error of the language for an index outside; and tests of an object's class."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.arithmetic import is_integer
from everypath.explore.concretise import small_value
from everypath.explore.objects import class_for, class_of, located, program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap import sequences
from everypath.heap.values import ListCell, OpenList, Ref, Value
from everypath.ir.types import BOOL, FLOAT, INT, ClassType, Type
from everypath.logic.terms import IntLike, Term

_ZERO: dict[Type, Value] = {INT: 0, BOOL: False, FLOAT: 0.0}
"""What a new array holds everywhere; null for other types."""
ARRAY = "list"
"""the class of arrays in the heap, which keeps them as it keeps lists"""


def new_array(st: State, element: Type, size: Value) -> Value:
    """A new array with the element type's default in every place."""
    count = _whole(st, size)
    if isinstance(count, Term):
        count = small_value(st, count, "a new array of symbolic length beyond the length bound")
    return st.heap.new_object(ARRAY, ListCell((_ZERO.get(element),) * count))


def _array(st: State, value: Value) -> Ref:
    ref = located(st, value)
    if not isinstance(st.heap.cells[ref], (ListCell, OpenList)):
        raise Unsupported(f"an index into {ref.cls}")
    return ref


def _whole(st: State, value: Value) -> IntLike:
    found = resolve(st, value)
    if not is_integer(found):
        raise Unsupported("an array with an index or a length that is no integer")
    return found


def get_item(st: State, container: Value, index: Value) -> Value:
    """`container[index]`"""
    ref = _array(st, container)
    try:
        return sequences.get(st.heap, st.pc, ref, _whole(st, index), program_of(st).profile.negative_indices)
    except sequences.OutOfRange:
        raise Fault(program_of(st).profile.index_error) from None


def set_item(st: State, container: Value, index: Value, value: Value) -> None:
    """`container[index] = value`"""
    ref = _array(st, container)
    try:
        sequences.put(st.heap, st.pc, ref, _whole(st, index), value, program_of(st).profile.negative_indices)
    except sequences.OutOfRange:
        raise Fault(program_of(st).profile.index_error) from None


def length(st: State, container: Value) -> IntLike:
    """The number of elements."""
    return st.heap.sequence(_array(st, container)).length


def type_test(st: State, value: Value, types: tuple[Type, ...]) -> bool:
    """Whether an object is of one of the classes; null is of none."""
    if st.heap.is_null(value):
        return False
    ref = located(st, value)
    return any(isinstance(t, ClassType) and _is_of(st, ref, t.name) for t in types)


def _is_of(st: State, ref: Ref, cls: str) -> bool:
    """Decides the class of an input object only as far as the question needs it."""
    program = program_of(st)
    if program.is_subclass(class_of(st, ref), cls):
        return True
    return program.is_subclass(class_for(st, ref, lambda name: program.is_subclass(name, cls)), cls)


def cast(st: State, value: Value, t: Type) -> Value:
    """The value, or the language's cast error; null passes."""
    if st.heap.is_null(value) or type_test(st, value, (t,)):
        return value
    raise Fault(program_of(st).profile.cast_error, f"cannot cast to {t}")
