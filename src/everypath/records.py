"""Slotted dataclasses that are cheap to define: a program that runs for half a second must not spend half of it there.

`dataclass`, `field`, `fields`, `replace` and `asdict` mean what they mean in the standard library's module
of that name, for the options that this package uses, and type checkers see that module. The library
generates and compiles source for every class; here a method is compiled when it is first called, and a constructor
when it is called often: a run makes one or two objects of most classes.

`msgspec.Struct` was measured in its place (msgspec 0.22, CPython 3.11): it makes an object of three fields in 62
instead of 257 ns, compares two in 27 instead of 136 ns, hashes one in 44 instead of 130 ns, and declares 300 classes in
5.4 instead of 6.5 ms, but takes 33 ms to import. A whole `everypath generate` took as long with either (CPU time of
`examples/triangle.py` 0.41 and 0.43 s, of `examples/papers/rem_all.py --heap lazy --loops 3` 0.97 and 0.93 s), and
structs know neither constructors of their own nor fields that are not compared.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, fields, replace

_FEW = 40
"""Calls of a method that are not worth compiling it: that takes as long as some fifty calls of the general one."""
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

    @property
    def optional(self) -> bool:
        """Whether a constructor can do without a value."""
        return self.default is not _NONE or self.factory is not _NONE


def _field(
    *, default: Any = _NONE, default_factory: Any = _NONE, init: bool = True, repr: bool = True, compare: bool = True
) -> Any:
    """`dataclasses.field`."""
    return _Field(default, default_factory, init, repr, compare)


def _dataclass(
    *, slots: bool, frozen: bool = False, order: bool = False, kw_only: bool = False, eq: bool = True
) -> Callable[[type[Any]], type[Any]]:
    """`dataclasses.dataclass`, with slots always."""
    if not slots:
        raise TypeError("records always have slots")
    return lambda cls: _record(cls, frozen, order, kw_only, eq)


def _record(cls: type[Any], frozen: bool, order: bool, kw_only: bool, eq: bool) -> type[Any]:
    namespace = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    own = _own_fields(namespace, kw_only)
    slots, declared = tuple(own), own
    if cls.__base__ is not object or len(cls.__bases__) > 1:
        inherited: dict[str, _Field] = {}
        for base in cls.__mro__[-1:0:-1]:
            inherited.update(base.__dict__.get("__record_fields__", ()))
        slots, declared = tuple([name for name in own if name not in inherited]), inherited | own
    namespace.update(
        __slots__=slots,
        __qualname__=cls.__qualname__,
        __record_fields__=declared,
        __dataclass_fields__=_LIBRARY_FIELDS,
        __dataclass_params__=_FROZEN if frozen else _MUTABLE,
    )
    if frozen:
        namespace.update(__setattr__=_no_change, __delattr__=_no_change, __getstate__=_state, __setstate__=_set_state)

    few, calls = iter(range(_FEW)), iter(range(_FEW))
    compared = [name for name, f in declared.items() if f.compare]

    def values(self: Any) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in compared])

    def later(name: str, source: Callable[[type[Any]], _Source], general: Callable[..., Any]) -> Callable[..., Any]:
        """A method that is general a few times, and then compiled: a run uses a sixth of what it declares."""
        return lambda self, *args: (_compiled(made, name, source) if next(calls, None) is None else general)(
            self, *args
        )

    def construct(self: Any, *args: Any, **named: Any) -> None:
        """Sets the fields one by one, a few times; from then on, and for calls that are wrong, compiled."""
        if next(few, None) is None or not _set_fields(self, declared, args, named):
            _compiled(made, "__init__", _init)(self, *args, **named)

    # Where a class defines `__eq__`, Python itself has put `__hash__ = None` there.
    hashed = namespace.pop("__hash__", None) or (
        later("__hash__", _hash, lambda self: hash(values(self))) if frozen else None
    )
    if eq or hashed:
        namespace["__hash__"] = hashed
    defaults = {
        "__match_args__": _positional(cls.__name__, declared),
        "__repr__": _repr,
        "__init__": construct,
    }
    signs = (_EQUAL if eq else {}) | (_ORDER if order else {})
    for name, sign in signs.items():
        defaults[name] = later(name, _comparison(name, sign), _compares(values, getattr(operator, name)))
    defaults.update(namespace)
    made: type[Any] = type(cls.__name__, cls.__bases__, defaults)
    return made


def _compiled(cls: type[Any], name: str, source: Callable[[type[Any]], _Source]) -> Callable[..., Any]:
    """Compile a method and put it into its class."""
    text, scope = source(cls)
    exec(text, scope)
    method: Callable[..., Any] = scope[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, method)
    return method


def _set_fields(self: Any, declared: dict[str, _Field], args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Do what the constructor does, as far as the arguments are right."""
    given, used = iter(args), 0
    for name, f in declared.items():
        if not f.init:
            if f.factory is _NONE:
                continue
            value = f.factory()
        elif not f.kw_only and (value := next(given, _NONE)) is not _NONE:
            if name in named:
                return False
        elif name in named:
            value, used = named[name], used + 1
        elif f.optional:
            value = f.default if f.factory is _NONE else f.factory()
        else:
            return False
        object.__setattr__(self, name, value)
    if used < len(named) or next(given, _NONE) is not _NONE:
        return False
    if hasattr(self, "__post_init__"):
        self.__post_init__()
    return True


def _positional(cls: str, declared: dict[str, _Field]) -> tuple[str, ...]:
    """The names of the fields that a constructor takes by position, in their order."""
    names = []
    optional = False
    for name, f in declared.items():
        if f.init and not f.kw_only:
            names.append(name)
            # A property here, or one generator more, would be noticed: every run declares hundreds of records.
            if f.default is not _NONE or f.factory is not _NONE:
                optional = True
            elif optional:
                raise TypeError(f"{cls}: a field without a default follows one with a default")
    return tuple(names)


def _own_fields(namespace: dict[str, Any], kw_only: bool) -> dict[str, _Field]:
    """The fields that a class declares itself, taken out of its namespace."""
    own: dict[str, _Field] = {}
    for name, annotation in namespace.get("__annotations__", {}).items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            found = namespace.pop(name, _NONE)
            own[name] = made = found if isinstance(found, _Field) else _Field(found, _NONE, True, True, True)
            made.name, made.type, made.kw_only = name, annotation, kw_only
    return own


_Source = tuple[str, dict[str, Any]]
"""the source of a method, and what the names in it mean"""
_EQUAL = {"__eq__": "=="}
_ORDER = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def _init(cls: type[Any]) -> _Source:
    """The constructor; frozen records refuse assignments, but not those through the slots themselves."""
    scope: dict[str, Any] = {"_none": _NONE}
    frozen = cls.__setattr__ is _no_change
    positional, keywords, body = ["self"], ["*"], []
    for f in cls.__record_fields__.values():
        value = f.name
        if f.factory is not _NONE:
            scope[f"_make_{f.name}"] = f.factory
            value = f"_make_{f.name}()" + (f" if {f.name} is _none else {f.name}" if f.init else "")
        elif not f.init:
            continue
        scope[f"_set_{f.name}"] = getattr(cls, f.name).__set__
        scope[f"_default_{f.name}"] = f.default
        if f.init:
            parameter = f"{f.name}=_default_{f.name}" if f.optional else f.name
            (keywords if f.kw_only else positional).append(parameter)
        body.append(f" _set_{f.name}(self, {value})" if frozen else f" self.{f.name} = {value}")
    body += [" self.__post_init__()"] * hasattr(cls, "__post_init__") or [" pass"] * (not body)
    parameters = ", ".join(positional + keywords * (len(keywords) > 1))
    return "\n".join([f"def __init__({parameters}):", *body]), scope


def _compares(values: Callable[[Any], Any], compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: (
        compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented
    )


def _comparison(name: str, sign: str) -> Callable[[type[Any]], _Source]:
    def source(cls: type[Any]) -> _Source:
        lines = [
            f"def {name}(self, other):",
            " if other.__class__ is self.__class__:",
            f"  return {_compared(cls, 'self')} {sign} {_compared(cls, 'other')}",
            " return NotImplemented",
        ]
        return "\n".join(lines), {}

    return source


def _hash(cls: type[Any]) -> _Source:
    return f"def __hash__(self):\n return hash({_compared(cls, 'self')})", {}


def _compared(cls: type[Any], who: str) -> str:
    return f"({''.join(f'{who}.{f.name},' for f in cls.__record_fields__.values() if f.compare)})"


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
