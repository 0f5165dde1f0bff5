"""Values for type annotations: what a parameter says it takes, as source."""

from __future__ import annotations

import collections.abc
import enum
import sys
import typing
from collections.abc import Callable, Collection
from typing import Any

from everypath.languages.python.parameters import hints
from everypath.languages.python.parameters.hints import EMPTY, read, says_nothing
from everypath.languages.python.parameters.samples import samples_of
from everypath.race.subject.scope import Scope
from everypath.records import dataclass

_FUNCTIONS = ("stub_function()", "stub_function('other')", "failing_function")
_TUPLES = ("(1, 2)", "()")
_OBJECTS = 2
"""How many objects of a library class are used: enough to tell the same one from another."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """Makes sources from annotations."""

    _scope: Scope
    _subject: type[Any]
    _make: Callable[[type[Any], int], list[str]]
    """constructs an object of a class, by trial"""

    @staticmethod
    def _names(cls: type[Any]) -> dict[str, Any]:
        """What an annotation in a class may name."""
        module = sys.modules.get(cls.__module__)
        return {**(vars(module) if module else {}), cls.__name__: cls}

    def resolve(self, function: Any, home: type[Any] | None = None) -> dict[str, Any]:
        """The annotations of a function as objects; EMPTY for those that cannot be evaluated."""
        names: dict[str, Any] = {}
        for known in (self._subject, home):
            names |= {} if known is None else self._names(known)
        return hints.evaluated(function, names)

    def made_for(self, name: str, members: Collection[str]) -> list[str]:
        """Objects of the program's own classes that have all these members, or else are called like the parameter."""
        wanted = name.replace("_", "").lower()
        for cls in self._scope.classes():
            if cls is self._subject or issubclass(cls, (enum.Enum, BaseException, type)):
                continue
            named = cls.__name__.lower() == wanted
            if (members and all(hasattr(cls, each) for each in members)) or (named and not members):
                made = [source for source in self._make(cls, 1) if source != "stub_object()"]
                if made:
                    return made
        return []

    def own_objects(self, annotation: Any) -> list[str]:
        """Objects of those classes of the program that the annotation admits."""
        admitted = typing.get_args(annotation) or (annotation,)
        own = [cls for cls in admitted if cls in self._scope.classes() and cls is not self._subject]
        return [source for cls in own for source in self.values(cls) if source != "stub_object()"]

    def values(self, annotation: Any, depth: int = 2) -> list[str]:
        """Sources of values that the annotation allows, the plainest first."""
        found: list[str] = []
        for source in self._values(annotation, depth):
            if source not in found and self._scope.usable(source):
                found.append(source)
        return found

    def _values(self, annotation: Any, depth: int) -> list[str]:
        if annotation is typing.Self:
            return ["sut"]
        match read(annotation, lambda text: hints.evaluate(text, self._names(self._subject))):
            case hints.Anything(variable):
                return ["'a'", "'b'"] if variable.upper().strip("_").startswith("K") else []
            case hints.Constants(values):
                return [repr(value) for value in values]
            case hints.Choice(members, lasting):
                return self._values(members[0], depth) if lasting else self._of_union(members, depth)
            case hints.ClassBelow(base):
                named = self._scope.refer(base) if isinstance(base, type) and base is not object else "int"
                return [named] if named else []
            case hints.Function(result):
                return self._of_callable(result)
            case hints.Row(items, repeated):
                return self._of_tuple(items, repeated, depth)
            case hints.Collection(_, kind, arguments):
                return self._of_collection(kind, arguments, depth) if depth >= 0 or not arguments else []
            case hints.Instance(cls, arguments):
                return self._of_class(cls, arguments, depth) if depth >= 0 or not arguments else []

    def _of_union(self, arguments: tuple[Any, ...], depth: int) -> list[str]:
        pools = [self._values(argument, depth) for argument in arguments if argument is not type(None)]
        longest = max((len(pool) for pool in pools), default=0)
        # The first member's values first: two values of one kind matter more than one of each kind.
        found = [*(pools[0] if pools else []), *(p[i] for i in range(longest) for p in pools[1:] if i < len(p))]
        found.sort(key=lambda source: source == "stub_object()")
        return [*found, "None"] if type(None) in arguments else found

    def _of_callable(self, result: Any) -> list[str]:
        if result in (int, float):
            return ["counting_function()", "stub_function()"]
        if result is bool:
            return ["lambda *args: True", "lambda *args: False"]
        if result is None or result is type(None):
            return ["callback", "other_callback", "failing_function"]
        if result is str or says_nothing(result) or isinstance(result, typing.TypeVar):
            return list(_FUNCTIONS)
        made = self.values(result, 1)
        return [f"lambda *args: {source}" for source in made[:2]] or ["stub_function()"]

    def _of_tuple(self, items: tuple[Any, ...], repeated: bool, depth: int) -> list[str]:
        if not items:
            return list(_TUPLES)
        if repeated:
            return [f"({value},)" for value in self._elements(items[0], depth, ["1"])[:2]]
        pools = [self._elements(item, depth, ["1", "2"]) for item in items]
        chosen = [", ".join(pool[min(i, len(pool) - 1)] for pool in pools) for i in range(2)]
        return [f"({shown},)" if len(pools) == 1 else f"({shown})" for shown in chosen]

    def _elements(self, annotation: Any, depth: int, otherwise: list[str]) -> list[str]:
        return self.values(annotation, depth - 1) or otherwise

    def _of_collection(self, kind: str, arguments: tuple[Any, ...], depth: int) -> list[str]:
        if kind == "dict":
            return self._of_mapping(arguments, depth)
        elements = self._elements(arguments[0] if arguments else EMPTY, depth, ["3", "1", "2"])
        listed = ", ".join(elements[:3])
        made = {
            "frozenset": [f"frozenset({{{listed}}})", "frozenset()"],
            "set": [f"{{{listed}}}", "set()"],
            "iterator": [f"iter([{listed}])"],
            "list": [f"[{listed}]", f"[{elements[0]}]", "[]"],
        }
        return made[kind]

    def _of_mapping(self, arguments: tuple[Any, ...], depth: int) -> list[str]:
        key, value = arguments if len(arguments) == 2 else (EMPTY, EMPTY)
        keys = self._elements(key, depth, ["'a'", "'b'"])
        values = self._elements(value, depth, ["1", "2"])
        pairs = [f"{key}: {values[i % len(values)]}" for i, key in enumerate(keys[:2])]
        return [f"{{{', '.join(pairs)}}}", f"{{{pairs[0]}}}", "{}"]

    def _of_library_collection(self, cls: type[Any], arguments: tuple[Any, ...], depth: int) -> list[str]:
        """Values for the collections that no literal gives, made from one."""
        if cls is collections.deque:
            return [f"collections.deque({self._of_collection('list', arguments, depth)[0]})", "collections.deque()"]
        if cls is collections.Counter:
            return ["collections.Counter('aab')", "collections.Counter()"]
        if cls is collections.OrderedDict:
            return [f"collections.OrderedDict({self._of_mapping(arguments, depth)[0]})"]
        if cls is collections.defaultdict:
            return [f"collections.defaultdict(int, {self._of_mapping(arguments, depth)[0]})"]
        return []

    def _of_class(self, cls: type[Any], arguments: tuple[Any, ...], depth: int) -> list[str]:
        if cls is self._subject:
            return ["sut"]
        if made := self._of_library_collection(cls, arguments, depth) or self._known(cls):
            return made
        if issubclass(cls, enum.Enum):
            named = self._scope.refer(cls)
            return [f"{named}.{member.name}" for member in list(cls)[:3]] if named else []
        name = cls.__name__.lower()
        if "lock" in name and cls.__module__.partition(".")[0] in ("_thread", "everypath"):
            return ["threading.RLock()" if "rlock" in name else "threading.Lock()"]
        if cls in (BaseException, Exception):
            return ["ValueError('a')"]
        if cls in self._subject.__mro__:
            return ["sut"]
        return self._make(cls, depth - 1) if depth > 0 else []

    def _known(self, cls: type[Any]) -> list[str]:
        """Objects of a well-known class, as far as they can be written here."""
        known = samples_of(cls)
        if known is None:
            return []
        usable = [source for source in known.all if self._scope.usable(source)]
        return usable[:_OBJECTS] if known.module else usable


def element_hints(cls: type[Any]) -> dict[str, Any]:
    """What a collection says about its elements: `class Groups(dict[str, list[str]])`; by names of parameters."""
    for base in cls.__mro__:
        for generic in vars(base).get("__orig_bases__", ()):
            origin, arguments = typing.get_origin(generic), typing.get_args(generic)
            if not isinstance(origin, type) or any(isinstance(a, typing.TypeVar) for a in arguments):
                continue
            if issubclass(origin, collections.abc.Mapping) and len(arguments) == 2:
                key, value = arguments
                return {"key": key, "value": value, "default": value, "mapping": dict[key, value]}  # type: ignore[valid-type]
            if issubclass(origin, (collections.abc.Collection, collections.UserList)) and len(arguments) == 1:
                return {"value": arguments[0], "iterable": list[arguments[0]]}  # type: ignore[valid-type]
    return {}


def accepts(annotation: Any, value: Any) -> bool:
    """Whether a value is, at a first look, what the annotation allows."""
    match read(annotation):
        case hints.Anything():
            return True
        case hints.Constants(values):
            return value in values
        case hints.Choice(members):
            return any(accepts(member, value) for member in members)
        case hints.Instance(cls, ()) if cls in (int, float):
            return isinstance(value, (int, cls)) and not isinstance(value, bool)
        case hints.Instance(cls, ()) | hints.Collection(cls, _, ()):
            # A protocol may refuse to be asked.
            return not getattr(cls, "_is_protocol", False) and isinstance(value, cls)
        case hints.Row(()):
            return isinstance(value, tuple)
    # The elements may be wrong, so only an exact list of candidates made from the annotation will do.
    return False
