"""The hooks of calls: what C code does to the containers it is given, and that it came back."""

from __future__ import annotations

import bisect
import builtins
import collections
import copy
import functools
import heapq
import itertools
import random
import sys
import types
import warnings
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from everypath.concurrency.access import WHOLE
from everypath.race.control.handed_in import next_round
from everypath.race.events import READ, UPDATE, WRITE
from everypath.race.observe.accesses import NAME, Accesses
from everypath.race.observe.attributes import INSTANCE, LOADS, classify_raw_store, find, is_python_class
from everypath.race.observe.containers import FACTS, READ_ALL, Facts, beneath, element
from everypath.race.observe.repeating import announcing_rounds
from everypath.race.running import CALL_FILE

_BOUND_SLOT, _SLOT = types.MethodWrapperType, types.WrapperDescriptorType
_METHOD = types.MethodDescriptorType


def _identities(*things: Any) -> dict[int, Any]:
    """The things by their identities, because comparing or hashing one may run its own code."""
    return {id(thing): thing for thing in things}


_LOOKS_AT_FRAMES = _identities(
    *(builtins.locals, builtins.globals, builtins.eval, builtins.exec, builtins.dir, builtins.breakpoint),
    *(sys._getframe, getattr(sys, "_getframemodulename", None), warnings.warn, super),
)
"""Functions that the program itself must call, because they look at their caller."""
_FRAME_MODULES = frozenset("inspect logging warnings traceback typing enum collections dataclasses pdb doctest".split())
"""Modules whose functions may look at their caller."""

_READS_NOTHING = _identities(
    *(isinstance, issubclass, id, callable, hash, iter, type, object, enumerate, zip, map, filter, reversed),
    *(range, slice, int, float, complex, property, classmethod, staticmethod, functools.partial),
    *(weakref.ref, weakref.proxy, setattr, getattr, hasattr, delattr, next, vars, types.MethodType),
    *(itertools.chain, itertools.islice, itertools.cycle, itertools.repeat, itertools.starmap, itertools.count),
    *(itertools.takewhile, itertools.dropwhile, itertools.accumulate, itertools.zip_longest, itertools.pairwise),
    *(itertools.filterfalse, itertools.compress, itertools.groupby, itertools.tee, sys.getsizeof, sys.getrefcount),
)
_CHANGES_FIRST = _identities(
    *(heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop),
    *(bisect.insort, bisect.insort_left, bisect.insort_right, getattr(collections, "_count_elements", None)),
)
_SHUFFLES = (random.Random.shuffle,)
_COUNTERS = (itertools.count, itertools.cycle)


class Hooks(Accesses):
    """Everything that rewritten code calls."""

    def call(self, function: Any, site: int) -> Any:
        """`function(...)` follows."""
        if self.monitor.current is None:
            return function
        kind = type(function)
        inner = function.__func__ if kind is MethodType else function
        if type(inner) is FunctionType:
            names = inner.__code__.co_names
            if names and names[0] == NAME:
                # Rewritten code begins with a hook, so this is its first name, and it announces what it does itself.
                return function
            return self._foreign_function(function, inner, site)
        if kind is BuiltinFunctionType:
            if id(function) in _LOOKS_AT_FRAMES:
                return self._called_by_the_program(function)
            return functools.partial(self._builtin, function, site)
        if issubclass(kind, type):
            return self._class(function, site)
        if kind is _BOUND_SLOT:
            return functools.partial(self._bound_slot, function, site)
        if kind is _SLOT or kind is _METHOD:
            return functools.partial(self._unbound, function, site)
        if kind is functools.partial:
            return functools.partial(self.call(function.func, site), *function.args, **function.keywords)
        if find(kind, "__call__")[0] is not None and is_python_class(kind):
            return function
        return functools.partial(self._native, function, site)

    def call_simply(self, function: Any, site: int) -> Any:
        """`function(...)` follows, with arguments whose evaluation does nothing, so that it can be noted early."""
        if self.monitor.current is not None and id(function) in _SILENT:
            self.monitor.native_returned()
            return function
        return self.call(function, site)

    def _called_by_the_program(self, function: Any) -> Any:
        self.monitor.native_returned()
        return function

    def _foreign_function(self, function: Any, inner: FunctionType, site: int) -> Any:
        """What to call in place of a Python function that is not rewritten."""
        module = inner.__module__
        # Of `collections` only functions such as `namedtuple` look at their caller, not the methods of its classes.
        if module in _FRAME_MODULES and not (module == "collections" and function is not inner):
            return self._called_by_the_program(function)
        if function is not inner and (rounds := announcing_rounds(inner)) is not None:
            function = MethodType(rounds, function.__self__)
        return functools.partial(self._native, function, site)

    def next_round(self) -> None:
        """A method that only repeats an operation does it; the call under way is divided if it is this method."""
        if self.monitor.current is not None:
            caller = sys._getframe(2)
            if caller.f_code is _NATIVE and caller.f_back is not None:
                caller = caller.f_back
            if caller.f_code.co_filename == CALL_FILE:
                next_round()

    def _class(self, cls: type, site: int) -> Any:
        if id(cls) in _LOOKS_AT_FRAMES or type(cls).__module__ in _FRAME_MODULES or cls.__module__ == "typing":
            return self._called_by_the_program(cls)
        _, start = find(cls, "__init__")
        if type(start) is FunctionType and start.__code__.co_names[:1] == (NAME,):
            return functools.partial(self._silent, cls)
        return functools.partial(self._native, cls, site)

    # Each runs the call: announced before, and noted when it is back.

    def _silent(self, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
        result = function(*args, **keywords)
        self.monitor.native_returned()
        return result

    def _native(self, function: Callable[..., Any], site: int, /, *args: Any, **keywords: Any) -> Any:
        if self.monitor.current is not None and id(function) not in _READS_NOTHING:
            self._read_arguments(site, args, keywords)
            if id(function) in _COPIES and args:
                self._copied(args[0], site)
            elif type(function) is MethodType:
                if function.__func__ in _SHUFFLES and args:
                    self._change(args[0], site)
                self._change(function.__self__, site)
        result = function(*args, **keywords)
        self.monitor.native_returned()
        return result

    def _builtin(self, function: Any, site: int, /, *args: Any, **keywords: Any) -> Any:
        if self.monitor.current is not None:
            owner = function.__self__
            facts = FACTS[type(owner)]
            if facts is not None and not facts.through:
                self._container_method(facts, owner, function.__name__, site, args, keywords)
            elif owner is None or type(owner) is ModuleType:
                special = _SPECIAL.get(id(function))
                if special is not None:
                    if args:
                        special(self, args, site)
                elif id(function) in _CHANGES_FIRST:
                    self._read_arguments(site, args[1:], keywords)
                    if args:
                        self._change(args[0], site)
                elif id(function) not in _READS_NOTHING:
                    self._read_arguments(site, args, keywords)
            else:
                self._method(owner, function.__name__, site, args, keywords)
        result = function(*args, **keywords)
        self.monitor.native_returned()
        return result

    def _bound_slot(self, function: Any, site: int, /, *args: Any, **keywords: Any) -> Any:
        if self.monitor.current is not None:
            self._method(function.__self__, function.__name__, site, args, keywords)
        result = function(*args, **keywords)
        self.monitor.native_returned()
        return result

    def _unbound(self, function: Any, site: int, /, *args: Any, **keywords: Any) -> Any:
        if self.monitor.current is not None and args and issubclass(type(args[0]), function.__objclass__):
            self._method(args[0], function.__name__, site, args[1:], keywords)
        result = function(*args, **keywords)
        self.monitor.native_returned()
        return result

    # What they do to memory.

    def _read_arguments(self, site: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        for value in args:
            if FACTS[type(value)] is not None:
                self.read_whole(value, site)
        for value in keywords.values():
            if FACTS[type(value)] is not None:
                self.read_whole(value, site)

    def _change(self, container: Any, site: int) -> None:
        if FACTS[type(container)] is not None:
            self.touch(UPDATE, site, container, WHOLE)

    def _copied(self, obj: Any, site: int) -> None:
        """Announce that `copy.copy` and its like look at all attributes."""
        if FACTS[type(obj)] is None and is_python_class(type(obj)) and not issubclass(type(obj), type):
            self.monitor.access(READ, site, obj, WHOLE)

    def _method(self, owner: Any, name: str, site: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Announce what a C method does to its owner."""
        raw = _RAW.get(name)
        if raw is not None:
            if args and type(args[0]) is str:
                self._raw_attribute(raw, owner, args[0], site)
            return
        facts = FACTS[type(owner)]
        if facts is None:
            if name == "__next__":
                self._next((owner,), site)
            else:
                self._read_arguments(site, args, keywords)
        elif facts.through:
            if name not in ("__iter__", "__reversed__", "__length_hint__", "__class_getitem__"):
                self.read_whole(owner, site)
                self._read_arguments(site, args, keywords)
        else:
            self._container_method(facts, owner, name, site, args, keywords)

    def _container_method(
        self, facts: Facts, owner: Any, name: str, site: int, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> None:
        rule = facts.methods.get(name, READ_ALL)
        if rule is None:
            return
        if rule.reads:
            self._read_arguments(site, args, keywords)
        self.touch(rule.kind, site, owner, element(facts, owner, args[0]) if rule.one and args else WHOLE)

    def _raw_attribute(self, kind: int, obj: Any, name: str, site: int) -> None:
        """`object.__setattr__(obj, name, ...)` and its like, past the methods of the class."""
        if issubclass(type(obj), type):
            self.monitor.access(kind, site, obj, name)
        elif kind == READ:
            if name == "__dict__":
                self.remember_namespace(obj)
            elif find(type(obj), name)[0] is None or LOADS[type(obj)][name] == INSTANCE:
                self.monitor.access(READ, site, obj, name)
        elif classify_raw_store(type(obj), name):
            self.monitor.access(kind, site, obj, name)

    # Functions of the interpreter with a meaning of their own.

    def _get(self, args: tuple[Any, ...], site: int) -> None:
        if len(args) >= 2 and type(args[1]) is str:
            self.load(args[0], args[1], site)

    def _set(self, args: tuple[Any, ...], site: int) -> None:
        if len(args) == 3 and type(args[1]) is str:
            self.change_attribute(WRITE, args[0], args[1], site)

    def _delete(self, args: tuple[Any, ...], site: int) -> None:
        if len(args) == 2 and type(args[1]) is str:
            self.change_attribute(UPDATE, args[0], args[1], site)

    def _next(self, args: tuple[Any, ...], site: int) -> None:
        facts = FACTS[type(args[0])]
        through = facts is not None and facts.through
        if through:
            for container in beneath(args[0]):
                self.touch(READ, site, container, WHOLE)
        if through or type(args[0]) in _COUNTERS:
            # The iterator itself may be shared, and moves on.
            self.monitor.access(UPDATE, site, args[0], WHOLE)


_NATIVE = Hooks._native.__code__
_COPIES = _identities(copy.copy, copy.deepcopy)
_RAW = {"__getattribute__": READ, "__setattr__": WRITE, "__delattr__": UPDATE}
_SPECIAL: dict[int, Callable[[Hooks, tuple[Any, ...], int], object]] = {
    id(getattr): Hooks._get,
    id(hasattr): Hooks._get,
    id(setattr): Hooks._set,
    id(delattr): Hooks._delete,
    id(vars): lambda hooks, args, site: hooks.load(args[0], "__dict__", site),
    id(len): lambda hooks, args, site: hooks.truth(args[0], site),
    id(next): Hooks._next,
}
_SILENT = {identity: thing for identity, thing in _READS_NOTHING.items() if identity not in _SPECIAL}
