"""Tells whether a call keeps to the types that the program declares for its parameters.

A generator that hands a complex number to an `int` parameter reaches a TypeError that no caller of the program can;
such ways through the program are counted apart.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from types import CodeType, ModuleType
from typing import Any, Literal, Union


class Declarations:
    """The declared parameter types of a module's functions and methods, generated constructors included."""

    def __init__(self, module: ModuleType) -> None:
        self.hints: dict[CodeType, dict[str, Any]] = {}
        for value in vars(module).values():
            members = vars(value).values() if isinstance(value, type) else [value]
            for member in members:
                if isinstance(member, types.FunctionType):
                    self.hints[member.__code__] = hints_of(member, module)

    def kept(self, code: CodeType, values: Mapping[str, Any]) -> bool:
        """Whether every argument has the type that its parameter declares; what declares none keeps to it."""
        hints = self.hints.get(code, {})
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return all(conforms(values[name], hints[name]) for name in names if name in hints and name in values)


def hints_of(function: Callable[..., object], module: ModuleType) -> dict[str, Any]:
    """The annotations as types; a constructor that a decorator wrote does not know the module's names itself."""
    try:
        return typing.get_type_hints(function, vars(module))
    except (NameError, TypeError):
        return {}


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value is of a type; types that cannot be looked into admit everything."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(conforms(value, part) for part in arguments)
    if origin is Literal:
        return value in arguments
    if hint is None or hint is types.NoneType:
        return value is None
    if hint is float:
        return isinstance(value, int | float)
    if origin in (list, set, frozenset):
        return isinstance(value, origin) and all(conforms(item, arguments[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            conforms(key, arguments[0]) and conforms(item, arguments[1]) for key, item in value.items()
        )
    if origin is tuple:
        return isinstance(value, tuple)
    return isinstance(value, hint) if isinstance(hint, type) and origin is None else True
