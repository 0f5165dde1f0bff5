"""Models of the methods of coroutines; compiled by the front end, never imported."""

from __future__ import annotations

from typing import Any

generator_finish: Any
generator_state: Any


def __awaited__(self: Any) -> Any:
    """Runs the coroutine to its end, which is what waiting for it means where nothing else runs."""
    if generator_state(self) != "created":
        raise RuntimeError("cannot reuse already awaited coroutine")
    found, result = self.__step__(None)
    return result


def close(self: Any) -> Any:
    """Ends a coroutine that never ran."""
    generator_finish(self)
