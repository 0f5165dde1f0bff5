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


def nothing(_: Any) -> tuple[()]:
    """The content of an object that has none."""
    return ()


@dataclass(frozen=True, slots=True)
class Kind:
    """How instances of a known class, and of classes derived from it, are read."""

    cls: type[Any]
    name: str
    identity: bool = True
    content: Callable[[Any], Sequence[Any]] = nothing
    atom: Callable[[Any], Any] | None = None
    """for values: what stands for one that is exactly of this class"""
    hidden: frozenset[str] = frozenset()
    opaque: bool = False
    """whether it has state that cannot be read"""


KINDS: dict[int, Kind] = {}
"""by the id of the class, because hashing a class may run code of its metaclass"""


def _kind(*classes: type[Any], name: str, **options: Any) -> None:
    for cls in classes:
        KINDS[id(cls)] = Kind(cls, name, **options)


_value = functools.partial(_kind, identity=False)
"""For instances that cannot be told apart if they are equal."""


def _pairs(items: Iterable[tuple[Any, Any]]) -> list[Any]:
    return [part for pair in items for part in pair]


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
_array_code = array.array.__dict__["typecode"].__get__
_fields = types.FunctionType.__dict__["__dict__"].__get__
_module_fields = vars(types.ModuleType)["__dict__"].__get__
_instance_fields = object.__getattribute__
_DATE = ("year", "month", "day")
_TIME = ("hour", "minute", "second", "microsecond", "fold", "tzinfo")


def _members(cls: type[Any], *names: str) -> Callable[[Any], list[Any]]:
    getters = [next(vars(base)[name] for base in cls.__mro__ if name in vars(base)).__get__ for name in names]
    return lambda value: [get(value) for get in getters]


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


def _weak_data(value: Any) -> Any:
    return _instance_fields(value, "__dict__")["data"]


def _weak_set(value: Any) -> list[Any]:
    return [each for reference in set.copy(_weak_data(value)) for each in _referent(reference)]


def _weak_values(value: Any) -> list[Any]:
    items = dict.items(_weak_data(value))
    return [part for key, reference in items for found in _referent(reference) for part in (key, found)]


def _weak_keys(value: Any) -> list[Any]:
    items = dict.items(_weak_data(value))
    return [part for reference, item in items for found in _referent(reference) for part in (found, item)]


def _suspended(frame: str, running: str) -> Callable[[Any], list[Any]]:
    def content(value: Any) -> list[Any]:
        suspended = getattr(value, frame)
        if suspended is None or getattr(value, running):
            return [value.__qualname__, "running" if suspended is not None else "ended"]
        return [value.__qualname__, suspended.f_lasti, *_pairs(sorted(dict(suspended.f_locals).items()))]

    return content


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


def _counter(value: Any) -> list[Any]:
    if all(type(each) in (int, float) for each in _referents(value)):
        return [repr(value)]
    return _referents(value)


def _real_lock(lock: Any) -> tuple[str]:
    return ("free" if repr(lock).startswith("<unlocked") else "held",)


def _cached_calls(value: Any) -> list[Any]:
    return [value.cache_info().currsize, value.__wrapped__]


def _module_name(value: Any) -> list[Any]:
    return [_module_fields(value).get("__name__")]


def _logger_name(value: Any) -> tuple[Any]:
    return (_instance_fields(value, "__dict__").get("name"),)


_MAPPINGS: tuple[dict[Any, Any], ...] = ({}, collections.OrderedDict())
_VIEWS: list[Any] = [view for items in _MAPPINGS for view in (items.keys(), items.values(), items.items())]
_REVERSIBLE: list[Any] = [[], collections.deque(), *_VIEWS]
_ITERABLE: list[Any] = [*_REVERSIBLE, (), "", "\u0100", b"", bytearray(), range(0), range(1 << 70), set()]
_ITERATORS = [*map(type, map(iter, _ITERABLE)), *map(type, map(reversed, _REVERSIBLE))]
"""Those whose remaining length C code alone tells."""


_kind(object, name="object")
_kind(list, name="list", content=list.copy)
_value(tuple, name="tuple", content=lambda value: tuple.__add__(value, ()))
_kind(dict, collections.Counter, name="dict", content=_dict_pairs)
_kind(collections.OrderedDict, name="dict", content=lambda value: _pairs(ordered_items(value)))
_kind(collections.defaultdict, name="defaultdict", content=lambda value: [_default_factory(value), *_dict_pairs(value)])
_kind(set, name="set", content=lambda value: [*set.__iter__(value)])
_value(frozenset, name="set", content=lambda value: [*frozenset.__iter__(value)])
_kind(collections.deque, name="deque", content=lambda value: [_longest(value), *collections.deque.__iter__(value)])
_kind(bytearray, name="text", content=lambda value: [bytearray.__repr__(value)])
_kind(array.array, name="array", content=lambda value: [_array_code(value), *array.array.tolist(value)])
_value(str, name="text", content=lambda value: [str.__str__(value)])
_value(int, name="text", content=lambda value: [int.__int__(value)])
_value(float, name="text", atom=float.__repr__)
_value(complex, name="text", atom=complex.__repr__)
_value(bytes, name="text", atom=bytes.__repr__)
_value(slice, name="value", content=_members(slice, "start", "stop", "step"))
_value(range, name="text", atom=range.__repr__)
_value(decimal.Decimal, name="text", atom=decimal.Decimal.__str__)
_value(fractions.Fraction, name="value", content=_members(fractions.Fraction, "_numerator", "_denominator"))
_value(uuid.UUID, name="value", content=_members(uuid.UUID, "int"))
_value(datetime.date, name="value", content=_members(datetime.date, *_DATE))
_value(datetime.time, name="value", content=_members(datetime.time, *_TIME))
_value(datetime.datetime, name="moment", content=_members(datetime.datetime, *_DATE, *_TIME))
_value(datetime.timedelta, name="value", content=_members(datetime.timedelta, "days", "seconds", "microseconds"))
_value(datetime.timezone, name="value", atom=datetime.timezone.__repr__)
_value(zoneinfo.ZoneInfo, name="value", atom=zoneinfo.ZoneInfo.__repr__)
_value(pathlib.PurePath, name="value", content=lambda value: [pathlib.PurePath.__str__(value)])
_value(re.Pattern, name="value", content=_members(re.Pattern, "pattern", "flags"))
_kind(BaseException, name="exception", content=BaseException.__dict__["args"].__get__)
_value(types.FunctionType, name="name", content=lambda value: [function_name(value)], atom=function_name)
_value(types.ModuleType, name="name", content=_module_name, hidden=EVERYTHING)
_value(types.CodeType, name="name", atom=lambda value: value.co_qualname)
_value(types.MethodType, name="method", content=_members(types.MethodType, "__func__", "__self__"))
_BOUND_IN_C = (types.BuiltinFunctionType, types.MethodWrapperType)
_value(*_BOUND_IN_C, name="method", content=lambda value: [value.__name__, value.__self__])
METHODS_IN_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)
DESCRIPTORS = (*METHODS_IN_C, types.GetSetDescriptorType, types.MemberDescriptorType)
_value(*DESCRIPTORS, name="name", atom=lambda value: value.__qualname__)
_kind(functools.partial, name="partial", content=_members(functools.partial, "func", "args", "keywords"))
_kind(functools._lru_cache_wrapper, name="opaque", content=_cached_calls, hidden=EVERYTHING, opaque=True)
_kind(types.CellType, name="cell", content=_cell)
_value(staticmethod, classmethod, property, name="name", content=_referents, hidden=EVERYTHING)
_value(types.GenericAlias, types.UnionType, name="name", atom=lambda value: "type")
_value(type(typing.Optional[int]), type(typing.Any), typing.TypeVar, name="name", hidden=EVERYTHING)  # noqa: UP007
_value(types.TracebackType, types.FrameType, __future__._Feature, name="name", hidden=EVERYTHING)
_value(type(vars(collections.namedtuple("_Any", "a"))["a"]), name="name")
_kind(types.GeneratorType, name="generator", content=_suspended("gi_frame", "gi_running"))
_kind(types.CoroutineType, name="generator", content=_suspended("cr_frame", "cr_running"))
_kind(types.AsyncGeneratorType, name="generator", content=_suspended("ag_frame", "ag_running"))
_kind(*_ITERATORS, name="iterator", content=lambda value: [operator.length_hint(value), *_referents(value)])
_kind(itertools.count, name="text", content=_counter)
_kind(enumerate, name="iterator", content=lambda value: enumerate.__reduce__(value)[1])
_kind(map, zip, filter, reversed, name="iterator", content=_referents)
_kind(itertools.chain, itertools.starmap, itertools.repeat, name="iterator", content=_referents)
_kind(type(iter(int, 1)), name="iterator", content=_referents)
_value(types.MappingProxyType, *map(type, _VIEWS), name="view", content=_referents)
_value(memoryview, name="view", content=lambda value: [value.nbytes, value.obj])
_kind(_thread.LockType, _thread.RLock, name="lock", content=_real_lock)
_kind(_thread._local, name="bare", hidden=EVERYTHING)
_kind(weakref.ref, name="weak", content=_referent)
_WEAK = frozenset({"data", "_remove", "_pending_removals", "_iterating", "_dirty_len"})
_kind(weakref.WeakSet, name="set", content=_weak_set, hidden=_WEAK)
_kind(weakref.WeakValueDictionary, name="dict", content=_weak_values, hidden=_WEAK)
_kind(weakref.WeakKeyDictionary, name="dict", content=_weak_keys, hidden=_WEAK)
_THREAD = "_ident _native_id _tstate_lock _handle _os_thread_handle _stderr _invoke_excepthook"
_kind(threading.Thread, name="object", hidden=frozenset(_THREAD.split()))
_value(logging.Logger, logging.Handler, name="name", content=_logger_name, hidden=EVERYTHING)
_value(logging.Manager, name="name", hidden=EVERYTHING)
_kind(random.Random, name="text", content=_generator_of_numbers)
_kind(io.StringIO, name="value", content=_buffer(io.StringIO))
_kind(io.BytesIO, name="value", content=_buffer(io.BytesIO))
_value(contextvars.ContextVar, name="name", content=lambda value: [value.name])
_kind(types.SimpleNamespace, name="object")
