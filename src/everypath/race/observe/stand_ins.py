"""What stands in for an operand of rewritten code until the element, the attribute or the moment is known."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any, Protocol

from everypath.concurrency.access import WHOLE
from everypath.race.events import READ, UPDATE, WRITE, Item
from everypath.race.observe.attributes import is_python_class
from everypath.race.observe.containers import ATOMS, FACTS, element

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "@": operator.imatmul, "/": operator.itruediv,
    "//": operator.ifloordiv, "%": operator.imod, "**": operator.ipow, "<<": operator.ilshift, ">>": operator.irshift,
    "&": operator.iand, "|": operator.ior, "^": operator.ixor,
}  # fmt: skip


class Announced(Protocol):
    """The part of the monitor that hooks use."""

    current: Any

    def access(self, kind: int, site: int, target: object, key: object) -> None: ...
    def enter(self, site: int) -> None: ...
    def leave(self, site: int) -> None: ...
    def iteration(self) -> None: ...
    def native_returned(self) -> None: ...


class Announcing(Protocol):
    """The hooks that a stand-in calls once it knows which element, attribute or operand is meant."""

    def touch(self, kind: int, site: int, container: Any, key: Any) -> None: ...
    def load(self, obj: Any, name: str, site: int) -> Any: ...
    def store(self, obj: Any, name: str, site: int) -> Any: ...
    def in_place(self, sign: str, left: Any, right: Any, site: int) -> Any: ...


class Cell:
    """Stands for a variable of a function that its inner functions assign."""

    __slots__ = ("__weakref__", "name")
    __everypath_ignore__ = True

    def __init__(self, name: str) -> None:
        self.name = name


class Suspendable:
    """A generator or coroutine: each time it goes on counts as an entry, each time it pauses as an exit."""

    __slots__ = ("_inside", "_monitor", "_site")
    __everypath_ignore__ = True

    def __init__(self, monitor: Announced, site: int) -> None:
        self._monitor = monitor
        self._site = site
        self._inside = False
        self.resume(None)

    def pause(self, value: Any) -> Any:
        """The generator or coroutine pauses: it gives the value away, or waits for it."""
        self.end()
        return value

    def resume(self, value: Any) -> Any:
        """It goes on with the value."""
        if self._monitor.current is not None:
            self._inside = True
            self._monitor.enter(self._site)
        return value

    def end(self) -> None:
        """It ends; if an exception was thrown into it while it paused, there was no matching entry."""
        if self._inside:
            self._inside = False
            self._monitor.leave(self._site)


_DEFAULTDICT: Any = collections.defaultdict
_default_factory = _DEFAULTDICT.default_factory.__get__


class Element:
    """A container of which one element is about to be read, assigned or deleted."""

    __slots__ = ("_facts", "_hooks", "_obj", "_site")

    def __init__(self, hooks: Announcing, facts: Any, obj: Any, site: int) -> None:
        self._hooks = hooks
        self._facts = facts
        self._obj = obj
        self._site = site

    def __getitem__(self, key: Any) -> Any:
        facts, obj = self._facts, self._obj
        if facts.gets:
            place = element(facts, obj, key) if facts.indexed or type(key) not in ATOMS else Item(key)
            if facts.factory and (place is WHOLE or not dict.__contains__(obj, key)):
                return self._missing(key, place)
            self._hooks.touch(READ, self._site, obj, place)
        return obj[key]

    def _missing(self, key: Any, place: Any) -> Any:
        """Do what `defaultdict` does, in the steps between which another thread can run."""
        hooks, obj, site = self._hooks, self._obj, self._site
        # A factory in C runs in one step with the insertion; one in Python lets another thread in between.
        make = _default_factory(obj)
        atomic = make is None or (isinstance(make, type) and not is_python_class(make))
        if place is WHOLE or atomic or not self._facts.is_native(type(obj), "__missing__"):
            hooks.touch(READ if make is None else UPDATE, site, obj, place)
            return obj[key]
        hooks.touch(READ, site, obj, place)
        if dict.__contains__(obj, key):
            return obj[key]
        value = make()
        hooks.touch(WRITE, site, obj, place)
        obj[key] = value
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        facts, obj = self._facts, self._obj
        if facts.sets:
            place = element(facts, obj, key) if facts.indexed or type(key) not in ATOMS else Item(key)
            self._hooks.touch(WRITE, self._site, obj, place)
        obj[key] = value

    def __delitem__(self, key: Any) -> None:
        facts, obj = self._facts, self._obj
        if facts.deletes:
            self._hooks.touch(UPDATE, self._site, obj, WHOLE if facts.indexed else element(facts, obj, key))
        del obj[key]


class ElementUpdate(Element):
    """Anything of which one element is about to be read, changed in place and assigned."""

    __slots__ = ("_operation",)

    def __init__(self, hooks: Announcing, facts: Any, obj: Any, site: int, operation: int) -> None:
        super().__init__(hooks, facts, obj, site)
        self._operation = operation

    def __getitem__(self, key: Any) -> Any:
        value = self._obj[key] if self._facts is None else super().__getitem__(key)
        facts = FACTS[type(value)]
        return value if facts is None or facts.through else _InPlace(self._hooks, value, self._operation)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._facts is None:
            self._obj[key] = value
        else:
            super().__setitem__(key, value)


class Attribute:
    """An object of which one attribute is about to be read, changed in place and assigned."""

    __slots__ = ("_hooks", "_obj", "_operation", "_site")

    def __init__(self, hooks: Announcing, obj: Any, site: int, operation: int) -> None:
        _set_hooks(self, hooks)
        _set_obj(self, obj)
        _set_site(self, site)
        _set_operation(self, operation)

    def __getattribute__(self, name: str) -> Any:
        hooks = _get_hooks(self)
        obj = hooks.load(_get_obj(self), name, _get_site(self))
        value = getattr(obj, name)
        facts = FACTS[type(value)]
        return value if facts is None or facts.through else _InPlace(hooks, value, _get_operation(self))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_get_hooks(self).store(_get_obj(self), name, _get_site(self)), name, value)


# Every name, also `_obj`, may be one of the program's attributes, so our own are reached past `__getattribute__`.
_SLOTS: Any = Attribute
_get_hooks, _set_hooks = _SLOTS._hooks.__get__, _SLOTS._hooks.__set__
_get_obj, _set_obj = _SLOTS._obj.__get__, _SLOTS._obj.__set__
_get_site, _set_site = _SLOTS._site.__get__, _SLOTS._site.__set__
_get_operation, _set_operation = _SLOTS._operation.__get__, _SLOTS._operation.__set__


class _InPlace:
    """A container on the left of an augmented assignment; the result of the operation is the real one."""

    __slots__ = ("_hooks", "_site", "_value")

    def __init__(self, hooks: Announcing, value: Any, site: int) -> None:
        self._hooks = hooks
        self._value = value
        self._site = site


def _operation(sign: str) -> Any:
    def operate(self: _InPlace, other: Any) -> Any:
        return self._hooks.in_place(sign, self._value, other, self._site)

    return operate


# Special methods are looked up on the class, so each operator needs one of its own.
for _sign, _function in IN_PLACE.items():
    setattr(_InPlace, f"__{_function.__name__}__", _operation(_sign))
