"""Models of the methods of asynchronous generators; compiled by the front end, never imported."""

from __future__ import annotations

from typing import Any

generator_finish: Any
generator_guarded: Any
generator_state: Any
generator_thrown: Any


def __aiter__(self: Any) -> Any:
    """An asynchronous generator is its own iterator."""
    return self


async def __anext__(self: Any) -> Any:
    """The next element, when it is awaited."""
    return await self.asend(None)


async def asend(self: Any, value: Any) -> Any:
    """Goes on with a value for the waiting `yield`."""
    if value is not None and generator_state(self) == "created":
        raise TypeError("can't send non-None value to a just-started async generator")
    stopped = ""
    try:
        found, result = self.__step__(value)
    except StopAsyncIteration:
        stopped = "StopAsyncIteration"
    except StopIteration:
        stopped = "StopIteration"
    if stopped:
        raise RuntimeError(f"async generator raised {stopped}")
    if found:
        return result
    raise StopAsyncIteration


async def athrow(self: Any, exception: Any, value: Any = None, traceback: Any = None) -> Any:
    """Goes on with an exception at the waiting `yield`."""
    if isinstance(exception, type):
        exception = exception() if value is None else (value if isinstance(value, exception) else exception(value))
    if generator_state(self) != "suspended":
        generator_finish(self)
        raise exception
    stopped = ""
    try:
        found, result = self.__step__(generator_thrown(exception))
    except StopAsyncIteration:
        stopped = "StopAsyncIteration"
    except StopIteration:
        stopped = "StopIteration"
    if stopped:
        raise RuntimeError(f"async generator raised {stopped}")
    if found:
        return result
    raise StopAsyncIteration


async def aclose(self: Any) -> Any:
    """Ends the generator where it waits."""
    if generator_state(self) != "suspended" or not generator_guarded(self):
        generator_finish(self)
        return None
    try:
        found, result = self.__step__(generator_thrown(GeneratorExit()))
    except (GeneratorExit, StopAsyncIteration):
        return None
    if found:
        raise RuntimeError("async generator ignored GeneratorExit")
    return None
