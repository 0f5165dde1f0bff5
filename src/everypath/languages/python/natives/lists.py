"""Lists, tuples and their methods; an input list keeps its symbolic length wherever that is possible."""

from __future__ import annotations

from everypath.explore.objects import resolve
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import sequences
from everypath.heap.choice import decide
from everypath.heap.values import IteratorCell, ListCell, OpenList, Ref, Value
from everypath.languages.python.natives.iteration import as_index, with_elements
from everypath.languages.python.natives.iterators import model, runs_user_code
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.semantics.sizes import c_size
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term


@builtin("list")
def make_list(st: State, iterable: Value = ()) -> Value:
    """`list(iterable)`"""
    return with_elements(st, iterable, lambda state, found: state.heap.new_object("list", ListCell(found)), sized=True)


@builtin("tuple")
def make_tuple(st: State, iterable: Value = ()) -> Value:
    """`tuple(iterable)`"""
    return with_elements(st, iterable, lambda state, found: tuple(found), sized=True)


@builtin("list.append")
def append(st: State, ref: Ref, value: Value) -> Value:
    """`xs.append(value)`"""
    sequences.append(st.heap, st.pc, ref, value)
    return None


@builtin("collected")
def collected(st: State, iterable: Value) -> Value:
    """The elements as a list where the language asks no object for its length."""
    return with_elements(st, iterable, lambda state, found: state.heap.new_object("list", ListCell(found)))


@builtin("list.extend")
def extend(st: State, ref: Ref, iterable: Value) -> Value:
    """`xs.extend(iterable)`"""

    def add(state: State, found: tuple[Value, ...]) -> Value:
        cell = state.heap.cells[ref]
        if isinstance(cell, OpenList):
            added = tuple((terms.add(cell.length, i), value) for i, value in enumerate(found))
            length = terms.add(cell.length, len(found))
            state.heap.set_cell(ref, OpenList(cell.name, cell.element, length, (*added, *cell.known)))
        else:
            sequences.replace(state.heap, ref, (*sequences.items(state.heap, state.pc, ref), *found))
        return None

    st.heap.before_change(ref)
    iterable = resolve(st, iterable)
    if isinstance(iterable, Ref) and runs_user_code(st, iterable) and _is_iterator(st, iterable):
        # Code of the program runs between the elements, and may see those that are there, or end with an exception.
        raise Invoke(model(st, "extend_with"), [ref, iterable])
    return with_elements(st, iterable, add, sized=True)


def _is_iterator(st: State, ref: Ref) -> bool:
    return ref.cls == "generator" or isinstance(st.heap.cells[ref], IteratorCell)


@builtin("list.pop")
def pop(st: State, ref: Ref, index: Value = -1) -> Value:
    """`xs.pop(index)`"""
    wanted = c_size(st, as_index(st, index))
    if type(wanted) is int and wanted == -1:
        try:
            return sequences.pop_last(st.heap, st.pc, ref)
        except sequences.OutOfRange:
            raise Fault("IndexError", "pop from empty list") from None
    length = st.heap.sequence(ref).length
    if decide(st.pc, terms.eq(length, 0)):
        raise Fault("IndexError", "pop from empty list")
    try:
        place = sequences.normal_index(st.pc, wanted, length, True)
    except sequences.OutOfRange:
        raise Fault("IndexError", "pop index out of range") from None
    content = sequences.items(st.heap, st.pc, ref)
    at = sequences.pick(st.pc, place, len(content))
    sequences.replace(st.heap, ref, content[:at] + content[at + 1 :])
    return content[at]


@builtin("list.insert")
def insert(st: State, ref: Ref, index: Value, value: Value) -> Value:
    """`xs.insert(index, value)`"""
    wanted = c_size(st, as_index(st, index))
    content = sequences.items(st.heap, st.pc, ref)
    at = _insertion_point(st, wanted, len(content))
    sequences.replace(st.heap, ref, (*content[:at], value, *content[at:]))
    return None


def _insertion_point(st: State, index: IntLike, size: int) -> int:
    if not isinstance(index, Term):
        return max(0, index + size) if index < 0 else min(int(index), size)
    if decide(st.pc, terms.lt(index, 0)):
        index = terms.add(index, size)
        if decide(st.pc, terms.le(index, 0)):
            return 0
    elif decide(st.pc, terms.ge(index, size)):
        return size
    return sequences.pick(st.pc, index, size)


@builtin("list.clear")
def clear(st: State, ref: Ref) -> Value:
    """`xs.clear()`"""
    st.heap.before_change(ref)
    st.heap.set_cell(ref, ListCell(()))
    return None


@builtin("list.copy")
def copy(st: State, ref: Ref) -> Value:
    """`xs.copy()`"""
    return st.heap.new_object("list", ListCell(sequences.items(st.heap, st.pc, ref)))


@builtin("list.reverse")
def reverse(st: State, ref: Ref) -> Value:
    """`xs.reverse()`"""
    sequences.replace(st.heap, ref, sequences.items(st.heap, st.pc, ref)[::-1])
    return None
