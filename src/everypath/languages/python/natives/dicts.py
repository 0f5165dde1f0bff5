"""Dicts and their methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from everypath.errors import Unsupported
from everypath.explore.objects import resolve
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.values import DictCell, Ref, Value
from everypath.ir.types import ANY, STR, DictType
from everypath.languages.python.natives.iteration import builtin_elements, with_elements
from everypath.languages.python.natives.iterators import make_view, model, runs_user_code
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.semantics.first_uses import take_for
from everypath.languages.python.semantics.keys import is_key, need_hashable
from everypath.languages.python.semantics.kinds import reference, type_name, user_method
from everypath.languages.python.semantics.registry import NOT_GIVEN

Entries = tuple[tuple[Value, Value], ...]
Finish = Callable[[State, Entries], Value]


def as_key(st: State, key: Value) -> Value:
    """A value that is about to be looked up or stored as a key."""
    key = resolve(st, key)
    need_hashable(st, key)
    return tuple(as_key(st, part) for part in key) if isinstance(key, tuple) else key


def distinct(st: State, entries: Iterable[tuple[Value, Value]]) -> Entries:
    """The entries of a new dict or set: a later value for an equal key replaces the earlier one."""
    kept: list[tuple[Value, Value]] = []
    for key, value in entries:
        key = as_key(st, key)
        for at, (known, _) in enumerate(kept):
            if is_key(st.heap, st.pc, known, key):
                kept[at] = (known, value)
                break
        else:
            kept.append((key, value))
    return tuple(kept)


def put_all(st: State, ref: Ref, entries: Entries) -> None:
    """Assign several keys that are known to be different from each other."""
    # All questions before the first change: if one of them forks, the whole operation is run again.
    for key, _ in entries:
        mappings.find(st.heap, st.pc, ref, key)
    for key, value in entries:
        mappings.put(st.heap, st.pc, ref, key, value)


def keeps_hashes(st: State, value: Value) -> bool:
    """Whether the value is a set or dict, from which hashes are copied so that no method is called for them."""
    return isinstance(value, Ref) and isinstance(st.heap.cells[value], DictCell)


@builtin("dict")
def make_dict(st: State, *source: Value, **keywords: Value) -> Value:
    """`dict(mapping)`, `dict(pairs)` and `dict(name=value)`"""
    return _with_distinct(
        st, "dict", source, keywords, lambda state, entries: state.heap.new_object("dict", DictCell(entries))
    )


def _with_distinct(
    st: State, name: str, source: tuple[Value, ...], keywords: dict[str, Value], finish: Finish
) -> Value:
    """What `finish` makes of the arguments of a call that takes over entries, each key once."""
    if len(source) > 1:
        raise Fault("TypeError", f"{name} expected at most 1 argument, got {len(source)}")

    def merge(state: State, entries: Entries) -> Value:
        return finish(state, distinct(state, (*entries, *keywords.items())))

    if source:
        take_for(st, source[0], DictType(STR, ANY), "dicts")
    first = resolve(st, source[0]) if source else None
    if isinstance(first, Ref) and keeps_hashes(st, first) and st.heap.mapping(first).kind == "dict" and not keywords:
        return finish(st, mappings.entries(st.heap, st.pc, first))
    return _with_entries(st, first, merge) if source else merge(st, ())


def _with_entries(st: State, source: Value, finish: Finish) -> Value:
    """What `finish` makes of the entries of a dict or of the pairs of anything iterable."""
    source = resolve(st, source)
    if isinstance(source, Ref):
        cell = st.heap.cells[source]
        if isinstance(cell, DictCell) and cell.kind == "dict":
            return finish(st, mappings.entries(st.heap, st.pc, source))
        if type(cell) is dict and user_method(st, source, "keys") is not None:

            def go_on(state: State, found: Value) -> Value:
                pairs = sequences.items(state.heap, state.pc, reference(found))
                return finish(state, tuple(_pair(state, i, item) for i, item in enumerate(pairs)))

            raise Invoke(model(st, "mapping_items"), [source], go_on)
    return with_elements(
        st, source, lambda state, found: finish(state, tuple(_pair(state, i, item) for i, item in enumerate(found)))
    )


def _pair(st: State, position: int, item: Value) -> tuple[Value, Value]:
    item = resolve(st, item)
    if runs_user_code(st, item):
        raise Unsupported("a dict from pairs that are objects of the program")
    if type_name(st, item) in ("int", "bool", "float", "NoneType"):
        raise Fault("TypeError", f"cannot convert dictionary update sequence element #{position} to a sequence")
    parts = builtin_elements(st, item)
    if len(parts) != 2:
        raise Fault(
            "ValueError", f"dictionary update sequence element #{position} has length {len(parts)}; 2 is required"
        )
    return parts[0], parts[1]


@builtin("dict.fromkeys")
def fromkeys(st: State, iterable: Value, value: Value = None) -> Value:
    """`dict.fromkeys(iterable, value)`"""

    def make(state: State, found: tuple[Value, ...]) -> Value:
        return state.heap.new_object("dict", DictCell(distinct(state, ((key, value) for key in found))))

    source = resolve(st, iterable)
    if keeps_hashes(st, source):
        keys = (key for key, _ in mappings.entries(st.heap, st.pc, reference(source)))
        return st.heap.new_object("dict", DictCell(tuple((key, value) for key in keys)))
    return with_elements(st, source, make)


@builtin("dict.get")
def get(st: State, ref: Ref, key: Value, default: Value = None) -> Value:
    """`d.get(key, default)`"""
    place = mappings.find(st.heap, st.pc, ref, as_key(st, key))
    return default if place is None else st.heap.mapping(ref).entries[place][1]


@builtin("dict.pop")
def pop(st: State, ref: Ref, key: Value, default: Value = NOT_GIVEN) -> Value:
    """`d.pop(key, default)`"""
    key = as_key(st, key)
    place = mappings.find(st.heap, st.pc, ref, key)
    if place is not None:
        return mappings.remove(st.heap, ref, place)
    if default is NOT_GIVEN:
        raise Fault("KeyError", key)
    return default


@builtin("dict.setdefault")
def setdefault(st: State, ref: Ref, key: Value, default: Value = None) -> Value:
    """`d.setdefault(key, default)`"""
    key = as_key(st, key)
    place = mappings.find(st.heap, st.pc, ref, key)
    if place is not None:
        return st.heap.mapping(ref).entries[place][1]
    mappings.put(st.heap, st.pc, ref, key, default)
    return default


@builtin("dict.popitem")
def popitem(st: State, ref: Ref) -> Value:
    """`d.popitem()`"""
    entries = mappings.entries(st.heap, st.pc, ref)
    if not entries:
        raise Fault("KeyError", "popitem(): dictionary is empty")
    mappings.remove(st.heap, ref, len(entries) - 1)
    return entries[-1]


for _what in ("keys", "values", "items"):
    builtin(f"dict.{_what}")(partial(make_view, what=_what))


@builtin("dict.update")
def update(st: State, ref: Ref, *source: Value, **keywords: Value) -> Value:
    """`d.update(mapping_or_pairs, name=value)`"""
    return _with_distinct(st, "update", source, keywords, lambda state, entries: put_all(state, ref, entries))


@builtin("dict.clear", "set.clear")
def clear(st: State, ref: Ref) -> Value:
    """`d.clear()`"""
    st.heap.cells[ref] = st.heap.mapping(ref).replace(entries=(), open=False, absent=(), initial=0)
    return None


@builtin("dict.copy", "set.copy")
def copy(st: State, ref: Ref) -> Value:
    """`d.copy()`"""
    entries = mappings.entries(st.heap, st.pc, ref)
    cell = st.heap.mapping(ref)
    return st.heap.new_object(cell.kind, DictCell(entries, kind=cell.kind, frozen=cell.frozen))
