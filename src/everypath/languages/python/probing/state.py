"""Runs in the child: what a module holds after its import, as expressions that make the same again.

Objects keep their identity: an object that a variable holds is written as that variable wherever else it is held. What
no expression says (a lock, a cycle, a list that two places share and no variable holds) is not told at all.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Iterable, Mapping
from typing import Any

from everypath.languages.python.probing.describing import fields_of

_ATOMS = (type(None), bool, int, str, bytes)
_DEFINED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
_LONGEST = 20_000


class _Untold(Exception):
    """There is no expression for a value."""


def state_of(module: types.ModuleType, names: Iterable[str], functions: Mapping[str, int]) -> dict[str, Any]:
    """The variables of a module that expressions tell, and the fields of the objects that variables hold.

    Also which of the functions, given with the lines of their first decorators, are what the module has written there.
    """
    unchanged = [name for name, line in functions.items() if _is_as_written(module, name, line)]
    return {**_State(vars(module), names).told(), "unchanged": unchanged}


def _is_as_written(module: types.ModuleType, name: str, line: int) -> bool:
    """Whether a name holds the function that begins on a line, and nothing that a decorator has made of it."""
    found: Any = module
    for part in name.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    found = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
    if not isinstance(found, types.FunctionType) or hasattr(found, "__wrapped__"):
        return False
    code = found.__code__
    named = code.co_name == name.rpartition(".")[2] and code.co_filename == module.__file__
    return named and code.co_firstlineno == line


class _State:
    def __init__(self, namespace: Mapping[str, Any], names: Iterable[str]) -> None:
        self._namespace = namespace
        self._names = [name for name in names if name in namespace]
        self._defined = {id(value): name for name, value in namespace.items() if isinstance(value, _DEFINED)}
        own = [cls for cls in namespace.values() if type(cls) is type and cls.__module__ == namespace.get("__name__")]
        for cls in own:
            for name, value in vars(cls).items():
                function = value.__func__ if isinstance(value, staticmethod) else value
                if isinstance(function, types.FunctionType):
                    self._defined.setdefault(id(function), f"{self._defined[id(cls)]}.{name}")
        self._variables: dict[int, str] = {}
        for name in self._names:
            if not isinstance(namespace[name], (*_ATOMS, float, tuple, frozenset, enum.Enum)):
                self._variables.setdefault(id(namespace[name]), name)
        self._inside: set[int] = set()
        """objects that were written already"""

    def told(self) -> dict[str, Any]:
        values: dict[str, str] = {}
        objects: dict[str, dict[str, str]] = {}
        for name in self._names:
            value = self._namespace[name]
            try:
                if self._is_object(value) and self._variables[id(value)] == name:
                    objects[name] = self._fields(value)
                else:
                    values[name] = self._held(value, name)
            except (_Untold, RecursionError):
                continue
        return {"values": values, "objects": objects}

    def _is_object(self, value: Any) -> bool:
        """Whether it is of a class that the module defines, and of no builtin one."""
        cls = type(value)
        name = self._defined.get(id(cls))
        own = cls.__module__ == self._namespace.get("__name__") and not isinstance(value, enum.Enum)
        return name is not None and own and type(cls) is type and cls.__basicsize__ <= _PLAIN

    def _fields(self, value: Any) -> dict[str, str]:
        found = dict(fields_of(value))
        if not all(name.isidentifier() for name in found):
            raise _Untold
        return {name: self._text(each) for name, each in found.items()}

    def _held(self, value: Any, name: str) -> str:
        """What a variable holds, which is another variable if that was the first to hold the object."""
        first = self._variables.get(id(value))
        text = self._text(value, first != name)
        if len(text) > _LONGEST:
            raise _Untold
        return text

    def _text(self, value: Any, named: bool = True) -> str:
        cls = type(value)
        if cls in _ATOMS or (cls is float and value - value == 0):
            return repr(value)
        if id(value) in self._defined:
            return self._defined[id(value)]
        if isinstance(value, enum.Enum) and id(cls) in self._defined and isinstance(value.name, str):
            return f"{self._defined[id(cls)]}.{value.name}"
        if named and id(value) in self._variables:
            return self._variables[id(value)]
        if cls is tuple:
            return f"({''.join(f'{self._text(item)}, ' for item in value)})"
        if id(value) in self._inside:
            raise _Untold
        self._inside.add(id(value))
        if cls is list:
            return f"[{', '.join(map(self._text, value))}]"
        if cls is dict:
            return f"{{{', '.join(f'{self._text(key)}: {self._text(each)}' for key, each in value.items())}}}"
        if cls is set and value:
            return f"{{{', '.join(sorted(map(self._text, value)))}}}"
        if cls is set or cls is frozenset:
            return f"{cls.__name__}([{', '.join(sorted(map(self._text, value)))}])"
        raise _Untold


class _Empty:
    pass


_PLAIN = _Empty.__basicsize__ + 64
"""Objects with more than this hold something that their fields do not tell."""
