"""Functions and methods of a package that say that they give objects of a class.

Those are mostly better than what a constructor makes: a tree comes of a parser, a configuration of a loader. Which
function gives what, annotations tell; they are looked through once, in the modules of the package that are loaded
anyway.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

from everypath.languages.python.probing.expressions import is_below, place_of
from everypath.records import dataclass

_NAME = re.compile(r"[A-Za-z_]\w*")
_HOLDING = frozenset("Optional Union None typing Self ClassVar Final Annotated".split())
"""Names in an annotation that do not say what is given."""
_MOST_MODULES = 400
_MOST = 6


@dataclass(frozen=True, slots=True)
class Factory:
    """A function that makes objects, or a method that is called on its class or on an object."""

    called: Any
    module: str
    qualname: str
    owner: type | None = None
    """the class on an object of which it is called"""


class Factories:
    """What the packages of the classes that are asked for offer."""

    def __init__(self) -> None:
        self._indexed: dict[str, dict[str, list[Factory]]] = {}
        self._known: dict[type, list[Factory]] = {}

    def of(self, cls: type) -> list[Factory]:
        """The functions that give objects of a class or of one below it, those that are public first."""
        if cls not in self._known:
            self._known[cls] = self._find(cls)
        return self._known[cls]

    def _find(self, cls: type) -> list[Factory]:
        package = cls.__module__.partition(".")[0]
        if package == "builtins" or package in sys.stdlib_module_names:
            return []
        if package not in self._indexed:
            index: dict[str, list[Factory]] = {}
            for name, factory in _factories(package):
                index.setdefault(name, []).append(factory)
            self._indexed[package] = index
        found = [each for each in self._indexed[package].get(cls.__name__, ()) if _gives(each, cls)]
        return sorted(found, key=lambda each: ("._" in f".{each.qualname}", each.owner is not None))[:_MOST]


def _factories(package: str) -> Iterator[tuple[str, Factory]]:
    """The functions of all loaded modules of a package, with the names of the classes that they say they give."""
    names = [name for name in list(sys.modules) if name == package or name.startswith(f"{package}.")]
    for module in names[:_MOST_MODULES]:
        for value in list(vars(sys.modules[module]).values()):
            if getattr(value, "__module__", None) != module:
                continue
            if isinstance(value, types.FunctionType):
                yield from _named(value, Factory(value, module, value.__qualname__))
            elif isinstance(value, type) and place_of(value):
                yield from _methods(value, module)


def _methods(cls: type, module: str) -> Iterator[tuple[str, Factory]]:
    for name, member in list(vars(cls).items()):
        plain = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if isinstance(plain, types.FunctionType) and not name.startswith("__"):
            called = getattr(cls, name) if plain is not member else plain
            owner = cls if plain is member else None
            yield from _named(plain, Factory(called, module, f"{cls.__qualname__}.{name}", owner))


def _named(function: types.FunctionType, factory: Factory) -> Iterator[tuple[str, Factory]]:
    given = function.__annotations__.get("return")
    if given is None or "<" in factory.qualname or inspect.iscoroutinefunction(function):
        return
    text = given if isinstance(given, str) else given.__qualname__ if isinstance(given, type) else str(given)
    names = _NAME.findall(text if "[" in text else text.rpartition(".")[2])
    meant = dict.fromkeys(name for name in names if name not in _HOLDING)
    # A list or an iterator of objects is no object.
    if len(meant) == 1:
        yield next(iter(meant)), factory


def _gives(factory: Factory, cls: type) -> bool:
    """Whether the name in the annotation means this class, where the function is written."""
    function = getattr(factory.called, "__func__", factory.called)
    scope = getattr(function, "__globals__", {})
    meant = scope.get(cls.__name__, cls)
    return isinstance(meant, type) and is_below(meant, cls)
