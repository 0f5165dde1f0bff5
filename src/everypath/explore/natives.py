"""The table of a language's native operations: library functions and methods that must handle terms.

A native takes the state and resolved or unresolved values and returns a value. It may fork, raise a `Fault`, or ask
for a call with `Invoke`. It runs again after each fork, so it asks all its questions before it changes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from everypath.heap.values import Value

Native = Callable[..., Value]
_F = TypeVar("_F", bound=Native)


class Natives(dict[str, Native]):
    """The operations of a language by name; importing the `home` module registers all of them.

    A small program needs next to none, and importing all takes as long as exploring it. So `home` is imported when
    something is asked for that nobody has registered yet.
    """

    def __init__(self, home: str) -> None:
        self._home = home
        self._complete = False

    def native(self, *names: str) -> Callable[[_F], _F]:
        """Register the decorated function under these names."""

        def register(function: _F) -> _F:
            for name in names:
                self[name] = function
            return function

        return register

    def _load(self) -> bool:
        """Import the rest; whether that was still to be done."""
        if self._complete:
            return False
        self._complete = True
        import_module(self._home)
        return True

    def __missing__(self, name: str) -> Native:
        if self._load() and name in self:
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (self._load() and super().__contains__(name))

    def get(self, name: str, default: Any = None) -> Any:
        """The operation of this name, else the default."""
        return self[name] if self.__contains__(name) else default
