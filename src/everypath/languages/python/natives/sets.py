"""Sets and their methods; a frozenset is a set that nobody changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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


def _set_of(frozen: bool, st: State, iterable: Value = ()) -> Value:
    iterable = resolve(st, iterable)
    if keeps_hashes(st, iterable):
        return _new_set(st, _own(st, reference(iterable)), frozen=frozen)
    return with_elements(st, iterable, lambda state, found: _new_set(state, _distinct(state, found), frozen=frozen))


builtin("set")(partial(_set_of, False))
builtin("frozenset")(partial(_set_of, True))


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


@builtin("set.update")
def update(st: State, ref: Ref, *others: Value) -> Value:
    """`s.update(*others)`"""

    def join(state: State, found: list[Keys]) -> Value:
        new = _joined(state, (), found)
        put_all(state, ref, tuple((key, True) for key in new if not _holds(state, ref, key)))
        return None

    return _with_all(st, others, join)


def _become(st: State, ref: Ref, keys: Keys) -> None:
    entries = tuple((key, True) for key in keys)
    st.heap.cells[ref] = st.heap.mapping(ref).replace(entries=entries, absent=(), initial=0)


def _either(st: State, keys: Keys, others: list[Keys]) -> Keys:
    others = [_joined(st, (), others)]
    return (*_minus(st, keys, others), *_minus(st, others[0], [keys]))


_Combine = Callable[[State, Keys, list[Keys]], Keys]
_Finish = Callable[[State, Ref, Keys], Value]


def _combined(combine: _Combine, finish: _Finish, st: State, ref: Ref, *others: Value) -> Value:
    return _with_all(st, others, lambda state, found: finish(state, ref, combine(state, _own(state, ref), found)))


def _combined_with(combine: _Combine, finish: _Finish, st: State, ref: Ref, other: Value) -> Value:
    return _combined(combine, finish, st, ref, other)


builtin("set.union")(partial(_combined, _joined, _like))
builtin("set.difference")(partial(_combined, _minus, _like))
builtin("set.symmetric_difference")(partial(_combined_with, _either, _like))
builtin("set.intersection_update")(partial(_combined, _common, _become))
builtin("set.difference_update")(partial(_combined, _minus, _become))
builtin("set.symmetric_difference_update")(partial(_combined_with, _either, _become))


def _related(test: Callable[[State, Ref, Keys], bool], st: State, ref: Ref, other: Value) -> Value:
    return _with_all(st, (other,), lambda state, found: test(state, ref, found[0]))


builtin("set.issubset")(partial(_related, lambda st, ref, keys: not _minus(st, _own(st, ref), [keys])))
builtin("set.issuperset")(partial(_related, lambda st, ref, keys: all(_holds(st, ref, key) for key in keys)))
builtin("set.isdisjoint")(partial(_related, lambda st, ref, keys: not any(_holds(st, ref, key) for key in keys)))
