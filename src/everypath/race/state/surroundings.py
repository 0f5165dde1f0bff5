"""Everything outside the shared object that a run could leave changed: clocks, chance, data of modules and classes.

It is put back before every run, and is part of the state.
"""

from __future__ import annotations

import dis
import gc
import itertools
import sys
import types
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import chain
from operator import is_
from typing import Any

from everypath.race.control.environment import Environment
from everypath.race.observe.containers import mro_of, namespace_of
from everypath.race.state.class_layouts import is_written_in_c, plan_for, plan_of, short_name
from everypath.race.state.contents import DESCRIPTORS, has_cells, nothing
from everypath.race.state.naming import name_objects
from everypath.race.state.restoring import Restore, keepers, renewed, restarted
from everypath.race.state.walking import Walk, snapshot, walk

MOST_MODULES = 40
"""The most modules of the package whose data is kept: those nearest to the class."""
MOST_PARTS = 20_000
"""Data of one name with more parts than this is not put back."""
REBOUND = "*"
"""The root that tells which names have other values than at the start."""

TABLE = 200
"""Data with more parts than this is taken for a table that rarely changes."""
AS_BEFORE = "as at the start"

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, staticmethod, classmethod, property)
_CODE = (*_FUNCTIONS, *DESCRIPTORS, types.ModuleType, type)
_BOOKKEEPING = ("_abc_impl", "_field_defaults")
_LIBRARY = frozenset(name.lstrip("_") for name in sys.stdlib_module_names)
_MISSING = object()
_DEEPEST = 5


class _Holder:
    """The names of one module or class, with what they were bound to at the start."""

    def __init__(self, name: str, owner: Any, is_class: bool) -> None:
        self.name = name
        self.owner = owner
        self._is_class = is_class
        self.namespace: dict[str, Any] = _behind(namespace_of(owner)) if is_class else vars(owner)
        self._saved = dict(self.namespace)
        self.values = list(self._saved.values())
        self.counters = {name: repr(value) for name, value in self._saved.items() if type(value) is itertools.count}
        self.stubborn: dict[str, None] = {}
        """names that the owner does not allow to be bound again"""

    def untouched(self) -> bool:
        """Whether every name is bound to what it was bound to at the start."""
        return len(self.namespace) == len(self.values) and all(map(is_, self.namespace.values(), self.values))

    def changes(self) -> Iterator[tuple[str, Any, Any]]:
        """Name, value at the start and value now, of data; a missing value is the marker."""
        if self.untouched():
            return
        now = self.namespace
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
        for name, text in self.counters.items():
            used = self._saved[name]
            if repr(used) != text:
                self._saved[name] = fresh = restarted(text)
                self.values = [fresh if value is used else value for value in self.values]
                self._bind(name, fresh)
        if self.untouched():
            return
        for name, value, _ in list(self.changes()):
            self._bind(name, value)
        # Submodules and functions that came since then stay, and count as there from now on.
        self._saved = {**self._saved, **{k: v for k, v in self.namespace.items() if k not in self._saved}}
        self.values = list(self.namespace.values())

    def counter(self, name: str, value: Any) -> Any:
        """The value itself, or the counter that has taken its place."""
        return self._saved[name] if name in self.counters else value

    def _bind(self, name: str, value: Any) -> None:
        if self._is_class:
            try:
                _set_on_class(self.owner, name, value)
            except (TypeError, AttributeError):
                self.stubborn[name] = None
        elif value is _MISSING:
            del self.namespace[name]
        else:
            self.namespace[name] = value

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


def _set_on_class(cls: type[Any], name: str, value: Any) -> None:
    """Bind or delete an attribute of a class, bypassing its metaclass unless that is written in C and must do it."""
    meta: Any = type(cls) if is_written_in_c(type(cls)) else type
    if value is _MISSING:
        meta.__delattr__(cls, name)
    else:
        meta.__setattr__(cls, name, value)


class SharedState:
    """The module globals and class attributes that hold data, as they were after the import."""

    def __init__(self, modules: Iterable[types.ModuleType], cls: type[Any] | None = None) -> None:
        modules = list(modules)
        self._holders = [_Holder(module.__name__, module, False) for module in modules]
        self._holders += [_Holder(short_name(each), each, True) for each in _classes(modules, cls)]
        self._namespaces = [holder.namespace for holder in self._holders]
        self._has_counters = any(holder.counters for holder in self._holders)
        self._sizes: list[int] = []
        self._values: list[Any] = []
        self._remember_bindings()
        self._data: dict[str, tuple[_Holder, str, Any]] = {}
        for holder in self._holders:
            for name, value in holder.data():
                self._data.setdefault(f"{holder.name}.{name}", (holder, name, value))
        self._lost: tuple[str, ...] = ()
        self._restore: list[Restore] = []
        self._tables: dict[str, _Table] = {}
        if self._data:
            self._keep()

    def _remember_bindings(self) -> None:
        self._sizes = [len(holder.values) for holder in self._holders]
        self._values = [value for holder in self._holders for value in holder.values]

    def _untouched(self) -> bool:
        """Whether all names of all holders are bound as at the start, in one go."""
        sizes = list(map(len, self._namespaces))
        now = chain.from_iterable(map(dict.values, self._namespaces))
        return sizes == self._sizes and all(map(is_, now, self._values))

    def _keep(self) -> None:
        unrestored = []
        for name, (_, _, value) in list(self._data.items()):
            found = walk((value,), MOST_PARTS)
            if found.truncated:
                unrestored.append(f"{name} (too large)")
                del self._data[name]
            elif sum(map(len, found.nodes)) > TABLE:
                self._tables[name] = _Table(value, found)
        roots = {name: value for name, (_, _, value) in self._data.items()}
        again = {id(value) for value in roots.values() if type(value) is itertools.count}
        lost: list[Any] = []
        # All data in one walk, so that what several names share is put back only once.
        for value in walk(tuple(roots.values())).objects:
            kept = _keepers(value) if value is not None else []
            if kept is None:
                lost.append(value)
            else:
                self._restore += kept
                again.update(renewed(value))
        names = name_objects(**roots) if lost else None
        for value in lost:
            if names is not None and id(value) not in again:
                unrestored.append(f"{names.of(value)} ({short_name(type(value))})")
        self._lost = tuple(unrestored)

    @property
    def unrestored(self) -> tuple[str, ...]:
        """The names of what changes and cannot be put back."""
        return (*self._lost, *(f"{each.name}.{name}" for each in self._holders for name in each.stubborn))

    def restore(self) -> None:
        """Put everything back as it was after the import; locks become free."""
        if self._has_counters or not self._untouched():
            for holder in self._holders:
                holder.restore()
            self._remember_bindings()
        for restore in self._restore:
            restore()

    def roots(self) -> dict[str, Any]:
        """Everything outside the object that can change or is bound to another value than at the start, by name."""
        found = {name: holder.counter(short, value) for name, (holder, short, value) in self._data.items()}
        rebound = []
        for holder in () if self._untouched() else self._holders:
            for name, _, value in holder.changes():
                full = f"{holder.name}.{name}"
                rebound.append(full)
                found[full] = None if value is _MISSING else value
        if rebound:
            found[REBOUND] = tuple(sorted(rebound))
        return found

    def state(self) -> dict[str, Any]:
        """The roots for snapshots; large data that has not changed is replaced by a word that says so."""
        found = self.roots()
        for name, table in self._tables.items():
            if name in found and table.untouched(found[name]):
                found[name] = AS_BEFORE
        return found


class _Table:
    """Large data that rarely changes, compared part by part instead of looked at whole."""

    def __init__(self, value: Any, found: Walk) -> None:
        self._value = value
        self._parts = [(each, plan_of(type(each))) for each in found.objects if each is not None]
        self._saved = [plan.parts(each)[1] for each, plan in self._parts]
        self._key = snapshot(value).key

    def untouched(self, value: Any) -> bool:
        """Whether the snapshot would be that of the start."""
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
    waiting += mro_of(cls) if cls is not None else ()
    bases = {id(each) for each in (mro_of(cls) if cls is not None else ())}
    found: dict[int, type[Any]] = {}
    for value in waiting:
        if not issubclass(type(value), type) or id(value) in found or value is object or is_written_in_c(value):
            continue
        if namespace_of(value).get("__module__") not in names and id(value) not in bases:
            continue
        if any(base is Enum for base in mro_of(value)) or _of_the_library(value, names):
            continue
        found[id(value)] = value
        waiting += namespace_of(value).values()
    return list(found.values())


def _of_the_library(cls: type[Any], names: set[str]) -> bool:
    """Whether a base class comes from the standard library, where class attributes are no state."""
    module = str(namespace_of(cls).get("__module__"))
    return module not in names and module.partition(".")[0].lstrip("_") in _LIBRARY


def _behind(view: types.MappingProxyType[str, Any]) -> dict[str, Any]:
    """The dictionary that a class's `__dict__` shows; only looked at."""
    (found,) = gc.get_referents(view)
    # Some metaclasses in C keep more than the names in it, so that it is a kind of dictionary of their own.
    assert isinstance(found, dict)
    return found


def _keepers(value: Any) -> list[Restore] | None:
    """What puts an object back; None also if the object cannot be looked into."""
    try:
        return keepers(value)
    except Exception:  # whatever half-made objects, proxies and C code raise
        return None


def _is_special(name: str) -> bool:
    return (name.startswith("__") and name.endswith("__")) or name in _BOOKKEEPING


def _is_data(value: Any) -> bool:
    return not issubclass(type(value), _CODE)


def _can_change(value: Any) -> bool:
    """Whether something that can be reached has attributes or content; a bare marker has none."""
    found = (each for each in walk((value,), 1000).objects if each is not None)
    return any(not (plan.bare and plan.content is nothing) for plan in map(plan_for, found))


def _remembers(function: Any, depth: int = 0) -> bool:
    """Whether a closure has variables that it assigns, or that hold something that can change."""
    if not has_cells(function):
        return False
    assigned = _assigned(function.__code__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__):
        try:
            value = cell.cell_contents
        except ValueError:
            value = None
        if name in assigned:
            return True
        if type(value) is types.FunctionType:
            if depth < _DEEPEST and _remembers(value, depth + 1):
                return True
        elif name != "__class__" and _is_data(value) and _can_change(value):
            return True
    return False


def _assigned(code: types.CodeType) -> set[str]:
    """Variables of enclosing functions that the code, or a function in it, assigns."""
    found = {each.argval for each in dis.get_instructions(code) if each.opname in ("STORE_DEREF", "DELETE_DEREF")}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _assigned(inner)
    return found & set(code.co_freevars)


class Surroundings:
    """The environment, and the data of a package's modules as it was after the import.

    All of the data is kept, but only what belongs to modules whose code has run is put back and compared: the rest
    of a large package would cost more than the class itself.
    """

    def __init__(self, environment: Environment, cls: type[Any], rewritten: Iterable[str]) -> None:
        self._environment = environment
        names = set(rewritten) & sys.modules.keys()
        near = list(_nearest(cls, names))
        own = [sys.modules[c.__module__] for c in cls.__mro__ if c.__module__ in names]
        self._parts = {_file(module): SharedState([module]) for module in near if module not in own}
        self._active = [SharedState(dict.fromkeys(own), cls)]

    def touched(self, files: Iterable[str]) -> bool:
        """Take in the modules of these files, whose code has run; return whether some of them are new."""
        found = [self._parts.pop(file) for file in files if file in self._parts]
        self._active += found
        for part in found:
            part.restore()
        return bool(found)

    def reset(self) -> None:
        """Prepare a run: time and chance begin again, and all data is as it was after the import."""
        self._environment.reset()
        for part in self._active:
            part.restore()

    def roots(self) -> dict[str, Any]:
        """The data by name, to give its parts names."""
        return {name: value for part in self._active for name, value in part.roots().items()}

    def state(self) -> dict[str, Any]:
        """The same for comparing states."""
        return {name: value for part in self._active for name, value in part.state().items()}

    @property
    def unrestored(self) -> tuple[str, ...]:
        """The names of data that cannot be put back."""
        return tuple(name for part in self._active for name in part.unrestored)


def _file(module: types.ModuleType) -> str:
    return getattr(module, "__file__", None) or module.__name__


def _nearest(cls: type[Any], names: set[str]) -> Iterator[types.ModuleType]:
    """The modules of the package, those first that the module of the class uses, directly or through others."""
    waiting = [c.__module__ for c in cls.__mro__ if c.__module__ in names]
    seen = set(waiting)
    for count, name in enumerate(waiting):
        if count >= MOST_MODULES:
            return
        module = sys.modules[name]
        yield module
        for value in list(vars(module).values()):
            other = _home(value)
            if isinstance(other, str) and other in names and other not in seen:
                seen.add(other)
                waiting.append(other)


def _home(value: Any) -> object:
    """The module that something comes from: itself, or that of its class; no code of the object runs."""
    kind = type(value)
    if issubclass(kind, types.ModuleType):
        return value.__name__
    if kind is types.FunctionType:
        return value.__module__
    return namespace_of(value if issubclass(kind, type) else kind).get("__module__")
