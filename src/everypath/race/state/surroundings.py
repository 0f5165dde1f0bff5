"""Everything outside the shared object that a run could leave changed: clocks, chance, data of modules and classes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from everypath.race.control.environment import Environment
from everypath.race.state.globals_state import SharedState

MOST_MODULES = 40
"""Modules of the package whose data is kept: the nearest ones to the class."""


class Surroundings:
    """The environment, and the data of a package's modules as it was after the import.

    All of the data is kept, but only what belongs to modules whose code has run is put back and compared: the rest
    of a large package would cost more than the class itself.
    """

    def __init__(self, environment: Environment, cls: type[Any], rewritten: Iterable[str]) -> None:
        self._environment = environment
        names = set(rewritten) & sys.modules.keys()
        near = list(_nearest(cls, names))
        own = [sys.modules[c.__module__] for c in cls.__mro__ if c.__module__ in names]
        self._parts = {_file(module): SharedState([module]) for module in near if module not in own}
        self._active = [SharedState(dict.fromkeys(own), cls)]

    def touched(self, files: Iterable[str]) -> bool:
        """Take in the modules of these files, whose code has run; whether some were not taken in before."""
        found = [self._parts.pop(file) for file in files if file in self._parts]
        self._active += found
        for part in found:
            part.restore()
        return bool(found)

    def reset(self) -> None:
        """Before every run: time and chance begin again, and all data is as it was after the import."""
        self._environment.reset()
        for part in self._active:
            part.restore()

    def roots(self) -> dict[str, Any]:
        """The data by name, to give its parts names."""
        return {name: value for part in self._active for name, value in part.roots().items()}

    def state(self) -> dict[str, Any]:
        """The same for comparing states."""
        return {name: value for part in self._active for name, value in part.state().items()}

    @property
    def unrestored(self) -> tuple[str, ...]:
        """Names of data that cannot be put back."""
        return tuple(name for part in self._active for name in part.unrestored)


def _file(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or module.__name__


def _nearest(cls: type[Any], names: set[str]) -> Iterator[ModuleType]:
    """The modules of the package, those first that the module of the class uses, directly or through others."""
    waiting = [c.__module__ for c in cls.__mro__ if c.__module__ in names]
    seen = set(waiting)
    for count, name in enumerate(waiting):
        if count >= MOST_MODULES:
            return
        module = sys.modules[name]
        yield module
        for value in list(vars(module).values()):
            other = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(other, str) and other in names and other not in seen:
                seen.add(other)
                waiting.append(other)
