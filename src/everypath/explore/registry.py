"""The table of native operations: builtins and methods of builtin types that must handle terms.

A native takes the state and resolved or unresolved values and returns a value. It may fork, raise a
`Fault`, or ask for a call with `Invoke`; since it runs again after each fork, it asks all its questions
before it changes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everypath.heap.values import Value

Native = Callable[..., Value]
NATIVES: dict[str, Native] = {}
"""builtin functions by name (`len`, `math.floor`), methods as `type.method` (`list.append`)"""


def native(*names: str) -> Callable[[Any], Any]:
    """Register the function under these names."""

    def register(function: Any) -> Any:
        for name in names:
            NATIVES[name] = function
        return function

    return register
