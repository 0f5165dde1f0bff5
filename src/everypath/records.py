"""Slotted dataclasses that are cheap to define: a program that runs for half a second must not spend half of it there.

`dataclass`, `field`, `fields`, `replace` and `asdict` mean what they mean in the standard library's module
of that name, for the options that this package uses, and type checkers see that module. The library
generates and compiles source for every class; here a constructor is compiled once for each shape (how many
fields, which of them are made by a factory) and only the names in it differ, and all other methods are shared. Even
that happens when a class is first used, because a run uses half of them. Objects are also built faster, because
the fields are set through their slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter, ge, gt, le, lt
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, fields, replace

_NONE: Any = type("_None", (), {"__repr__": lambda self: "<made by a factory>"})()
"""No default."""


class _Field:
    """One field: how its value is found and which methods look at it."""

    __slots__ = ("compare", "default", "factory", "init", "kw_only", "name", "repr", "type")

    def __init__(self, default: Any, factory: Any, init: bool, repr: bool, compare: bool) -> None:
        self.name = ""
        self.type = ""
        self.kw_only = False
        self.default = default
        self.factory = factory
        self.init = init
        self.repr = repr
        self.compare = compare


def _field(
    *, default: Any = _NONE, default_factory: Any = _NONE, init: bool = True, repr: bool = True, compare: bool = True
) -> Any:
    """`dataclasses.field`."""
    return _Field(default, default_factory, init, repr, compare)


def _dataclass(
    *, slots: bool, frozen: bool = False, order: bool = False, kw_only: bool = False
) -> Callable[[type[Any]], type[Any]]:
    """`dataclasses.dataclass`, with slots always."""
    if not slots:
        raise TypeError("records always have slots")
    return lambda cls: _record(cls, frozen, order, kw_only)


def _record(cls: type[Any], frozen: bool, order: bool, kw_only: bool) -> type[Any]:
    inherited: dict[str, _Field] = {}
    for base in cls.__mro__[-1:0:-1]:
        inherited.update(base.__dict__.get("__record_fields__", ()))
    namespace = dict(cls.__dict__)
    own = [
        _own_field(name, annotation, namespace, kw_only)
        for name, annotation in namespace.get("__annotations__", {}).items()
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar"))
    ]
    declared = {**inherited, **{f.name: f for f in own}}
    for f in own:
        namespace.pop(f.name, None)
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace["__slots__"] = tuple(f.name for f in own if f.name not in inherited)
    namespace["__qualname__"] = cls.__qualname__
    namespace["__record_fields__"] = declared
    namespace["__dataclass_fields__"] = _LIBRARY_FIELDS
    namespace["__dataclass_params__"] = _FROZEN if frozen else _MUTABLE
    namespace.setdefault("__match_args__", tuple(f.name for f in declared.values() if f.init and not f.kw_only))
    namespace.setdefault("__repr__", _repr)
    compared = tuple(f.name for f in declared.values() if f.compare)

    def later(name: str, make: Callable[[], FunctionType]) -> None:
        """A method that, when first called, puts the real one in its place."""

        def first(self: Any, *args: Any, **named: Any) -> Any:
            method = make()
            setattr(made, name, method)
            return method(self, *args, **named)

        namespace[name] = first

    if "__eq__" not in namespace:
        later("__eq__", lambda: _comparers(compared)[0])
    if frozen:
        namespace.update(__setattr__=_no_change, __delattr__=_no_change, __getstate__=_state, __setstate__=_set_state)
    # A class that defines __eq__ gets `__hash__ = None` from Python itself.
    if namespace.get("__hash__") is None:
        namespace["__hash__"] = None
        if frozen:
            later("__hash__", lambda: _comparers(compared)[1])
    if order:
        namespace.update(
            {f"__{test.__name__}__": _comparison(test, attrgetter(*compared)) for test in (lt, le, gt, ge)}
        )
    if "__init__" not in namespace:
        _check_defaults(cls, declared.values())
        later("__init__", lambda: _constructor(made, list(declared.values())))
    made: type[Any] = type(cls.__name__, cls.__bases__, namespace)
    return made


def _check_defaults(cls: type[Any], declared: Iterable[_Field]) -> None:
    optional = [f.default is not _NONE or f.factory is not _NONE for f in declared if f.init and not f.kw_only]
    if optional != sorted(optional):
        raise TypeError(f"{cls.__name__}: a field without a default follows one with a default")


def _own_field(name: str, annotation: str, namespace: dict[str, Any], kw_only: bool) -> _Field:
    found = namespace.get(name, _NONE)
    made = found if isinstance(found, _Field) else _Field(found, _NONE, True, True, True)
    made.name = name
    made.type = annotation
    made.kw_only = kw_only
    return made


_MAKERS: dict[tuple[str, bool], Callable[..., FunctionType]] = {}
"""shape -> makes a constructor of that shape from the setters and factories of the fields"""


def _constructor(cls: type[Any], declared: list[_Field]) -> FunctionType:
    parameters = [f for f in declared if f.init and not f.kw_only]
    keywords = [f for f in declared if f.init and f.kw_only]
    hidden = [f for f in declared if not f.init and f.factory is not _NONE]
    ordered = [*parameters, *keywords, *hidden]
    kinds = "".join("-" if not f.init else "=" if f.factory is _NONE else "*" for f in ordered)
    shape = kinds, hasattr(cls, "__post_init__")
    maker = _MAKERS.get(shape) or _MAKERS.setdefault(shape, _maker(*shape))
    setters = [getattr(cls, f.name).__set__ for f in ordered]
    function = maker(_NONE, *setters, *(f.factory for f in ordered if f.factory is not _NONE))
    names = ("self", *(f.name for f in parameters), *(f.name for f in keywords))
    function.__code__ = function.__code__.replace(
        co_varnames=names, co_argcount=1 + len(parameters), co_kwonlyargcount=len(keywords)
    )
    optional = [f for f in parameters if f.default is not _NONE or f.factory is not _NONE]
    function.__defaults__ = tuple(f.default for f in optional)
    function.__kwdefaults__ = {f.name: f.default for f in keywords if not (f.default is f.factory is _NONE)}
    function.__qualname__ = f"{cls.__qualname__}.__init__"
    return function


def _maker(kinds: str, post_init: bool) -> Callable[..., FunctionType]:
    """Compile the constructors of one shape; `=` takes a value, `*` takes one or makes it, `-` always makes it."""
    parameters = "".join(f", a{i}" for i, kind in enumerate(kinds) if kind != "-")
    values = {
        "=": "set{0}(self, a{0})",
        "*": "set{0}(self, make{0}() if a{0} is none else a{0})",
        "-": "set{0}(self, make{0}())",
    }
    body = [values[kind].format(i) for i, kind in enumerate(kinds)] + ["self.__post_init__()"] * post_init
    outer = ["none", *(f"set{i}" for i in range(len(kinds))), *(f"make{i}" for i, k in enumerate(kinds) if k != "=")]
    lines = [
        f"def maker({', '.join(outer)}):",
        f" def __init__(self{parameters}):",
        *(f"  {line}" for line in body or ["pass"]),
        " return __init__",
    ]
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)
    maker: Callable[..., FunctionType] = scope["maker"]
    return maker


_COMPARERS: dict[int, tuple[FunctionType, FunctionType]] = {}
"""number of compared fields -> __eq__ and __hash__ with stand-ins for their names"""


def _comparers(names: tuple[str, ...]) -> list[FunctionType]:
    """`__eq__` and `__hash__` over these fields."""
    templates = _COMPARERS.get(len(names))
    if templates is None:
        templates = _COMPARERS[len(names)] = _comparer_templates(len(names))
    stand_ins = {f"a{i}": name for i, name in enumerate(names)}
    return [
        FunctionType(
            template.__code__.replace(co_names=tuple(stand_ins.get(n, n) for n in template.__code__.co_names)),
            template.__globals__,
        )
        for template in templates
    ]


def _comparer_templates(count: int) -> tuple[FunctionType, FunctionType]:
    mine = "".join(f"self.a{i}," for i in range(count))
    theirs = "".join(f"other.a{i}," for i in range(count))
    lines = [
        "def __eq__(self, other):",
        " if other.__class__ is self.__class__:",
        f"  return ({mine}) == ({theirs})",
        " return NotImplemented",
        "def __hash__(self):",
        f" return hash(({mine}))",
    ]
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)
    return scope["__eq__"], scope["__hash__"]


def _comparison(test: Callable[[Any, Any], Any], key: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:
            return test(key(self), key(other))
        return NotImplemented

    return compare


def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in self.__record_fields__.values() if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _no_change(self: Any, name: str, *_: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__record_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__record_fields__, state):
        object.__setattr__(self, name, value)


def _fields(record: Any) -> tuple[Any, ...]:
    """`dataclasses.fields`: each has a name, a type and a default."""
    return tuple(record.__record_fields__.values())


def _replace(record: Any, **changes: Any) -> Any:
    """`dataclasses.replace`."""
    for f in record.__record_fields__.values():
        if f.init and f.name not in changes:
            changes[f.name] = getattr(record, f.name)
    return record.__class__(**changes)


def _asdict(record: Any) -> dict[str, Any]:
    """`dataclasses.asdict`."""
    return {name: _plain(getattr(record, name)) for name in record.__record_fields__}


def _plain(value: Any) -> Any:
    if hasattr(value, "__record_fields__"):
        return _asdict(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items()}
    return value


class _LibraryFields:
    """Answers the standard library's own functions, should someone else use them on a record."""

    def __get__(self, _record: Any, owner: Any) -> Any:
        import dataclasses

        specs: list[Any] = []
        for f in owner.__record_fields__.values():
            options: dict[str, Any] = {"init": f.init, "repr": f.repr, "compare": f.compare, "kw_only": f.kw_only}
            if f.default is not _NONE:
                options["default"] = f.default
            if f.factory is not _NONE:
                options["default_factory"] = f.factory
            specs.append((f.name, f.type, dataclasses.field(**options)))
        made: Any = dataclasses.make_dataclass(owner.__name__, specs)
        return made.__dataclass_fields__


_LIBRARY_FIELDS = _LibraryFields()
_FROZEN = SimpleNamespace(frozen=True)
_MUTABLE = SimpleNamespace(frozen=False)

if not TYPE_CHECKING:
    dataclass, field, fields, replace, asdict = _dataclass, _field, _fields, _replace, _asdict

__all__ = ["asdict", "dataclass", "field", "fields", "replace"]
