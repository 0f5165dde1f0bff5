"""What a module remembers between two calls, and how it is put back."""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable, Mapping
from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any

_PLAIN = (int, float, str, bytes, tuple, frozenset, type(None))


class State:
    """The variables of a module, of its classes and closures, default arguments and caches, as they are now."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self._undo: list[Callable[[], object]] = []
        self._seen: set[int] = set()
        self._names(module, vars(module))

    def put_back(self) -> None:
        """Undo whatever calls have changed since."""
        for undo in self._undo:
            undo()

    def _names(self, owner: object, space: Mapping[str, object]) -> None:
        for name, value in list(space.items()):
            if name.startswith("__") and name != "__wrapped__":
                continue
            if isinstance(value, _PLAIN):
                self._undo.append(partial(setattr, owner, name, value))
            else:
                self._value(value)

    def _value(self, value: object) -> None:
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if hasattr(value, "cache_clear"):
            self._undo.append(value.cache_clear)
        own = getattr(value, "__module__", None) == self.module.__name__
        if own and isinstance(value, type | FunctionType) and not isinstance(value, enum.EnumType):
            self._names(value, vars(value))
        if own and isinstance(value, FunctionType):
            for default in value.__defaults__ or ():
                self._value(default)
            for cell in value.__closure__ or ():
                self._cell(cell)
        elif isinstance(value, list | dict | set):
            self._undo.append(partial(_refill, value, copy.deepcopy(value)))

    def _cell(self, cell: CellType) -> None:
        value = cell.cell_contents
        if isinstance(value, _PLAIN):
            self._undo.append(partial(setattr, cell, "cell_contents", value))
        else:
            self._value(value)


def _refill(held: Any, kept: Any) -> None:
    held.clear()
    (held.extend if isinstance(held, list) else held.update)(copy.deepcopy(kept))
