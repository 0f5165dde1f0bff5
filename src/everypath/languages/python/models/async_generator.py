"""Models of the methods of asynchronous generators; compiled by the front end, never imported."""

from __future__ import annotations

from typing import Any


def __aiter__(self: Any) -> Any:
    """An asynchronous generator is its own iterator."""
    return self


async def __anext__(self: Any) -> Any:
    """The next element, when it is awaited."""
    found, result = self.__step__(None)
    if found:
        return result
    raise StopAsyncIteration
