"""Elements, slices, lengths, casts and new collections.

An index may be a term. It is checked against the length first, which may fork. A list then gives the element without
deciding the index (`heap/sequences.py`); tuples and bytes fork between the places that are possible.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.arithmetic import is_integer
from everypath.explore.objects import program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Post, State
from everypath.heap import mappings, sequences
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, as_text, is_text
from everypath.heap.values import DictCell, Hash, ListCell, OpenList, RangeValue, Ref, SliceValue, Value
from everypath.ir.instructions import ClassRef
from everypath.ir.names import BY_NAME
from everypath.languages.python.natives.library import ask_kept, operate
from everypath.languages.python.semantics import conversions, host_objects
from everypath.languages.python.semantics.enumerations import members_of
from everypath.languages.python.semantics.hashes import need_number
from everypath.languages.python.semantics.host_objects import Kept, is_foreign
from everypath.languages.python.semantics.keys import is_key, need_hashable
from everypath.languages.python.semantics.kinds import misuse, type_name, user_method
from everypath.languages.python.semantics.operations import elements, range_length
from everypath.languages.python.semantics.registry import NATIVES
from everypath.languages.python.semantics.sizes import c_size
from everypath.logic import terms
from everypath.logic.terms import IntLike, StrLike, Term


def length(st: State, value: Value) -> Value:
    """`len(value)`"""
    value = resolve(st, value)
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, (ListCell, OpenList)):
            return cell.length
        if isinstance(cell, DictCell):
            return len(mappings.entries(st.heap, st.pc, value))
        method = user_method(st, value, "__len__")
        if method is not None:
            raise Invoke(method, [value], conversions.size)
    elif isinstance(value, (str, bytes, tuple)):
        return len(value)
    elif isinstance(value, Term) and value.sort == "str":
        return terms.str_len(value)
    elif isinstance(value, RangeValue):
        return c_size(st, range_length(st, value))
    elif (members := members_of(st, value)) is not None:
        return len(members)
    elif is_foreign(value):
        return ask_kept(st, "len", value) if isinstance(value, Kept) else host_objects.apply("len", value, None)
    raise misuse(st, f"object of type {short(type_name(st, value))!r} has no len()", value)


def get_item(st: State, container: Value, index: Value) -> Value:
    """`container[index]`"""
    index = resolve(st, index)
    if st.heap.is_open(container):
        # Most programs have no such inputs.
        from everypath.languages.python.semantics.first_uses import take_for_container

        take_for_container(st, container, index)
    container = resolve(st, container)
    kind = type_name(st, container)
    if type(index) is Ref and kind in ("list", "tuple", "str", "bytes", "range"):
        as_integer = user_method(st, index, "__index__")
        if as_integer is not None:
            check = conversions.number("__index__")
            assert check is not None
            raise Invoke(as_integer, [index], lambda state, number: get_item(state, container, check(state, number)))
    if isinstance(index, SliceValue) and kind in ("list", "tuple", "str", "bytes"):
        return _get_slice(st, container, index)
    if isinstance(container, Ref):
        return _item_of_object(st, container, index)
    if isinstance(container, tuple):
        return container[_place(st, "tuple", index, len(container), "tuple index out of range")]
    if is_text(container):
        return _get_character(st, container, index)
    if isinstance(container, bytes):
        return container[_place(st, "byte", index, len(container), "index out of range")]
    if isinstance(container, RangeValue):
        return _item_of_range(st, container, index)
    if isinstance(container, ClassRef) and members_of(st, container) is not None:
        method = program_of(st).find_method(container.name, BY_NAME)
        assert method is not None
        raise Invoke(method, [container, index])
    if is_foreign(container):
        return operate(st, "[]", container, index)
    raise misuse(st, f"{kind!r} object is not subscriptable", container)


def _item_of_object(st: State, ref: Ref, index: Value) -> Value:
    cell = st.heap.cells[ref]
    if isinstance(cell, (ListCell, OpenList)):
        number = _need_integer(st, "list", index)
        try:
            return sequences.get(st.heap, st.pc, ref, number, True)
        except sequences.OutOfRange:
            raise Fault("IndexError", "list index out of range") from None
    if isinstance(cell, DictCell) and cell.kind == "dict":
        need_hashable(st, index)
        place = mappings.find(st.heap, st.pc, ref, index)
        if place is None:
            raise Fault("KeyError", index)
        # Looking for the key may have changed what is known about the dict.
        return st.heap.mapping(ref).entries[place][1]
    method = user_method(st, ref, "__getitem__")
    if method is not None:
        raise Invoke(method, [ref, index])
    raise misuse(st, f"{type_name(st, ref)!r} object is not subscriptable", ref)


def _item_of_range(st: State, container: RangeValue, index: Value) -> IntLike:
    if isinstance(index, SliceValue):
        raise Unsupported("a slice of a range")
    number = _need_integer(st, "range", index)
    try:
        place = sequences.normal_index(st.pc, number, range_length(st, container), True)
    except sequences.OutOfRange:
        raise Fault("IndexError", "range object index out of range") from None
    return terms.add(container.start, terms.mul(container.step, place))


def _type_of_index(st: State, index: Value) -> str:
    """The name of an index's type; a hash whose number is not known ends the path."""
    return type_name(st, need_number(index) if isinstance(index, Hash) else index)


def _need_integer(st: State, kind: str, index: Value) -> IntLike:
    name = _type_of_index(st, index)
    if name not in ("int", "bool"):
        raise Fault("TypeError", f"{kind} indices must be integers or slices, not {name}")
    return as_int(index)


def _place(st: State, kind: str, index: Value, size: int, message: str) -> int:
    """The place that an index into a sequence of known size means, counted from the front."""
    number = _need_integer(st, kind, index)
    try:
        place = sequences.normal_index(st.pc, number, size, True)
    except sequences.OutOfRange:
        raise Fault("IndexError", message) from None
    return sequences.pick(st.pc, place, size)


def _get_character(st: State, text: StrLike, index: Value) -> StrLike:
    name = _type_of_index(st, index)
    if name not in ("int", "bool"):
        raise Fault("TypeError", f"string indices must be integers, not {name!r}")
    try:
        place = sequences.normal_index(st.pc, as_int(index), terms.str_len(text), True)
    except sequences.OutOfRange:
        raise Fault("IndexError", "string index out of range") from None
    return terms.str_at(text, place)


def _get_slice(st: State, container: Value, index: SliceValue) -> Value:
    start, stop, step = (_slice_bound(st, part) for part in (index.start, index.stop, index.step))
    _need_step(st, step)
    if isinstance(container, Term) or (isinstance(container, str) and _symbolic(start, stop, step)):
        return _string_slice(st, container, start, stop, step)
    if isinstance(container, (str, bytes)) and not (
        isinstance(start, Term) or isinstance(stop, Term) or isinstance(step, Term)
    ):
        return container[start:stop:step]
    taken = _taken(st, elements(st, container), start, stop, step)
    if isinstance(container, bytes):
        return bytes(byte for byte in taken if isinstance(byte, int))
    return taken if isinstance(container, tuple) else st.heap.new_object("list", ListCell(taken))


def slice_text(st: State, text: StrLike, start: Value, stop: Value) -> StrLike:
    """`text[start:stop]`"""
    first, last = _slice_bound(st, start), _slice_bound(st, stop)
    if isinstance(text, str) and not isinstance(first, Term) and not isinstance(last, Term):
        return text[first:last]
    return _string_slice(st, text, first, last, None)


def _need_step(st: State, step: IntLike | None) -> None:
    if step is not None and decide(st.pc, terms.eq(step, 0)):
        raise Fault("ValueError", "slice step cannot be zero")


def _taken(
    st: State, content: tuple[Value, ...], start: IntLike | None, stop: IntLike | None, step: IntLike | None
) -> tuple[Value, ...]:
    """What a slice takes of known elements."""
    return content[_known_slice(st, len(content), start, stop, step)]


def _known_slice(
    st: State, size: int, start: IntLike | None, stop: IntLike | None, step: IntLike | None
) -> slice[int | None, int | None, int | None]:
    """A slice that takes the same places of a sequence of this size; no step is longer than the sequence."""
    # Only a step of 1 lets an assignment change the size, so that a longer one must stay longer.
    sizes = (size, size, max(size, 2))
    first, last, by = (
        None if part is None else _clamp(st, part, most) for part, most in zip((start, stop, step), sizes)
    )
    return slice(first, last, by)


def _slice_bound(st: State, part: Value) -> IntLike | None:
    """A part of a slice: nothing or a whole number."""
    part = resolve(st, part)
    if part is None or is_integer(part):
        return part
    if type(part) is bool or (isinstance(part, Term) and part.sort == "bool"):
        return as_int(part)
    if user_method(st, part, "__index__") is not None:
        raise Unsupported("a slice with an object that defines __index__")
    raise misuse(st, "slice indices must be integers or None or have an __index__ method", part)


def _symbolic(*values: Value) -> bool:
    return any(isinstance(v, Term) for v in values)


def _clamp(st: State, index: IntLike, size: int) -> int:
    """A concrete slice bound that means the same as the symbolic one for a sequence of this size."""
    if not isinstance(index, Term):
        return int(index)
    known = st.pc.value(index)
    if known is not None:
        return int(known)
    for candidate in range(-size, size):
        if decide(st.pc, terms.eq(index, candidate)):
            return candidate
    return size if decide(st.pc, terms.ge(index, size)) else -size - 1


def _string_slice(
    st: State, text: StrLike, start: IntLike | None, stop: IntLike | None, step: IntLike | None
) -> StrLike:
    if step not in (None, 1):
        return terms.concat("", *map(as_text, _taken(st, elements(st, text), start, stop, step)))
    size = terms.str_len(text)
    first = 0 if start is None else _string_bound(st, start, size)
    last = size if stop is None else _string_bound(st, stop, size)
    if not decide(st.pc, terms.lt(first, last)):
        return ""
    return terms.substring(text, first, last)


def _string_bound(st: State, index: IntLike, size: IntLike) -> IntLike:
    if decide(st.pc, terms.lt(index, 0)):
        index = terms.add(index, size)
        return 0 if decide(st.pc, terms.lt(index, 0)) else index
    return size if decide(st.pc, terms.gt(index, size)) else index


def set_item(st: State, container: Value, index: Value, value: Value) -> None:
    """`container[index] = value`"""
    container, index = resolve(st, container), resolve(st, index)
    if isinstance(container, Kept):
        ask_kept(st, "operator.setitem", container, index, value)
        return
    if isinstance(container, Ref):
        cell = st.heap.cells[container]
        if isinstance(cell, (ListCell, OpenList)):
            if isinstance(index, SliceValue):
                _set_slice(st, container, index, value)
                return
            number = _need_integer(st, "list", index)
            try:
                sequences.put(st.heap, st.pc, container, number, value, True)
            except sequences.OutOfRange:
                raise Fault("IndexError", "list assignment index out of range") from None
            return
        if isinstance(cell, DictCell) and cell.kind == "dict":
            need_hashable(st, index)
            mappings.put(st.heap, st.pc, container, index, value)
            return
        method = user_method(st, container, "__setitem__")
        if method is not None:
            raise Invoke(method, [container, index, value])
    raise misuse(st, f"{type_name(st, container)!r} object does not support item assignment", container)


def _set_slice(st: State, container: Ref, index: SliceValue, value: Value) -> None:
    start, stop, step = (_slice_bound(st, part) for part in (index.start, index.stop, index.step))
    _need_step(st, step)

    def assign(state: State, new: Value) -> Value:
        changed = list(sequences.items(state.heap, state.pc, container))
        places = _known_slice(state, len(changed), start, stop, step)
        try:
            changed[places] = elements(state, new)
        except ValueError as error:
            # With a step, the numbers of places and of elements must agree.
            raise Fault("ValueError", str(error)) from None
        sequences.replace(state.heap, container, tuple(changed))
        return None

    # All that is to be decided is decided before an iterator of the program runs.
    _known_slice(st, len(sequences.items(st.heap, st.pc, container)), start, stop, step)
    value = resolve(st, value)
    if isinstance(value, Ref) and not isinstance(st.heap.cells[value], (ListCell, OpenList, DictCell)):
        value = _as_list(st, value, assign)
    assign(st, value)


def _delete_slice(st: State, container: Ref, index: SliceValue) -> None:
    start, stop, step = (_slice_bound(st, part) for part in (index.start, index.stop, index.step))
    _need_step(st, step)
    left = list(sequences.items(st.heap, st.pc, container))
    del left[_known_slice(st, len(left), start, stop, step)]
    sequences.replace(st.heap, container, tuple(left))


def _as_list(st: State, value: Value, then: Post) -> Value:
    """A list of what an iterator gives; where code of the program must run for it, `then` follows on its result."""
    try:
        return NATIVES["collected"](st, value)
    except Invoke as call:
        raise call.followed_by(then) from None


def del_item(st: State, container: Value, index: Value) -> None:
    """`del container[index]`"""
    container, index = resolve(st, container), resolve(st, index)
    if isinstance(container, Kept):
        ask_kept(st, "operator.delitem", container, index)
        return
    if isinstance(container, Ref):
        cell = st.heap.cells[container]
        if isinstance(cell, DictCell) and cell.kind == "dict":
            need_hashable(st, index)
            place = mappings.find(st.heap, st.pc, container, index)
            if place is None:
                raise Fault("KeyError", index)
            mappings.remove(st.heap, container, place)
            return
        if isinstance(cell, (ListCell, OpenList)):
            if isinstance(index, SliceValue):
                _delete_slice(st, container, index)
                return
            content = sequences.items(st.heap, st.pc, container)
            at = _place(st, "list", index, len(content), "list assignment index out of range")
            sequences.replace(st.heap, container, content[:at] + content[at + 1 :])
            return
        method = user_method(st, container, "__delitem__")
        if method is not None:
            raise Invoke(method, [container, index])
    raise misuse(st, f"{type_name(st, container)!r} object doesn't support item deletion", container)


def new_collection(st: State, kind: str, values: tuple[Value, ...]) -> Value:
    """A list, tuple, dict, set or slice of the values."""
    if kind == "tuple":
        return values
    if kind == "list":
        return st.heap.new_object("list", ListCell(values))
    if kind == "slice":
        start, stop, step = values
        return SliceValue(start, stop, step)
    pairs = zip(values[::2], values[1::2]) if kind == "dict" else ((v, True) for v in values)
    kept: list[tuple[Value, Value]] = []
    for key, value in pairs:
        key = resolve(st, key)
        need_hashable(st, key)
        for at, (known, _) in enumerate(kept):
            if is_key(st.heap, st.pc, known, key):
                kept[at] = (known, value)
                break
        else:
            kept.append((key, value))
    return st.heap.new_object(kind, DictCell(tuple(kept), kind=kind))
