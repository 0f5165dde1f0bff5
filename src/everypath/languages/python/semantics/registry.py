"""The table of native operations: builtins and methods of builtin types that must handle terms.

A native takes the state and resolved or unresolved values and returns a value. It may fork, raise a
`Fault`, or ask for a call with `Invoke`; since it runs again after each fork, it asks all its questions
before it changes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from everypath.heap.values import Value

Native = Callable[..., Value]


class _Natives(dict[str, Native]):
    """The operations of all modules, most of which are imported when something is asked for that is not here yet.

    A small program needs next to none of them, and importing all takes as long as exploring it.
    """

    def __init__(self) -> None:
        self._complete = False

    def _load(self) -> bool:
        """Import the rest; whether that was still to be done."""
        if self._complete:
            return False
        self._complete = True
        import_module("everypath.languages.python.natives.every")
        return True

    def __missing__(self, name: str) -> Native:
        if self._load() and name in self:
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (self._load() and super().__contains__(name))

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if self.__contains__(name) else default


NATIVES = _Natives()
"""builtin functions by name (`len`, `math.floor`), methods as `type.method` (`list.append`)"""


def native(*names: str) -> Callable[[Any], Any]:
    """Register the function under these names."""

    def register(function: Any) -> Any:
        for name in names:
            NATIVES[name] = function
        return function

    return register
