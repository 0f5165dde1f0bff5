"""Data outside the shared object, in modules and classes: put back before every run, and part of the state."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterable, Iterator
from enum import Enum
from operator import is_
from typing import Any

from everypath.race.anatomy import class_dict, class_mro, is_written_in_c, plan_of, short_name
from everypath.race.keeping import Restore, keepers, renewed, restarted
from everypath.race.naming import name_objects
from everypath.race.reach import Walk, walk
from everypath.race.snapshot import snapshot

MOST_OBJECTS = 20_000
"""Parts of the data up to which it is put back; more than that is some table."""
REBOUND = "*"
"""The root that tells which names have other values than at the start."""

TABLE = 200
"""Parts from which on data is taken for a table that rarely changes."""
AS_BEFORE = "as at the start"

_CODE = (
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    staticmethod,
    classmethod,
    property,
    type,
)
_MISSING = object()


class _Holder:
    """The names of one module or class, with what they were bound to at the start."""

    def __init__(self, name: str, owner: Any, is_class: bool) -> None:
        self.name = name
        self.owner = owner
        self._is_class = is_class
        self._saved = dict(self.current())
        self._values = list(self._saved.values())
        self._counters = {name: repr(value) for name, value in self._saved.items() if type(value) is itertools.count}

    def current(self) -> Any:
        """The namespace, live."""
        return class_dict(self.owner) if self._is_class else vars(self.owner)

    def untouched(self) -> bool:
        """Whether every name is bound to what it was bound to."""
        now = self.current()
        return len(now) == len(self._values) and all(map(is_, now.values(), self._values))

    def changes(self) -> Iterator[tuple[str, Any, Any]]:
        """Name, value at the start and value now, of data; a missing value is the marker."""
        if self.untouched():
            return
        now = self.current()
        for name, value in self._saved.items():
            found = now.get(name, _MISSING)
            if found is not value and not _is_special(name):
                yield name, value, found
        for name in [name for name in now if name not in self._saved]:
            # An imported submodule or a function that was defined late is no state.
            if not _is_special(name) and _is_data(now[name]):
                yield name, _MISSING, now[name]

    def restore(self) -> None:
        """Bind every name again to what it was bound to."""
        for name, text in self._counters.items():
            used = self._saved[name]
            if repr(used) != text:
                self._saved[name] = fresh = restarted(text)
                self._values = [fresh if value is used else value for value in self._values]
                self._bind(name, fresh)
        if self.untouched():
            return
        for name, value, _ in list(self.changes()):
            self._bind(name, value)
        self._saved = {**self._saved, **{k: v for k, v in self.current().items() if k not in self._saved}}
        self._values = list(self.current().values())

    def counter(self, name: str, value: Any) -> Any:
        """The value itself, or the counter that has taken its place."""
        return self._saved[name] if name in self._counters else value

    def _bind(self, name: str, value: Any) -> None:
        if self._is_class:
            if value is _MISSING:
                type.__delattr__(self.owner, name)
            else:
                type.__setattr__(self.owner, name, value)
        elif value is _MISSING:
            del vars(self.owner)[name]
        else:
            vars(self.owner)[name] = value

    def data(self) -> Iterator[tuple[str, Any]]:
        """The names that hold something that can change, and functions that remember something."""
        for name, value in self._saved.items():
            if _is_special(name):
                continue
            function = value.__func__ if type(value) in (staticmethod, classmethod) else value
            if type(function) is types.FunctionType:
                if _remembers(function):
                    yield name, function
                defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
                if any(_can_change(each) for each in defaults):
                    yield f"{name}.__defaults__", defaults
            elif _is_data(value) and _can_change(value):
                yield name, value


class SharedState:
    """The module globals and class attributes that hold data, as they were after the import."""

    def __init__(self, modules: Iterable[types.ModuleType], cls: type[Any] | None = None) -> None:
        modules = list(modules)
        self._holders = [_Holder(module.__name__, module, False) for module in modules]
        self._holders += [_Holder(short_name(each), each, True) for each in _classes(modules, cls)]
        self._data: dict[str, tuple[_Holder, str, Any]] = {}
        for holder in self._holders:
            for name, value in holder.data():
                self._data.setdefault(f"{holder.name}.{name}", (holder, name, value))
        self.unrestored: tuple[str, ...] = ()
        """names of objects that change and cannot be put back"""
        self._restore: list[Restore] = []
        self._tables: dict[str, _Table] = {}
        if self._data:
            self._keep()

    def _keep(self) -> None:
        roots = {name: value for name, (_, _, value) in self._data.items()}
        found = walk(tuple(roots.values()), MOST_OBJECTS)
        lost: list[Any] = []
        again = {id(value) for value in roots.values() if type(value) is itertools.count}
        for value in found.objects:
            kept = keepers(value) if value is not None else []
            if kept is None:
                lost.append(value)
            else:
                self._restore += kept
                again.update(renewed(value))
        lost = [value for value in lost if id(value) not in again]
        for name, value in roots.items():
            table = walk((value,), MOST_OBJECTS)
            if sum(map(len, table.nodes)) > TABLE and not table.truncated:
                self._tables[name] = _Table(value, table)
        names = name_objects(**roots) if lost or found.truncated else None
        if names is not None:
            self.unrestored = tuple(f"{names.of(value)} ({short_name(type(value))})" for value in lost)
            if found.truncated:
                self.unrestored += ("more data in modules and classes than can be put back",)

    def restore(self) -> None:
        """Everything is as it was after the import; locks are free."""
        for holder in self._holders:
            holder.restore()
        for restore in self._restore:
            restore()

    def roots(self) -> dict[str, Any]:
        """What can change and every name that has another value than at the start, to be named and pictured."""
        found = {name: holder.counter(short, value) for name, (holder, short, value) in self._data.items()}
        rebound = []
        for holder in self._holders:
            for name, _, value in holder.changes():
                full = f"{holder.name}.{name}"
                rebound.append(full)
                found[full] = None if value is _MISSING else value
        if rebound:
            found[REBOUND] = tuple(sorted(rebound))
        return found

    def state(self) -> dict[str, Any]:
        """The roots for pictures: large data that is as it was at the start is only said to be so."""
        found = self.roots()
        for name, table in self._tables.items():
            if name in found and table.untouched(found[name]):
                found[name] = AS_BEFORE
        return found


class _Table:
    """Large data that rarely changes, compared part by part instead of pictured."""

    def __init__(self, value: Any, found: Walk) -> None:
        self._value = value
        self._parts = [(each, plan_of(type(each))) for each in found.objects if each is not None]
        self._saved = [plan.parts(each)[1] for each, plan in self._parts]
        self._key = snapshot(value).key

    def untouched(self, value: Any) -> bool:
        """Whether the picture would be that of the start."""
        if value is self._value and all(
            len(now := plan.parts(each)[1]) == len(saved) and all(map(is_, now, saved))
            for (each, plan), saved in zip(self._parts, self._saved)
        ):
            return True
        return snapshot(value).key == self._key


def _classes(modules: list[types.ModuleType], cls: type[Any] | None) -> list[type[Any]]:
    """The classes of the modules, and those that the class is made from, written in Python."""
    names = {module.__name__ for module in modules}
    waiting = [value for module in modules for value in vars(module).values()]
    waiting += class_mro(cls) if cls is not None else ()
    bases = {id(each) for each in (class_mro(cls) if cls is not None else ())}
    found: dict[int, type[Any]] = {}
    for value in waiting:
        if not issubclass(type(value), type) or id(value) in found or value is object or is_written_in_c(value):
            continue
        if class_dict(value).get("__module__") not in names and id(value) not in bases:
            continue
        if any(base is Enum for base in class_mro(value)):
            continue
        found[id(value)] = value
        waiting += class_dict(value).values()
    return list(found.values())


def _is_special(name: str) -> bool:
    return (name.startswith("__") and name.endswith("__")) or name == "_abc_impl"


def _is_data(value: Any) -> bool:
    return not issubclass(type(value), _CODE)


def _can_change(value: Any) -> bool:
    plan = plan_of(type(value))
    if plan.choose is None and plan.identity:
        return plan.shape.kind != "ignored"
    # An immutable value may hold something that can change.
    return plan.atom is None and bool(walk((value,), 1000).objects)


def _remembers(function: Any, depth: int = 0) -> bool:
    """Whether a closure has variables other than functions and classes."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if type(value) is types.FunctionType:
            if depth < 5 and _remembers(value, depth + 1):
                return True
        elif name != "__class__" and _is_data(value):
            return True
    return False
