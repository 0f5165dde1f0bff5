"""`iter`, `next` and the builtins that make iterators or use up something iterable."""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, is_float
from everypath.heap.values import (
    DictCell,
    Hash,
    IteratorCell,
    ListCell,
    OpenList,
    RangeValue,
    Ref,
    SliceValue,
    Value,
)
from everypath.ir.types import ANY, ListType, TupleType
from everypath.languages.python.natives.iterators import (
    NEXT,
    DictView,
    Updates,
    checked_iterator,
    collector,
    has,
    model,
    new_iterator,
    peek,
    rest,
    runs_user_code,
)
from everypath.languages.python.natives.table import LARGEST, builtin
from everypath.languages.python.semantics.enumerations import members_of
from everypath.languages.python.semantics.first_uses import take_for
from everypath.languages.python.semantics.hashes import need_number
from everypath.languages.python.semantics.host_objects import Kept
from everypath.languages.python.semantics.items import length
from everypath.languages.python.semantics.kinds import misuse, reference, type_name, user_method
from everypath.languages.python.semantics.operations import elements, range_length, truth
from everypath.languages.python.semantics.registry import NOT_GIVEN, native
from everypath.languages.python.semantics.sizes import c_size
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term

Finish = Callable[[State, tuple[Value, ...]], Value]


@builtin("iter")
def make_iterator(st: State, value: Value, *sentinel: Value) -> Value:
    """`iter(value)`"""
    if sentinel:
        raise Invoke(model(st, "iterate_calls"), [value, *sentinel])
    take_for(st, value, ListType(ANY), "lists")
    value = resolve(st, value)
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        return _iterator_of_object(st, value)
    return _builtin_iterator(st, value)


def _iterator_of_object(st: State, ref: Ref) -> Value:
    _need_iterator(st, ref)
    method = user_method(st, ref, "__iter__")
    if method is not None:
        raise Invoke(method, [ref], checked_iterator)
    raise Invoke(model(st, "iterate_items"), [ref])


def _need_iterator(st: State, ref: Ref) -> None:
    if user_method(st, ref, "__iter__") is None and user_method(st, ref, "__getitem__") is None:
        raise misuse(st, f"{short(type_name(st, ref))!r} object is not iterable", ref)


def _builtin_iterator(st: State, value: Value) -> Ref:
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, IteratorCell):
            return value
        if isinstance(cell, (ListCell, OpenList)):
            return new_iterator(st, "list", value)
        if isinstance(cell, DictCell) and cell.kind == "set":
            return new_iterator(st, "set", set_order(st, value), value)
        if isinstance(cell, DictCell):
            return new_iterator(st, "dict", value, "keys", len(mappings.entries(st.heap, st.pc, value)))
    elif isinstance(value, DictView):
        return new_iterator(st, "dict", value.ref, value.what, len(mappings.entries(st.heap, st.pc, value.ref)))
    elif isinstance(value, tuple):
        return new_iterator(st, "tuple", value)
    elif isinstance(value, str) or (isinstance(value, Term) and value.sort == "str"):
        return new_iterator(st, "str", value)
    elif isinstance(value, bytes):
        return new_iterator(st, "tuple", tuple(value))
    elif (members := members_of(st, value)) is not None:
        return new_iterator(st, "tuple", members)
    elif isinstance(value, Kept):
        return new_iterator(st, "tuple", elements(st, value))
    elif isinstance(value, RangeValue):
        ascending = decide(st.pc, terms.gt(value.step, 0))
        return new_iterator(st, "range", value.stop, value.step, ascending, position=value.start)
    raise misuse(st, f"{type_name(st, value)!r} object is not iterable", value)


def set_order(st: State, ref: Ref) -> tuple[Value, ...]:
    """The elements of a set in the order of iteration, which for numbers Python derives from their values."""
    keys = tuple(key for key, _ in mappings.entries(st.heap, st.pc, ref))
    keys = tuple(fixed(st, key, "the order of a set of floats") if is_float(key) else key for key in keys)
    if not all(map(_numeric, keys)):
        return keys
    if all(map(_known, keys)):
        return tuple(set(keys))
    if len(keys) > 1:
        # Inputs are looked for with which this is the order.
        st.orders = (keys, st.orders)
    return keys


def _numeric(key: Value) -> bool:
    """Whether the hash of a key is made of numbers, so that it is the same in every run."""
    if isinstance(key, tuple):
        return all(map(_numeric, key))
    return key.sort in ("int", "bool") if isinstance(key, Term) else isinstance(key, (int, float))


def _known(key: Value) -> bool:
    return all(map(_known, key)) if isinstance(key, tuple) else not isinstance(key, Term)


def inner_iterator(st: State, value: Value) -> Ref:
    """An iterator for use inside another one; `__iter__` of an object is called at the first step."""
    value = resolve(st, value)
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict and user_method(st, value, "__iter__") is not None:
        return new_iterator(st, "lazy", value)
    return _builtin_iterator(st, value)


@native("has_next")
def has_next(st: State, it: Ref) -> bool | Term:
    """Whether a loop over the iterator goes on."""
    return has(st, it, {})


@builtin("next")
def next_element(st: State, it: Value, default: Value = NOT_GIVEN) -> Value:
    """`next(it)`; loops call it when `has_next` has said that there is an element."""
    it = resolve(st, it)
    cell = st.heap.cells[it] if isinstance(it, Ref) else None
    if isinstance(cell, IteratorCell):
        ref = reference(it)
        updates: Updates = {}
        if cell.kind != "list" and not decide(st.pc, has(st, ref, updates)):
            return _exhausted(default)
        try:
            value = peek(st, ref, updates)
        except sequences.OutOfRange:
            return _exhausted(default)
        st.heap.cells.update(updates)
        return value
    if isinstance(it, Ref) and type(cell) is dict:
        return _next_of_object(st, it, default)
    raise Fault("TypeError", f"{type_name(st, it)!r} object is not an iterator")


def _exhausted(default: Value) -> Value:
    if default is NOT_GIVEN:
        raise Fault("StopIteration")
    return default


def _next_of_object(st: State, ref: Ref, default: Value) -> Value:
    fields = st.heap.fields(ref)
    if NEXT in fields:
        st.heap.cells[ref] = {name: value for name, value in fields.items() if name != NEXT}
        return fields[NEXT]
    method = user_method(st, ref, "__next__")
    if method is None:
        raise Fault("TypeError", f"{short(type_name(st, ref))!r} object is not an iterator")
    if default is NOT_GIVEN:
        raise Invoke(method, [ref])

    def element(_: State, answer: Value) -> Value:
        assert isinstance(answer, tuple)
        found, value = answer
        return value if found else default

    raise Invoke(model(st, "advance"), [ref], element)


def with_elements(st: State, value: Value, finish: Finish, sized: bool = False) -> Value:
    """What `finish` makes of all elements; an iterator is used up only when all questions are answered.

    Where room is made for them in advance (`sized`), an object that has a length is asked for it.
    """
    value = resolve(st, value)
    if isinstance(value, Ref) and runs_user_code(st, value):
        if type(st.heap.cells[value]) is dict:
            _need_iterator(st, value)
        raise Invoke(
            collector(st, value, sized),
            [value],
            lambda state, ref: finish(state, sequences.items(state.heap, state.pc, reference(ref))),
        )
    if isinstance(value, Ref) and isinstance(st.heap.cells[value], IteratorCell):
        found, updates = rest(st, value)
        result = finish(st, found)
        st.heap.cells.update(updates)
        return result
    return finish(st, builtin_elements(st, value))


def builtin_elements(st: State, value: Value) -> tuple[Value, ...]:
    """All elements of a resolved builtin collection, an input getting an exact length for it."""
    if isinstance(value, RangeValue):
        size = range_length(st, value)
        if isinstance(size, int) and size > LARGEST:
            raise Unsupported("a collection of that many elements")
    if isinstance(value, bytes):
        return tuple(value)
    if isinstance(value, DictView):
        return tuple(value)
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, DictCell) and cell.kind == "set":
            return set_order(st, value)
    return elements(st, value)


def as_index(st: State, value: Value) -> IntLike:
    """A number where the language wants an integer."""
    value = resolve(st, value)
    if type_name(st, value) not in ("int", "bool"):
        if user_method(st, value, "__index__") is not None:
            raise Unsupported("an object with __index__ used as an integer")
        raise Fault("TypeError", f"{short(type_name(st, value))!r} object cannot be interpreted as an integer")
    return need_number(value) if isinstance(value, Hash) else as_int(value)


@native("c_size")
def checked_size(st: State, value: Value) -> Value:
    """The number, which models of library code written in C take for a size."""
    return c_size(st, as_index(st, value))


@builtin("range")
def make_range(st: State, first: Value, second: Value = NOT_GIVEN, step: Value = 1, /) -> Value:
    """`range(stop)` and `range(start, stop, step)`"""
    start, stop = (0, first) if second is NOT_GIVEN else (first, second)
    made = RangeValue(as_index(st, start), as_index(st, stop), as_index(st, step))
    if decide(st.pc, terms.eq(made.step, 0)):
        raise Fault("ValueError", "range() arg 3 must not be zero")
    return made


@builtin("slice")
def make_slice(st: State, first: Value, second: Value = NOT_GIVEN, step: Value = None, /) -> Value:
    """`slice(stop)` and `slice(start, stop, step)`"""
    return SliceValue(None, first, None) if second is NOT_GIVEN else SliceValue(first, second, step)


@builtin("enumerate")
def make_enumerate(st: State, iterable: Value, start: Value = 0) -> Value:
    """`enumerate(iterable, start)`"""
    first = as_index(st, start)
    return new_iterator(st, "enumerate", inner_iterator(st, iterable), position=first)


@builtin("zip")
def make_zip(st: State, *iterables: Value, strict: Value = False) -> Value:
    """`zip(...)`"""
    kind = "zip strict" if decide(st.pc, truth(st, strict)) else "zip"
    return new_iterator(st, kind, *(inner_iterator(st, iterable) for iterable in iterables))


@builtin("reversed")
def make_reversed(st: State, value: Value) -> Value:
    """`reversed(value)`"""
    value = resolve(st, value)
    if isinstance(value, RangeValue):
        return make_iterator(st, _reversed_range(st, value))
    if isinstance(value, (str, bytes)) or (isinstance(value, tuple) and not isinstance(value, DictView)):
        return new_iterator(st, "tuple", tuple(value)[::-1])
    if isinstance(value, Term) and value.sort == "str":
        return new_iterator(st, "str backwards", value, position=terms.sub(terms.str_len(value), 1))
    if isinstance(value, DictView) or (isinstance(value, Ref) and type_name(st, value) == "dict"):
        return new_iterator(st, "tuple", elements(st, value)[::-1])
    if (members := members_of(st, value)) is not None:
        return new_iterator(st, "tuple", members[::-1])
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, (ListCell, OpenList)):
            return new_iterator(st, "list backwards", value, position=terms.sub(cell.length, 1))
        method = user_method(st, value, "__reversed__")
        if method is not None:
            raise Invoke(method, [value], checked_iterator)
        if user_method(st, value, "__getitem__") is not None:
            raise Unsupported("reversed() of an object that defines only __getitem__")
    raise misuse(st, f"{short(type_name(st, value))!r} object is not reversible", value)


def _reversed_range(st: State, value: RangeValue) -> RangeValue:
    start, stop, step = value.start, value.stop, value.step
    if step in (1, -1):
        return RangeValue(terms.sub(stop, step), terms.sub(start, step), terms.neg(step))
    size = range_length(st, value)
    last = terms.add(start, terms.mul(terms.sub(size, 1), step))
    return RangeValue(last, terms.sub(start, step), terms.neg(step))


builtin("len")(length)


@builtin("unpack")
def unpack(st: State, value: Value, count: int) -> Value:
    """The elements of a value assigned to `count` targets."""
    take_for(st, value, TupleType((ANY,) * count), f"tuples of {count}")
    value = resolve(st, value)
    if isinstance(value, tuple):
        return _exactly(st, value, count)
    cell = st.heap.cells[value] if isinstance(value, Ref) else None
    if isinstance(value, Ref) and isinstance(cell, OpenList):
        size = cell.length
        if decide(st.pc, terms.eq(size, count)):
            return tuple(sequences.get(st.heap, st.pc, value, i, False) for i in range(count))
        _wrong_count(size, count, decide(st.pc, terms.lt(size, count)))
    if isinstance(value, Term) and value.sort == "str":
        size = terms.str_len(value)
        if decide(st.pc, terms.eq(size, count)):
            return tuple(terms.str_at(value, i) for i in range(count))
        _wrong_count(size, count, decide(st.pc, terms.lt(size, count)))
    _need_iterable(st, value)
    return with_elements(st, value, lambda state, found: _exactly(state, found, count))


def _need_iterable(st: State, value: Value) -> None:
    """Raise the error that unpacking has for a value that is not iterable."""
    if isinstance(value, (Ref, tuple, RangeValue, bytes, Kept)) or type_name(st, value) == "str":
        if not isinstance(value, Ref) or type(st.heap.cells[value]) is not dict:
            return
        if user_method(st, value, "__iter__") or user_method(st, value, "__getitem__"):
            return
    raise Fault("TypeError", f"cannot unpack non-iterable {short(type_name(st, value))} object")


def _exactly(st: State, found: tuple[Value, ...], count: int) -> tuple[Value, ...]:
    if len(found) != count:
        _wrong_count(len(found), count, len(found) < count)
    return tuple(found)


def _wrong_count(size: IntLike, count: int, few: bool) -> None:
    if few:
        text = terms.concat(f"not enough values to unpack (expected {count}, got ", terms.int_to_str(size), ")")
        raise Fault("ValueError", text)
    raise Fault("ValueError", f"too many values to unpack (expected {count})")


@builtin("unpack_star")
def unpack_star(st: State, value: Value, before: int, after: int) -> Value:
    """The elements assigned to targets one of which is starred: its share is a new list."""
    value = resolve(st, value)
    _need_iterable(st, value)

    def share(state: State, found: tuple[Value, ...]) -> Value:
        needed = before + after
        if len(found) < needed:
            raise Fault("ValueError", f"not enough values to unpack (expected at least {needed}, got {len(found)})")
        middle = state.heap.new_object("list", ListCell(found[before : len(found) - after]))
        return (*found[:before], middle, *found[len(found) - after :])

    return with_elements(st, value, share)
