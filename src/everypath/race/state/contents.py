"""What the classes of the interpreter and its library hold, read by their own C methods or private names."""

from __future__ import annotations
import __future__

import _thread
import array
import collections
import contextvars
import datetime
import decimal
import fractions
import functools
import gc
import hashlib
import io
import itertools
import logging
import operator
import pathlib
import random
import re
import threading
import types
import typing
import uuid
import weakref
import zoneinfo
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from everypath.records import dataclass

EVERYTHING: frozenset[str] = frozenset({"*"})
"""All attributes of the class are bookkeeping."""


OURS = "everypath.race."
"""Modules whose objects stand for clocks, threads and the like: what they hold is no state of a class under test."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How instances of a known class, and of classes derived from it, are read."""

    cls: type[Any]
    name: str
    identity: bool = True
    content: Callable[[Any], Sequence[Any]] | None = None
    atom: Callable[[Any], Any] | None = None
    """for values: what stands for one that is exactly of this class"""
    hidden: frozenset[str] = frozenset()
    opaque: bool = False
    """it has state that cannot be read"""


KINDS: dict[int, Kind] = {}
"""by the id of the class, because a hash of a class may be code of its metaclass"""


def _kind(*classes: type[Any], name: str, **options: Any) -> None:
    for cls in classes:
        KINDS[id(cls)] = Kind(cls, name, **options)


def _pairs(items: Iterable[tuple[Any, Any]]) -> list[Any]:
    return [part for pair in items for part in pair]


def _exact_tuple(value: Any) -> Any:
    return tuple.__add__(value, ())


def _dict_pairs(value: Any) -> list[Any]:
    return [part for pair in dict.items(value) for part in pair]


_PLAIN_KEYS = frozenset({str, int, float, bytes, bool, type(None)})


def ordered_items(value: Any) -> Iterable[tuple[Any, Any]]:
    """Items of an `OrderedDict` in its own order; its iterator hashes keys, so only where that runs nobody's code."""
    if _PLAIN_KEYS.issuperset(map(type, dict.keys(value))):
        return collections.OrderedDict.items(value)
    for key in dict.keys(value):
        if type(key) not in _PLAIN_KEYS and not (type(key) is tuple and _PLAIN_KEYS.issuperset(map(type, key))):
            return dict.items(value)
    return collections.OrderedDict.items(value)


_default_factory = collections.defaultdict.__dict__["default_factory"].__get__
_longest = collections.deque.__dict__["maxlen"].__get__
_arguments = BaseException.__dict__["args"].__get__
_array_code = array.array.__dict__["typecode"].__get__
_fields = types.FunctionType.__dict__["__dict__"].__get__
_module_fields = vars(types.ModuleType)["__dict__"].__get__
_date_parts = tuple(datetime.date.__dict__[part].__get__ for part in ("year", "month", "day"))
_time_names = ("hour", "minute", "second", "microsecond", "fold", "tzinfo")
_time_parts = tuple(datetime.time.__dict__[part].__get__ for part in _time_names)
_moment_parts = tuple(datetime.datetime.__dict__[part].__get__ for part in _time_names)
_delta_parts = tuple(datetime.timedelta.__dict__[part].__get__ for part in ("days", "seconds", "microseconds"))
_instance_fields = object.__getattribute__


def _read(*getters: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda value: [get(value) for get in getters]


def _members(cls: type[Any], *names: str) -> Callable[[Any], list[Any]]:
    return _read(*(cls.__dict__[name].__get__ for name in names))


def is_ignored_function(function: Any) -> bool:
    """Whether a function is marked to contribute nothing but its name."""
    return _fields(function).get("__everypath_ignore__") is True


def has_cells(function: Any) -> bool:
    """Whether a function remembers variables of the function that made it, and is not one of our replacements."""
    if function.__closure__ is None:
        return False
    module = function.__module__
    return type(module) is not str or not module.startswith(OURS)


def function_name(function: Any) -> str:
    """Module and qualified name."""
    module = function.__module__
    return f"{module if type(module) is str else '?'}.{function.__qualname__}"


def _cell(cell: Any) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _referent(reference: Any) -> tuple[Any, ...]:
    found = weakref.ref.__call__(reference)
    return () if found is None else (found,)


def _alive(references: Iterable[Any]) -> list[Any]:
    return [found for reference in references if (found := weakref.ref.__call__(reference)) is not None]


def _weak_data(value: Any) -> Any:
    return _instance_fields(value, "__dict__")["data"]


def _weak_set(value: Any) -> list[Any]:
    return _alive(set.copy(_weak_data(value)))


def _weak_values(value: Any) -> list[Any]:
    found = ((key, weakref.ref.__call__(reference)) for key, reference in dict.items(_weak_data(value)))
    return _pairs((key, referent) for key, referent in found if referent is not None)


def _weak_keys(value: Any) -> list[Any]:
    found = ((weakref.ref.__call__(reference), item) for reference, item in dict.items(_weak_data(value)))
    return _pairs((referent, item) for referent, item in found if referent is not None)


def _suspended(frame: str, running: str) -> Callable[[Any], list[Any]]:
    def content(value: Any) -> list[Any]:
        suspended = getattr(value, frame)
        if suspended is None or getattr(value, running):
            return [value.__qualname__, "running" if suspended is not None else "ended"]
        return [value.__qualname__, suspended.f_lasti, *_pairs(sorted(dict(suspended.f_locals).items()))]

    return content


def _real_lock(lock: Any) -> tuple[str]:
    return ("free" if repr(lock).startswith("<unlocked") else "held",)


def _buffer(cls: type[Any]) -> Callable[[Any], list[Any]]:
    def content(value: Any) -> list[Any]:
        try:
            return [cls.getvalue(value), cls.tell(value)]
        except ValueError:
            return ["closed"]

    return content


def _generator_of_numbers(value: Any) -> tuple[str]:
    state = repr(random.Random.__mro__[1].getstate(value))  # type: ignore[attr-defined]
    return (hashlib.sha256(state.encode()).hexdigest()[:16],)


def _referents(value: Any) -> list[Any]:
    """What a C object refers to, in the order of its fields."""
    return [each for each in gc.get_referents(value) if each is not type(value)]


def _position(value: Any) -> list[Any]:
    return [operator.length_hint(value), *_referents(value)]


def _counter(value: Any) -> list[Any]:
    if all(type(each) in (int, float) for each in _referents(value)):
        return [repr(value)]
    return _referents(value)


def _cached_calls(value: Any) -> list[Any]:
    return [value.cache_info().currsize, value.__wrapped__]


def _module_name(value: Any) -> list[Any]:
    return [_module_fields(value).get("__name__")]


def _builtin_method(value: Any) -> list[Any]:
    return [value.__name__, value.__self__]


def _logger_name(value: Any) -> tuple[Any]:
    return (_instance_fields(value, "__dict__").get("name"),)


def _iterators() -> Iterable[type[Any]]:
    """The iterators whose remaining length C code alone tells."""
    for made in (
        iter([]),
        reversed([]),
        iter(()),
        iter(""),
        iter("\u0100"),
        iter(b""),
        iter(bytearray()),
        iter(range(0)),
    ):
        yield type(made)
    mappings: tuple[dict[Any, Any], ...] = ({}, collections.OrderedDict())
    for items in mappings:
        for view in (items.keys(), items.values(), items.items()):
            yield type(iter(view))
            yield type(reversed(view))
    for made in (iter(set()), iter(collections.deque()), reversed(collections.deque()), iter(range(1 << 70))):
        yield type(made)


_kind(object, name="object")
_kind(list, name="list", content=list.copy)
_kind(tuple, name="tuple", identity=False, content=_exact_tuple)
_kind(dict, collections.Counter, name="dict", content=_dict_pairs)
_kind(collections.OrderedDict, name="dict", content=lambda value: _pairs(ordered_items(value)))
_kind(collections.defaultdict, name="defaultdict", content=lambda value: [_default_factory(value), *_dict_pairs(value)])
_kind(set, name="set", content=lambda value: [*set.__iter__(value)])
_kind(frozenset, name="set", identity=False, content=lambda value: [*frozenset.__iter__(value)])
_kind(collections.deque, name="deque", content=lambda value: [_longest(value), *collections.deque.__iter__(value)])
_kind(bytearray, name="text", content=lambda value: [bytearray.__repr__(value)])
_kind(
    array.array, name="array", content=lambda value: [_array_code(value), *array.array.__getitem__(value, slice(None))]
)
_kind(str, name="text", identity=False, content=lambda value: [str.__str__(value)])
_kind(int, name="text", identity=False, content=lambda value: [int.__int__(value)])
_kind(float, name="text", identity=False, atom=float.__repr__)
_kind(complex, name="text", identity=False, atom=complex.__repr__)
_kind(bytes, name="text", identity=False, atom=bytes.__repr__)
_kind(slice, name="value", identity=False, content=_members(slice, "start", "stop", "step"))
_kind(range, name="text", identity=False, atom=range.__repr__)
_kind(decimal.Decimal, name="text", identity=False, atom=decimal.Decimal.__str__)
_kind(
    fractions.Fraction,
    name="value",
    identity=False,
    content=_members(fractions.Fraction, "_numerator", "_denominator"),
)
_kind(uuid.UUID, name="value", identity=False, content=_members(uuid.UUID, "int"))
_kind(datetime.date, name="value", identity=False, content=_read(*_date_parts))
_kind(datetime.time, name="value", identity=False, content=_read(*_time_parts))
_kind(datetime.datetime, name="moment", identity=False, content=_read(*_date_parts, *_moment_parts))
_kind(datetime.timedelta, name="value", identity=False, content=_read(*_delta_parts))
_kind(datetime.timezone, name="value", identity=False, atom=datetime.timezone.__repr__)
_kind(zoneinfo.ZoneInfo, name="value", identity=False, atom=zoneinfo.ZoneInfo.__repr__)
_kind(pathlib.PurePath, name="value", identity=False, content=lambda value: [pathlib.PurePath.__str__(value)])
_kind(re.Pattern, name="value", identity=False, content=_members(re.Pattern, "pattern", "flags"))
_kind(BaseException, name="exception", content=_arguments)
_kind(types.FunctionType, name="name", identity=False, content=lambda value: [function_name(value)], atom=function_name)
_kind(types.ModuleType, name="name", identity=False, content=_module_name, hidden=EVERYTHING)
_kind(types.CodeType, name="name", identity=False, atom=lambda value: value.co_qualname)
_kind(types.MethodType, name="method", identity=False, content=_members(types.MethodType, "__func__", "__self__"))
_kind(types.BuiltinFunctionType, types.MethodWrapperType, name="method", identity=False, content=_builtin_method)
_kind(
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    name="name",
    identity=False,
    atom=lambda value: value.__qualname__,
)
_kind(functools.partial, name="partial", content=_members(functools.partial, "func", "args", "keywords"))
_kind(functools._lru_cache_wrapper, name="opaque", content=_cached_calls, hidden=EVERYTHING, opaque=True)
_kind(types.CellType, name="cell", content=_cell)
_kind(staticmethod, classmethod, property, name="name", identity=False, content=_referents, hidden=EVERYTHING)
_kind(types.GenericAlias, types.UnionType, name="name", identity=False, atom=lambda value: "type")
_kind(type(typing.Optional[int]), type(typing.Any), typing.TypeVar, name="name", identity=False, hidden=EVERYTHING)  # noqa: UP007
_kind(types.TracebackType, types.FrameType, __future__._Feature, name="name", identity=False, hidden=EVERYTHING)
_kind(type(vars(collections.namedtuple("_Any", "a"))["a"]), name="name", identity=False)
_kind(types.GeneratorType, name="generator", content=_suspended("gi_frame", "gi_running"))
_kind(types.CoroutineType, name="generator", content=_suspended("cr_frame", "cr_running"))
_kind(types.AsyncGeneratorType, name="generator", content=_suspended("ag_frame", "ag_running"))
_kind(*_iterators(), name="iterator", content=_position)
_kind(itertools.count, name="text", content=_counter)
_kind(enumerate, name="iterator", content=lambda value: enumerate.__reduce__(value)[1])
_kind(map, zip, filter, reversed, name="iterator", content=_referents)
_kind(itertools.chain, itertools.starmap, itertools.repeat, name="iterator", content=_referents)
_kind(type(iter(int, 1)), name="iterator", content=_referents)
_kind(
    types.MappingProxyType,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
    type(collections.OrderedDict().keys()),
    type(collections.OrderedDict().values()),
    type(collections.OrderedDict().items()),
    name="view",
    identity=False,
    content=_referents,
)
_kind(memoryview, name="view", identity=False, content=lambda value: [value.nbytes, value.obj])
_kind(_thread.LockType, _thread.RLock, name="lock", content=_real_lock)
_kind(_thread._local, name="bare", hidden=EVERYTHING)
_kind(weakref.ref, name="weak", content=_referent)
_WEAK = frozenset({"data", "_remove", "_pending_removals", "_iterating", "_dirty_len"})
_kind(weakref.WeakSet, name="set", content=_weak_set, hidden=_WEAK)
_kind(weakref.WeakValueDictionary, name="dict", content=_weak_values, hidden=_WEAK)
_kind(weakref.WeakKeyDictionary, name="dict", content=_weak_keys, hidden=_WEAK)
_kind(
    threading.Thread,
    name="object",
    hidden=frozenset(
        {"_ident", "_native_id", "_tstate_lock", "_handle", "_os_thread_handle", "_stderr", "_invoke_excepthook"}
    ),
)
_kind(logging.Logger, logging.Handler, name="name", identity=False, content=_logger_name, hidden=EVERYTHING)
_kind(logging.Manager, name="name", identity=False, hidden=EVERYTHING)
_kind(random.Random, name="text", content=_generator_of_numbers)
_kind(io.StringIO, name="value", content=_buffer(io.StringIO))
_kind(io.BytesIO, name="value", content=_buffer(io.BytesIO))
_kind(contextvars.ContextVar, name="name", identity=False, content=lambda value: [value.name])
_kind(types.SimpleNamespace, name="object")
