"""Sets and their methods; a frozenset is a set that nobody changes."""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import Unsupported
from everypath.explore.objects import resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap import mappings
from everypath.heap.values import DictCell, Ref, Value
from everypath.languages.python.natives.dicts import as_key, distinct, keeps_hashes, put_all
from everypath.languages.python.natives.iteration import with_elements
from everypath.languages.python.natives.iterators import runs_user_code
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.semantics.keys import is_key
from everypath.languages.python.semantics.kinds import reference

Keys = tuple[Value, ...]


@builtin("set")
def make_set(st: State, iterable: Value = ()) -> Value:
    """`set(iterable)`"""
    return _set_of(st, iterable, frozen=False)


@builtin("frozenset")
def make_frozenset(st: State, iterable: Value = ()) -> Value:
    """`frozenset(iterable)`"""
    return _set_of(st, iterable, frozen=True)


def _set_of(st: State, iterable: Value, *, frozen: bool) -> Value:
    iterable = resolve(st, iterable)
    if keeps_hashes(st, iterable):
        return _new_set(st, _own(st, reference(iterable)), frozen=frozen)
    return with_elements(st, iterable, lambda state, found: _new_set(state, _distinct(state, found), frozen=frozen))


def _distinct(st: State, keys: Keys) -> Keys:
    return tuple(key for key, _ in distinct(st, ((key, True) for key in keys)))


def _new_set(st: State, keys: Keys, *, frozen: bool = False) -> Ref:
    """A set of keys that are known to be different from each other."""
    return st.heap.new_object("set", DictCell(tuple((key, True) for key in keys), kind="set", frozen=frozen))


def _like(st: State, ref: Ref, keys: Keys) -> Ref:
    """A set of keys that differ from each other, frozen if the set whose method makes it is."""
    return _new_set(st, keys, frozen=st.heap.mapping(ref).frozen)


@builtin("set.add")
def add(st: State, ref: Ref, key: Value) -> Value:
    """`s.add(key)`"""
    key = as_key(st, key)
    if mappings.find(st.heap, st.pc, ref, key) is None:
        mappings.put(st.heap, st.pc, ref, key, True)
    return None


@builtin("set.discard")
def discard(st: State, ref: Ref, key: Value) -> Value:
    """`s.discard(key)`"""
    place = mappings.find(st.heap, st.pc, ref, as_key(st, key))
    if place is not None:
        mappings.remove(st.heap, ref, place)
    return None


@builtin("set.remove")
def remove(st: State, ref: Ref, key: Value) -> Value:
    """`s.remove(key)`"""
    key = as_key(st, key)
    place = mappings.find(st.heap, st.pc, ref, key)
    if place is None:
        raise Fault("KeyError", key)
    mappings.remove(st.heap, ref, place)
    return None


@builtin("set.pop")
def pop(st: State, ref: Ref) -> Value:
    """`s.pop()`, which is predictable only when there is no choice."""
    entries = mappings.entries(st.heap, st.pc, ref)
    if not entries:
        raise Fault("KeyError", "pop from an empty set")
    if len(entries) > 1:
        raise Unsupported("set.pop() of a set with several elements, which takes any of them")
    mappings.remove(st.heap, ref, 0)
    return entries[0][0]


def _own(st: State, ref: Ref) -> Keys:
    return tuple(key for key, _ in mappings.entries(st.heap, st.pc, ref))


def _holds(st: State, ref: Ref, key: Value) -> bool:
    return mappings.find(st.heap, st.pc, ref, key) is not None


def _within(st: State, key: Value, keys: Keys) -> bool:
    return any(is_key(st.heap, st.pc, other, key) for other in keys)


def _with_all(st: State, iterables: tuple[Value, ...], finish: Callable[[State, list[Keys]], Value]) -> Value:
    """What `finish` makes of the elements of several iterables, at most one of which may run user code."""
    iterables = tuple(resolve(st, iterable) for iterable in iterables)
    hashed = [keeps_hashes(st, iterable) for iterable in iterables]
    special = [i for i, iterable in enumerate(iterables) if runs_user_code(st, iterable)]
    if len(special) > 1:
        raise Unsupported("a set operation with several objects that define __iter__")
    order = [i for i in range(len(iterables)) if i not in special] + special

    def step(state: State, number: int, found: dict[int, Keys]) -> Value:
        if number == len(order):
            return finish(state, [found[i] if hashed[i] else _as_keys(state, found[i]) for i in range(len(iterables))])
        at = order[number]
        return with_elements(state, iterables[at], lambda s, keys: step(s, number + 1, {**found, at: keys}))

    return step(st, 0, {})


def _as_keys(st: State, keys: Keys) -> Keys:
    return tuple(as_key(st, key) for key in keys)


def _joined(st: State, keys: Keys, others: list[Keys]) -> Keys:
    """The keys and, of the others, those that are not there yet."""
    for other in others:
        for key in other:
            keys = keys if _within(st, key, keys) else (*keys, key)
    return keys


def _minus(st: State, keys: Keys, others: list[Keys]) -> Keys:
    return tuple(k for k in keys if not any(_within(st, k, other) for other in others))


def _common(st: State, keys: Keys, others: list[Keys]) -> Keys:
    return tuple(k for k in keys if all(_within(st, k, other) for other in others))


@builtin("set.union")
def union(st: State, ref: Ref, *others: Value) -> Value:
    """`s.union(*others)`"""
    return _with_all(st, others, lambda state, found: _like(state, ref, _joined(state, _own(state, ref), found)))


@builtin("set.intersection")
def intersection(st: State, ref: Ref, *others: Value) -> Value:
    """`s.intersection(*others)`"""

    def common(state: State, found: list[Keys]) -> Value:
        if not found:
            return _like(state, ref, _own(state, ref))
        # Asking for the others' elements leaves open what else an input set contains.
        kept = tuple(key for key in _joined(state, (), found[:1]) if _holds(state, ref, key))
        return _like(state, ref, _common(state, kept, found[1:]))

    return _with_all(st, others, common)


@builtin("set.difference")
def difference(st: State, ref: Ref, *others: Value) -> Value:
    """`s.difference(*others)`"""
    return _with_all(st, others, lambda state, found: _like(state, ref, _minus(state, _own(state, ref), found)))


@builtin("set.symmetric_difference")
def symmetric_difference(st: State, ref: Ref, other: Value) -> Value:
    """`s.symmetric_difference(other)`"""
    return _with_all(st, (other,), lambda state, found: _like(state, ref, _either(state, ref, found[0])))


def _either(st: State, ref: Ref, keys: Keys) -> Keys:
    own, keys = _own(st, ref), _joined(st, (), [keys])
    return (*_minus(st, own, [keys]), *_minus(st, keys, [own]))


@builtin("set.update")
def update(st: State, ref: Ref, *others: Value) -> Value:
    """`s.update(*others)`"""

    def join(state: State, found: list[Keys]) -> Value:
        new = _joined(state, (), found)
        put_all(state, ref, tuple((key, True) for key in new if not _holds(state, ref, key)))
        return None

    return _with_all(st, others, join)


@builtin("set.intersection_update")
def intersection_update(st: State, ref: Ref, *others: Value) -> Value:
    """`s.intersection_update(*others)`"""
    return _with_all(st, others, lambda state, found: _become(state, ref, _common(state, _own(state, ref), found)))


@builtin("set.difference_update")
def difference_update(st: State, ref: Ref, *others: Value) -> Value:
    """`s.difference_update(*others)`"""
    return _with_all(st, others, lambda state, found: _become(state, ref, _minus(state, _own(state, ref), found)))


@builtin("set.symmetric_difference_update")
def symmetric_difference_update(st: State, ref: Ref, other: Value) -> Value:
    """`s.symmetric_difference_update(other)`"""
    return _with_all(st, (other,), lambda state, found: _become(state, ref, _either(state, ref, found[0])))


def _become(st: State, ref: Ref, keys: Keys) -> None:
    entries = tuple((key, True) for key in keys)
    st.heap.cells[ref] = st.heap.mapping(ref).replace(entries=entries, absent=(), initial=0)


@builtin("set.issubset")
def issubset(st: State, ref: Ref, other: Value) -> Value:
    """`s.issubset(other)`"""
    return _with_all(st, (other,), lambda state, found: not _minus(state, _own(state, ref), found))


@builtin("set.issuperset")
def issuperset(st: State, ref: Ref, other: Value) -> Value:
    """`s.issuperset(other)`"""
    return _with_all(st, (other,), lambda state, found: all(_holds(state, ref, key) for key in found[0]))


@builtin("set.isdisjoint")
def isdisjoint(st: State, ref: Ref, other: Value) -> Value:
    """`s.isdisjoint(other)`"""
    return _with_all(st, (other,), lambda state, found: not any(_holds(state, ref, key) for key in found[0]))
