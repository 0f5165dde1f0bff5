"""Values for type annotations: what a parameter says it takes, as source.

The front end reads annotations in the source and makes types for the solver of them. Here the class has been imported,
so annotations are evaluated: aliases, type variables and classes of any library are the objects themselves.
"""

from __future__ import annotations

import collections.abc
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable, Collection
from typing import Any

from everypath.race.subject.scope import Scope
from everypath.records import dataclass

EMPTY: Any = inspect.Parameter.empty
"""No annotation, or one that says nothing."""

_FUNCTIONS = ("stub_function()", "stub_function('other')", "failing_function")
_TUPLES = ("(1, 2)", "()")
_SIMPLE: dict[str, tuple[str, ...]] = {
    "builtins.int": ("1", "2", "0"),
    "builtins.str": ("'a'", "'b'"),
    "builtins.float": ("1.0", "2.0"),
    "builtins.complex": ("1j",),
    "builtins.bool": ("True", "False"),
    "builtins.bytes": ("b'a'", "b'b'"),
    "builtins.bytearray": ("bytearray(b'a')",),
    "builtins.memoryview": ("memoryview(b'a')",),
    "builtins.range": ("range(2)",),
    "builtins.slice": ("slice(0, 1)",),
    "builtins.tuple": _TUPLES,
    "builtins.type": ("int",),
    "builtins.NoneType": ("None",),
    **dict.fromkeys(("builtins.BaseException", "builtins.Exception"), ("ValueError('a')",)),
    **dict.fromkeys(("builtins.function", "types.FunctionType"), ("stub_function()",)),
    "collections.abc.Callable": _FUNCTIONS,
    "datetime.datetime": ("datetime.datetime(2024, 1, 1)", "datetime.datetime(2024, 1, 2)"),
    "datetime.date": ("datetime.date(2024, 1, 1)", "datetime.date(2024, 1, 2)"),
    "datetime.time": ("datetime.time(12)",),
    "datetime.timedelta": ("datetime.timedelta(seconds=60)", "datetime.timedelta(seconds=1)"),
    "decimal.Decimal": ("decimal.Decimal(1)", "decimal.Decimal(2)"),
    "fractions.Fraction": ("fractions.Fraction(1)", "fractions.Fraction(2)"),
    **dict.fromkeys(("numbers.Number", "numbers.Real", "numbers.Integral"), ("1", "2")),
    "uuid.UUID": ("uuid.UUID(int=1)", "uuid.UUID(int=2)"),
    **dict.fromkeys(("pathlib.Path", "os.PathLike"), ("pathlib.Path('a')",)),
    "re.Pattern": ("re.compile('a')",),
    "logging.Logger": ("logging.getLogger('a')",),
    "random.Random": ("random.Random(0)",),
    **dict.fromkeys(("io.StringIO", "typing.IO", "typing.TextIO"), ("io.StringIO()",)),
    **dict.fromkeys(("io.BytesIO", "typing.BinaryIO"), ("io.BytesIO()",)),
    "_thread.lock": ("threading.Lock()",),
    "_thread.RLock": ("threading.RLock()",),
    "threading.Condition": ("threading.Condition()",),
    "threading.Event": ("threading.Event()",),
    "threading.Semaphore": ("threading.Semaphore(2)",),
    "threading.BoundedSemaphore": ("threading.BoundedSemaphore(2)",),
    "queue.Queue": ("queue.Queue()",),
}
"""Classes whose values are written out; `module.name`."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """Makes sources from annotations."""

    _scope: Scope
    _subject: type[Any]
    _make: Callable[[type[Any], int], list[str]]
    """constructs an object of a class, by trial"""

    def resolve(self, function: Any, home: type[Any] | None = None) -> dict[str, Any]:
        """The annotations of a function as objects; those that cannot be evaluated are left out."""
        function = inspect.unwrap(function) if callable(function) else function
        try:
            raw = dict(getattr(function, "__annotations__", None) or {})
        except Exception:  # evaluated on demand by newer versions, with names that exist for type checkers only
            return {}
        scope = dict(vars(typing)) | dict(vars(collections.abc))
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        scope |= getattr(function, "__globals__", None) or (vars(module) if module else {})
        for known in (self._subject, home):
            if known is not None:
                scope = vars_of(known) | scope | {known.__name__: known}
        return {name: self._evaluated(annotation, scope) for name, annotation in raw.items()}

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

    def _evaluated(self, annotation: Any, scope: dict[str, Any]) -> Any:
        if isinstance(annotation, typing.ForwardRef):
            annotation = annotation.__forward_arg__
        if not isinstance(annotation, str):
            return annotation
        try:
            return eval(annotation, dict(scope))
        except Exception:  # an annotation may be any expression, and names may exist for type checkers only
            return EMPTY

    def values(self, annotation: Any, depth: int = 2) -> list[str]:
        """Sources of values that the annotation allows, the plainest first."""
        found: list[str] = []
        for source in self._values(annotation, depth):
            if source not in found and self._scope.usable(source):
                found.append(source)
        return found

    def _values(self, annotation: Any, depth: int) -> list[str]:
        if isinstance(annotation, (typing.ForwardRef, str)):
            annotation = self._evaluated(annotation, vars_of(self._subject) | {self._subject.__name__: self._subject})
        if annotation is None:
            return ["None"]
        if says_nothing(annotation):
            return []
        if annotation is getattr(typing, "Self", EMPTY) or annotation is self._subject:
            return ["sut"]
        if isinstance(annotation, typing.TypeVar):
            return self._of_variable(annotation, depth)
        origin = typing.get_origin(annotation)
        if origin is not None:
            return self._of_generic(origin, typing.get_args(annotation), depth)
        supertype = getattr(annotation, "__supertype__", None)
        if supertype is not None:
            return self._values(supertype, depth)
        return self._of_class(annotation, depth) if isinstance(annotation, type) else []

    def _of_variable(self, variable: typing.TypeVar, depth: int) -> list[str]:
        if variable.__constraints__:
            return self._values(variable.__constraints__[0], depth)
        if variable.__bound__ is not None and (bound := self._values(variable.__bound__, depth)):
            return bound
        return ["'a'", "'b'"] if variable.__name__.upper().strip("_").startswith("K") else []

    def _of_generic(self, origin: Any, arguments: tuple[Any, ...], depth: int) -> list[str]:
        if origin in (typing.Union, types.UnionType):
            return self._of_union(arguments, depth)
        if origin is typing.Literal:
            return [repr(argument) for argument in arguments if not isinstance(argument, enum.Enum)]
        if origin in (typing.Annotated, typing.ClassVar, typing.Final) or str(origin).startswith("typing.Required"):
            return self._values(arguments[0], depth)
        if origin is type:
            named = self._scope.refer(arguments[0]) if arguments and isinstance(arguments[0], type) else "int"
            return [named] if named else []
        if origin is collections.abc.Callable:
            return self._of_callable(arguments)
        if origin is tuple:
            return self._of_tuple(arguments, depth)
        if isinstance(origin, type) and depth >= 0:
            return self._of_container(origin, arguments, depth) or self._of_class(origin, depth)
        return []

    def _of_union(self, arguments: tuple[Any, ...], depth: int) -> list[str]:
        pools = [self._values(argument, depth) for argument in arguments if argument is not type(None)]
        longest = max((len(pool) for pool in pools), default=0)
        # The first member's values first: two values of one kind matter more than one of each kind.
        found = [*(pools[0] if pools else []), *(p[i] for i in range(longest) for p in pools[1:] if i < len(p))]
        found.sort(key=lambda source: source == "stub_object()")
        return [*found, "None"] if type(None) in arguments else found

    def _of_callable(self, arguments: tuple[Any, ...]) -> list[str]:
        result = arguments[-1] if arguments else Any
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

    def _of_tuple(self, arguments: tuple[Any, ...], depth: int) -> list[str]:
        if not arguments or arguments == ((),):
            return list(_TUPLES)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return [f"({value},)" for value in self._elements(arguments[0], depth, ["1"])[:2]]
        pools = [self._elements(argument, depth, ["1", "2"]) for argument in arguments]
        chosen = [", ".join(pool[min(i, len(pool) - 1)] for pool in pools) for i in range(2)]
        return [f"({shown},)" if len(pools) == 1 else f"({shown})" for shown in chosen]

    def _elements(self, annotation: Any, depth: int, otherwise: list[str]) -> list[str]:
        return self.values(annotation, depth - 1) or otherwise

    def _of_container(self, origin: type[Any], arguments: tuple[Any, ...], depth: int) -> list[str]:
        """Values for the types of collections; nothing for any other class."""
        if origin.__module__ not in ("builtins", "collections", "collections.abc"):
            return []
        # What can be iterated only has no useful mapping form, so the most special kinds are asked first.
        if issubclass(origin, collections.abc.Mapping):
            return self._of_mapping(origin, arguments, depth)
        elements = self._elements(arguments[0] if arguments else EMPTY, depth, ["3", "1", "2"])
        listed = ", ".join(elements[:3])
        if origin is frozenset:
            return [f"frozenset({{{listed}}})", "frozenset()"]
        if issubclass(origin, collections.abc.Set):
            return [f"{{{listed}}}", "set()"]
        if origin is collections.deque:
            return [f"collections.deque([{listed}])", "collections.deque()"]
        if origin in (collections.abc.Iterator, collections.abc.Generator):
            return [f"iter([{listed}])"]
        return [f"[{listed}]", f"[{elements[0]}]", "[]"] if issubclass(list, origin) else []

    def _of_mapping(self, origin: type[Any], arguments: tuple[Any, ...], depth: int) -> list[str]:
        if origin is collections.Counter:
            return ["collections.Counter('aab')", "collections.Counter()"]
        known = len(arguments) == 2
        keys = self._elements(arguments[0], depth, ["'a'", "'b'"]) if known else ["'a'", "'b'"]
        values = self._elements(arguments[1], depth, ["1", "2"]) if known else ["1", "2"]
        pairs = [f"{key}: {values[i % len(values)]}" for i, key in enumerate(keys[:2])]
        full, one = f"{{{', '.join(pairs)}}}", f"{{{pairs[0]}}}"
        if origin is collections.OrderedDict:
            return [f"collections.OrderedDict({full})"]
        if origin is collections.defaultdict:
            return [f"collections.defaultdict(int, {full})"]
        return [full, one, "{}"] if issubclass(dict, origin) else []

    def _of_class(self, annotation: type[Any], depth: int) -> list[str]:
        # Newer versions keep classes in private parts of a package and show them in the package.
        simple = _SIMPLE.get(f"{annotation.__module__.partition('._')[0]}.{annotation.__qualname__}")
        if simple is not None:
            return list(simple)
        if contained := self._of_container(annotation, (), depth):
            return contained
        if issubclass(annotation, enum.Enum):
            cls = self._scope.refer(annotation)
            return [f"{cls}.{member.name}" for member in list(annotation)[:3]] if cls else []
        name = annotation.__name__.lower()
        if "lock" in name and annotation.__module__.partition(".")[0] in ("_thread", "everypath"):
            return ["threading.RLock()" if "rlock" in name else "threading.Lock()"]
        if annotation in self._subject.__mro__:
            return ["sut"]
        return self._make(annotation, depth - 1) if depth > 0 else []


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


def says_nothing(annotation: Any) -> bool:
    """Whether the annotation allows everything."""
    return annotation is EMPTY or annotation is Any or annotation is object or annotation is collections.abc.Hashable


def vars_of(cls: type[Any]) -> dict[str, Any]:
    """The names of the module that defines a class."""
    module = sys.modules.get(cls.__module__)
    return dict(vars(module)) if module else {}


def accepts(annotation: Any, value: Any) -> bool:
    """Whether a value is, at a first look, what the annotation allows."""
    if isinstance(annotation, (str, typing.ForwardRef)) or says_nothing(annotation):
        return True
    if annotation is None:
        return value is None
    if isinstance(annotation, typing.TypeVar):
        if annotation.__constraints__:
            return any(accepts(c, value) for c in annotation.__constraints__)
        return annotation.__bound__ is None or accepts(annotation.__bound__, value)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(accepts(argument, value) for argument in arguments)
    if origin is typing.Literal:
        return value in arguments
    if origin is typing.Annotated:
        return accepts(arguments[0], value)
    if origin is not None:
        # The elements may be wrong, so only an exact list of candidates made from the annotation will do.
        return False
    if annotation is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if annotation is int:
        return isinstance(value, int) and not isinstance(value, bool)
    try:
        return isinstance(value, annotation)
    except TypeError:
        return False
