"""What the C-implemented containers of the interpreter do to their elements: one table, asked by type and method."""

from __future__ import annotations

import array
import collections
import enum
import gc
import itertools
import types
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from everypath.concurrency.access import WHOLE
from everypath.race.events import READ, UPDATE, WRITE, Item

_TYPE: Any = type
_mro: Callable[[type], tuple[type, ...] | None] = _TYPE.__dict__["__mro__"].__get__
namespace_of: Callable[[type], Any] = _TYPE.__dict__["__dict__"].__get__
"""The `__dict__` of a class, past its metaclass."""


def mro_of(cls: type) -> tuple[type, ...]:
    """The classes that it inherits from; none while it is being made."""
    return _mro(cls) or ()


_MOST_TYPES = 5_000


class Rule(NamedTuple):
    """What a method does: the kind of access, whether to the element that is the first argument, and to arguments."""

    kind: int
    one: bool = False
    reads: bool = False


READ_ALL, READ_ONE, READ_BOTH = Rule(READ), Rule(READ, one=True), Rule(READ, reads=True)
WRITE_ALL, WRITE_ONE, WRITE_FROM = Rule(WRITE), Rule(WRITE, one=True), Rule(WRITE, reads=True)
CHANGE_ALL, CHANGE_ONE, CHANGE_FROM = Rule(UPDATE), Rule(UPDATE, one=True), Rule(UPDATE, reads=True)


def _table(rules: dict[Rule | None, str]) -> dict[str, Rule | None]:
    return {name: rule for rule, names in rules.items() for name in names.split()}


_NOTHING = (
    "__iter__ __reversed__ __class__ __new__ __init_subclass__ __subclasshook__ __class_getitem__ __getattribute__ "
    "__setattr__ __delattr__ __hash__ __dir__ fromkeys __alloc__"
)
_COMPARISONS = "__eq__ __ne__ __lt__ __le__ __gt__ __ge__"
_SEQUENCE = _table(
    {
        None: _NOTHING,
        READ_ONE: "__getitem__",
        READ_BOTH: f"{_COMPARISONS} __add__",
        WRITE_ALL: "clear",
        WRITE_FROM: "__init__",
        WRITE_ONE: "__setitem__",
        CHANGE_ALL: "append appendleft insert remove pop popleft sort reverse rotate __delitem__ __imul__ byteswap",
        CHANGE_FROM: "extend extendleft __iadd__ fromlist frombytes fromunicode fromfile __setstate__",
    }
)
_MAPPING = _table(
    {
        None: f"{_NOTHING} keys values items",
        READ_ONE: "get __getitem__ __contains__",
        READ_BOTH: f"{_COMPARISONS} __or__ __ror__",
        WRITE_ALL: "clear",
        WRITE_FROM: "update __init__ __ior__",
        WRITE_ONE: "__setitem__",
        CHANGE_ONE: "pop setdefault __delitem__ __missing__",
        CHANGE_ALL: "popitem move_to_end",
    }
)
_SET = _table(
    {
        None: _NOTHING,
        READ_ONE: "__contains__",
        READ_BOTH: f"{_COMPARISONS} union intersection difference symmetric_difference issubset issuperset isdisjoint "
        "__or__ __and__ __sub__ __xor__ __ror__ __rand__ __rsub__ __rxor__",
        WRITE_ALL: "clear",
        WRITE_FROM: "update __init__ __ior__",
        WRITE_ONE: "add discard",
        CHANGE_ONE: "remove",
        CHANGE_ALL: "pop",
        CHANGE_FROM: "difference_update intersection_update symmetric_difference_update __isub__ __iand__ __ixor__",
    }
)
METHODS: dict[type, dict[str, Rule | None]] = {
    **dict.fromkeys((list, bytearray, array.array, collections.deque), _SEQUENCE),
    **dict.fromkeys((dict, collections.OrderedDict, collections.defaultdict), _MAPPING),
    set: _SET,
}
"""By method name; None if nothing is looked at. A method that is not listed reads the whole container."""

_DICT: Any = {}
_ORDERED: Any = collections.OrderedDict()
KEY_VIEWS: tuple[type, ...] = (type(_DICT.keys()), type(_ORDERED.keys()), types.MappingProxyType)
_VIEWS: tuple[type, ...] = (
    *KEY_VIEWS,
    *(type(_DICT.values()), type(_DICT.items()), type(_ORDERED.values()), type(_ORDERED.items())),
)
_ITERABLE: tuple[Any, ...] = ([], _DICT, _DICT.values(), _DICT.items(), _ORDERED, collections.deque())
_STEPPERS: frozenset[type] = frozenset(
    [
        *(type(iter(made)) for made in (*_ITERABLE, set(), bytearray(), array.array("b"))),
        *(type(reversed(made)) for made in _ITERABLE),
        *(enumerate, zip, map, filter, reversed),
        *(itertools.chain, itertools.islice, itertools.takewhile, itertools.dropwhile, itertools.filterfalse),
        *(itertools.starmap, itertools.accumulate, itertools.zip_longest, itertools.cycle, itertools.pairwise),
        *(itertools.compress, itertools.groupby),
    ]
)
_THROUGH: frozenset[type] = _STEPPERS.union(_VIEWS)
"""Views and iterators: looking at them is looking at the containers beneath them."""


def beneath(view: Any) -> list[Any]:
    """The containers that a view or an iterator goes through; none once it is exhausted."""
    found: list[Any] = []
    waiting = [view]
    for _ in range(24):
        if not waiting:
            break
        for part in gc.get_referents(waiting.pop()):
            kind = type(part)
            if kind is tuple:
                # An iterator over several keeps their iterators in a tuple; other tuples are its last result.
                waiting.extend(inner for inner in part if type(inner) in _STEPPERS)
            elif kind is _TUPLE_ITERATOR:
                # The arguments of `itertools.chain`.
                for given in gc.get_referents(part):
                    _sort_out(given, waiting, found)
            else:
                _sort_out((part,), waiting, found)
    return found


_TUPLE_ITERATOR = type(iter(()))


def _sort_out(parts: tuple[Any, ...], waiting: list[Any], found: list[Any]) -> None:
    for part in parts:
        kind = type(part)
        if kind in _THROUGH:
            waiting.append(part)
        elif FACTS[kind] is not None and not any(part is seen for seen in found):
            found.append(part)


class Facts:
    """Which operations on instances of a type are done by the C code of a container."""

    def __init__(self, cls: type) -> None:
        mro = mro_of(cls)
        self.through = cls in _THROUGH
        self.base: type | None = next((base for base in mro if base in METHODS), None)
        self.methods: dict[str, Rule | None] = METHODS[self.base] if self.base else {}
        self.indexed = self.base is not None and METHODS[self.base] is _SEQUENCE
        self.factory = self.base is collections.defaultdict
        self.own: dict[str, bool] = {}
        """special method -> whether it is the container's own"""
        self.iterates = self.through or self.is_native(cls, "__iter__")
        self.contains = self.is_native(cls, "__contains__")
        self.compares = self.through or self.is_native(cls, "__eq__")
        self.sized = cls in _VIEWS or (self.is_native(cls, "__len__") and _defined_by(cls, "__bool__") is None)
        self.gets = self.is_native(cls, "__getitem__")
        self.sets = self.is_native(cls, "__setitem__")
        self.deletes = self.is_native(cls, "__delitem__")

    def is_native(self, cls: type, name: str) -> bool:
        """Whether the container's own C code answers, not a method of the program."""
        known = self.own.get(name)
        if known is None:
            known = self.own[name] = self.base is not None and _defined_by(cls, name) in METHODS
        return known

    def rule(self, name: str) -> Rule | None:
        """What a C method of this name does."""
        return self.methods.get(name, READ_ALL)


def _defined_by(cls: type, name: str) -> type | None:
    return next((base for base in mro_of(cls) if name in namespace_of(base)), None)


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Remembered(dict[_Key, _Value]):
    """A table that asks a function about each key when the key is first met."""

    def __init__(self, find: Callable[[_Key], _Value]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: _Key) -> _Value:
        found = self._find(key)
        # Programs may make classes without end; what is in use is found again.
        if len(self) > _MOST_TYPES:
            self.clear()
        self[key] = found
        return found


class _Discoveries:
    """Who is told about every type that rewritten code meets for the first time."""

    def __init__(self) -> None:
        self.tell: Callable[[type], None] = lambda cls: None


DISCOVERIES = _Discoveries()


def _facts(cls: type) -> Facts | None:
    DISCOVERIES.tell(cls)
    return Facts(cls) if cls in _THROUGH or any(base in METHODS for base in mro_of(cls)) else None


FACTS: Remembered[type, Facts | None] = Remembered(_facts)
"""What is known about each type; None for types that are no containers."""

ATOMS = frozenset([str, int, bool, float, complex, bytes, type(None), type(Ellipsis), type, types.FunctionType])
"""Types whose instances are equal only if they look the same."""


def element(facts: Facts, container: Any, key: Any) -> Any:
    """The place that a key names: `Item(key)`, or everything if telling keys apart would run code of the program."""
    kind = type(key)
    if facts.indexed:
        if kind is not int:
            return WHOLE
        return Item(key + facts.base.__len__(container)) if key < 0 else Item(key)  # type: ignore[union-attr]
    return Item(key) if kind in ATOMS or _is_plain(key, kind) else WHOLE


def _is_plain(key: Any, kind: type) -> bool:
    if kind is tuple:
        return all(type(part) in ATOMS for part in key)
    return _defined_by(kind, "__hash__") in (object, enum.Enum) and _defined_by(kind, "__eq__") is object
