"""Objects put back in place to what they held when they were first looked at."""

from __future__ import annotations

import collections
import functools
import itertools
import random
from array import array
from collections.abc import Callable, Iterable
from contextlib import suppress
from operator import attrgetter, is_
from types import CellType
from typing import Any

from everypath.race.state.class_layouts import Plan, plan_for, plan_of
from everypath.race.state.contents import ordered_items

Restore = Callable[[], None]

_MISSING = object()
_STILL = ("object", "exception", "closure", "partial", "cell", "ignored", "weak")
"""Kinds that hold nothing but attributes, or that cannot change themselves."""


def keepers(value: Any) -> list[Restore] | None:
    """What puts an object's attributes and content back, None if its content cannot be put back.

    Counters of `itertools` are replaced by new ones in dicts and among attributes; elsewhere they cannot be put back.
    """
    plan = plan_for(value)
    found = _content(value, plan)
    if found is None:
        return None
    if plan.attributes is not None:
        attributes = plan.attributes(value)
        if attributes is not value:
            found.append(_dict(attributes))
    if plan.slots:
        found.append(_slots(value, plan))
    return found


def _content(value: Any, plan: Plan) -> list[Restore] | None:
    for base, keep in _KEEPERS:
        # Not isinstance, which would ask the object for its `__class__`.
        if issubclass(type(value), base):
            return [keep(value)]
    if plan.shape.kind == "lock":
        return [_lock(value)]
    # Weak sets and dictionaries keep their content in an attribute of this name.
    data = plan.hidden and "data" in plan.hidden and plan.attributes is not None and plan.attributes(value).get("data")
    if type(data) in (dict, set):
        return [_dict(data) if type(data) is dict else _SET(data)]
    return [] if plan.shape.kind in _STILL else None


def _same(found: Iterable[Any], saved: Iterable[Any]) -> bool:
    return all(map(is_, found, saved))


def _dict(value: dict[Any, Any]) -> Restore:
    saved = dict(dict.items(value))
    keys, values = list(saved), list(saved.values())
    counters = [(key, each, repr(each)) for key, each in saved.items() if type(each) is itertools.count]
    size = dict.__len__(value)

    def restore() -> None:
        # A counter cannot be set back, so another one takes its place; its text is all that can be seen of it.
        for key, counter, text in counters:
            if repr(counter) != text or dict.get(value, key) is not counter:
                saved[key] = restarted(text)
        if counters:
            counters[:] = [(key, saved[key], text) for key, _, text in counters]
            values[:] = saved.values()
        # Mostly nothing has changed, and comparing identities is quicker than filling it again.
        if dict.__len__(value) != size or not (_same(dict.values(value), values) and _same(dict.keys(value), keys)):
            dict.clear(value)
            dict.update(value, saved)

    return restore


def renewed(value: Any) -> set[int]:
    """The ids of the counters that are replaced when this object is put back."""
    plan = plan_of(type(value))
    held = list(dict.values(value)) if issubclass(type(value), dict) else []
    if plan.attributes is not None:
        held += dict.values(plan.attributes(value))
    return {id(each) for each in held if type(each) is itertools.count}


def restarted(text: str) -> Any:
    """A counter at the position where the one with this text was."""
    numbers = [float(n) if "." in n else int(n) for n in text[len("count(") : -1].split(", ")]
    return itertools.count(*numbers)


def _ordered(value: Any) -> Restore:
    saved = list(ordered_items(value))

    def restore() -> None:
        found = list(ordered_items(value))
        if len(found) != len(saved) or not all(k is a and v is b for (k, v), (a, b) in zip(found, saved)):
            collections.OrderedDict.clear(value)
            for key, each in saved:
                collections.OrderedDict.__setitem__(value, key, each)

    return restore


def _kept(save: Callable[[Any], Any], put_back: Callable[[Any, Any], None]) -> Callable[[Any], Restore]:
    def keep(value: Any) -> Restore:
        saved = save(value)
        return lambda: put_back(value, saved)

    return keep


def _sequence(cls: Any) -> Callable[[Any], Restore]:
    whole = slice(None)
    return _kept(lambda value: cls.__getitem__(value, whole), lambda value, saved: cls.__setitem__(value, whole, saved))


def _refilled(cls: Any, fill: Callable[[Any, Any], None]) -> Callable[[Any], Restore]:
    def put_back(value: Any, saved: Any) -> None:
        cls.clear(value)
        fill(value, saved)

    return _kept(lambda value: cls(cls.__iter__(value)), put_back)


def _cell(value: CellType) -> Restore:
    try:
        saved = value.cell_contents
    except ValueError:
        saved = _MISSING

    def restore() -> None:
        if saved is not _MISSING:
            value.cell_contents = saved
            return
        with suppress(ValueError):
            del value.cell_contents

    return restore


def _lock(value: Any) -> Restore:
    plan = plan_of(type(value))

    def restore() -> None:
        if plan.content(value)[0] == "held":
            # Frees the lock whoever holds it, while a release may be refused to others.
            value._at_fork_reinit()

    return restore


def _slots(value: Any, plan: Plan) -> Restore:
    saved = []
    for _, get in plan.slots:
        descriptor: Any = get.__self__  # type: ignore[attr-defined]
        try:
            saved.append((descriptor, get(value)))
        except AttributeError:
            saved.append((descriptor, _MISSING))

    def restore() -> None:
        for descriptor, each in saved:
            if each is not _MISSING:
                descriptor.__set__(value, each)
                continue
            with suppress(AttributeError):
                descriptor.__delete__(value)

    return restore


_SET = _refilled(set, set.update)
_NUMBERS: Any = random.Random.__mro__[1]
_KEEPERS: tuple[tuple[type[Any], Callable[[Any], Restore]], ...] = (
    (collections.OrderedDict, _ordered),
    (dict, _dict),
    (list, _sequence(list)),
    (set, _SET),
    (collections.deque, _refilled(collections.deque, collections.deque.extend)),
    (bytearray, _sequence(bytearray)),
    (array, _sequence(array)),
    (CellType, _cell),
    (random.Random, _kept(_NUMBERS.getstate, _NUMBERS.setstate)),
    (functools._lru_cache_wrapper, attrgetter("cache_clear")),
)
