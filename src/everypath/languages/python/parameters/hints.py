"""What an annotation of an imported class or function says.

The front end reads annotations as syntax and makes types for the solver of them. Where the code is imported, they are
evaluated: aliases, type variables and classes of any library are the objects themselves. `evaluated` gives these
objects, and `read` says of one of them what it allows, as one of a few kinds. Which values to take is up to those who
ask: the search for observed cases draws them at random, a race wants few that work together.
"""

from __future__ import annotations

import collections.abc
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from everypath.records import dataclass

EMPTY: Any = inspect.Parameter.empty
"""No annotation, or one that cannot be evaluated."""
_ALWAYS = {**vars(typing), **vars(collections.abc)}
"""Names that annotations use, also where they are imported for type checkers only."""
_MARKS = (typing.Annotated, typing.ClassVar, typing.Final, typing.Required, typing.NotRequired)
"""What is written around a type and does not change its values."""
_ALIAS: Any = getattr(typing, "TypeAliasType", ())
"""What the statement `type X = ...` makes, where the interpreter has it."""
_COLLECTIONS = ("builtins", "collections", "collections.abc")


@dataclass(frozen=True, slots=True)
class Anything:
    """Every value will do, as far as one can tell."""

    variable: str = ""
    """the name of the type variable that says so"""


@dataclass(frozen=True, slots=True)
class Constants:
    """Just these values."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of one of these types."""

    members: tuple[Any, ...]
    lasting: bool = False
    """whether all values must be of the same one, as with the constraints of a type variable"""


@dataclass(frozen=True, slots=True)
class ClassBelow:
    """The class itself or one below it."""

    base: Any


@dataclass(frozen=True, slots=True)
class Function:
    """Something to call."""

    result: Any


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple; of any length if there is one type for all its items, and one that says nothing if there is none."""

    items: tuple[Any, ...]
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Collection:
    """What a literal gives, or an iterator over a list."""

    cls: type[Any]
    kind: str
    """the class that is made for it: dict, list, set, frozenset; or iterator"""
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of any other class."""

    cls: type[Any]
    arguments: tuple[Any, ...] = ()


Kind = Anything | Constants | Choice | ClassBelow | Function | Row | Collection | Instance


def evaluate(text: str, names: Mapping[str, Any]) -> Any:
    """What a text means; EMPTY if nobody knows, as annotations may use names that exist for type checkers only."""
    try:
        return eval(text, {**_ALWAYS, **names})
    except Exception:  # an annotation may be any expression
        return EMPTY


def evaluated(holder: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """The annotations of a function or of the body of a class as objects; EMPTY for those that cannot be evaluated.

    `names` are for those that are missing where it is defined.
    """
    holder = inspect.unwrap(holder) if callable(holder) else holder
    try:
        raw = dict(getattr(holder, "__annotations__", None) or {})
    except Exception:  # newer versions evaluate them only now
        return {}
    module = sys.modules.get(getattr(holder, "__module__", None) or "")
    known = {**_ALWAYS, **names, **(getattr(holder, "__globals__", None) or (vars(module) if module else {}))}
    return {name: _complete(annotation, known) for name, annotation in raw.items()}


def meant(text: str, names: Mapping[str, Any]) -> Any:
    """What an annotation that is written somewhere else means, as `evaluated` gives it."""
    return _complete(text, {**_ALWAYS, **names})


def _complete(annotation: Any, names: dict[str, Any]) -> Any:
    """An annotation as an object, also in its parts where these are names in quotes."""
    found = evaluate(annotation, names) if isinstance(annotation, str) else annotation

    def shown() -> None: ...

    shown.__annotations__ = {"hint": found}
    try:
        return typing.get_type_hints(shown, names)["hint"]
    except Exception:
        return found


def says_nothing(hint: Any) -> bool:
    """Whether the annotation allows everything."""
    return hint is EMPTY or hint is Any or hint is object or hint is collections.abc.Hashable


def read(hint: Any, named: Callable[[str], Any] = lambda text: EMPTY) -> Kind:
    """What an annotation allows; `named` gives the meaning of those that are still text."""
    if isinstance(hint, typing.ForwardRef):
        hint = hint.__forward_arg__
    if isinstance(hint, str):
        hint = named(hint)
    if hint is None or hint is type(None):
        return Constants((None,))
    if isinstance(hint, typing.TypeVar):
        return _of_variable(hint, named)
    if isinstance(hint, typing.NewType):
        return read(hint.__supertype__, named)
    if isinstance(hint, _ALIAS):
        return read(hint.__value__, named)
    if says_nothing(hint):
        return Anything()
    arguments = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return Choice(arguments)
    if origin is typing.Literal:
        return Constants(tuple(each for each in arguments if not isinstance(each, enum.Enum)))
    if origin in _MARKS:
        return read(arguments[0], named)
    if origin is type:
        return ClassBelow(arguments[0] if arguments else object)
    return _of_class(origin or hint, arguments)


def _of_variable(variable: typing.TypeVar, named: Callable[[str], Any]) -> Kind:
    if variable.__constraints__:
        return Choice(variable.__constraints__, lasting=True)
    bound = Anything() if variable.__bound__ is None else read(variable.__bound__, named)
    return Anything(variable.__name__) if isinstance(bound, Anything) else bound


def _of_class(cls: Any, arguments: tuple[Any, ...]) -> Kind:
    if cls is collections.abc.Callable or cls is types.FunctionType:
        return Function(arguments[-1] if arguments else Any)
    if cls is tuple:
        repeated = len(arguments) == 2 and arguments[1] is Ellipsis
        return Row(arguments[:1] if repeated else arguments, repeated)
    if not isinstance(cls, type):
        return Anything()
    kind = _literal_for(cls) if cls.__module__ in _COLLECTIONS else None
    return Instance(cls, arguments) if kind is None else Collection(cls, kind, arguments)


def _literal_for(cls: type[Any]) -> str | None:
    # A list and a dict can both be iterated over, so the most special kinds are asked first.
    if issubclass(cls, collections.abc.Mapping):
        return "dict" if issubclass(dict, cls) else None
    if issubclass(cls, collections.abc.Set):
        return "frozenset" if cls is frozenset else "set"
    if cls is collections.abc.Iterator or cls is collections.abc.Generator:
        return "iterator"
    return "list" if issubclass(list, cls) else None
