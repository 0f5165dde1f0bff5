"""The names that calls and setups may use: those of the module, the stand-ins, and a few of the standard library."""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from functools import lru_cache
from types import ModuleType
from typing import Any

from everypath.race.control.clocks import CLOCK
from everypath.race.running import SHARED
from everypath.race.subject import doubles

LIBRARY = frozenset(
    "collections contextvars copy datetime decimal fractions importlib io itertools logging operator pathlib queue "
    "random re threading time types uuid weakref".split()
)
"""Modules whose members appear in values."""
STAND_INS = frozenset(
    "stub_function counting_function failing_function callback other_callback recorded stub_object host concrete "
    "clock".split()
)
HELD = ("held", "other_held")
"""Names under which a call before the threads start keeps its result for the calls of the threads."""


def held_in(names: dict[str, Any]) -> dict[str, Any]:
    """The results that calls have kept, by name."""
    return {name: names[name] for name in HELD if name in names}


class Scope:
    """The names with which sources are evaluated; names that sources need and the module lacks are added."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._added: dict[str, Any] = {}
        self._meant: set[str] = set()
        """names of the module that keep their meaning even if the library has the same name"""

    def namespace(self) -> dict[str, Any]:
        """A new dictionary for evaluating setups and calls."""
        return {**self._names, **self._added}

    def usable(self, source: str) -> bool:
        """Whether every name in the source means what it should here; missing names are added."""
        needed = _free_names(source)
        return needed is not None and all(self._available(name) for name in needed)

    def _available(self, name: str) -> bool:
        if name == SHARED or name in self._added or name in self._meant:
            return True
        if name in STAND_INS:
            return self._add(name, CLOCK if name == "clock" else getattr(doubles, name))
        if name in HELD:
            return name not in self._names
        if name in LIBRARY:
            return self._add(name, importlib.import_module(name))
        return name in self._names or hasattr(builtins, name)

    def _add(self, name: str, meaning: Any) -> bool:
        if name in self._names:
            return self._names[name] is meaning
        self._added[name] = meaning
        return True

    def classes(self) -> list[type[Any]]:
        """The classes that the module names and that are not the library's."""
        found = [each for each in self._names.values() if isinstance(each, type)]
        return [each for each in found if each.__module__.partition(".")[0] not in sys.stdlib_module_names]

    def refer(self, thing: type[Any]) -> str | None:
        """How a class is written here; None if it has no name."""
        path = thing.__qualname__
        if "<locals>" in path:
            # A class made inside a function has a name only if the caller gave it one.
            path = thing.__name__
            return path if self._names.get(path) is thing else None
        root, *rest = path.split(".")
        if self._names.get(root) is not None:
            found = self._names[root]
            for part in rest:
                found = getattr(found, part, None)
            if found is thing:
                self._meant.add(root)
                return path
        elif hasattr(builtins, root):
            return path
        for name, value in self._names.items():
            if value is thing:
                return name
        home = thing.__module__
        if home == "__main__" or getattr(sys.modules.get(home), root, None) is None:
            return None
        # Written so that whoever runs the test later needs no more than the names of the module under test.
        for name, value in self._names.items():
            if isinstance(value, ModuleType) and value is sys.modules[home]:
                return f"{name}.{path}"
        if home in LIBRARY and self._available(home):
            return f"{home}.{path}"
        return f"importlib.import_module({home!r}).{path}" if self._available("importlib") else None


@lru_cache(maxsize=4096)
def _free_names(source: str) -> frozenset[str] | None:
    """The names that a source uses without binding them; None if it is not valid Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    used: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return frozenset(used - (bound - {SHARED}))
