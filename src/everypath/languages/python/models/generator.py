"""Models of the methods of generators; compiled by the front end, never imported."""

from __future__ import annotations

from typing import Any

block_fails: Any
generator_finish: Any
generator_guarded: Any
generator_state: Any
generator_thrown: Any
observation: Any
observation_cut: Any
release_iterator: Any


def __iter__(self: Any) -> Any:
    """A generator is its own iterator."""
    return self


def __next__(self: Any) -> Any:
    """The next element."""
    return self.send(None)


def send(self: Any, value: Any) -> Any:
    """Goes on with a value for the waiting `yield`."""
    if value is not None and generator_state(self) == "created":
        raise TypeError("can't send non-None value to a just-started generator")
    try:
        found, result = self.__step__(value)
    except StopIteration:
        raise RuntimeError("generator raised StopIteration")
    if found:
        return result
    if result is None:
        raise StopIteration
    raise StopIteration(result)


def throw(self: Any, exception: Any, value: Any = None, traceback: Any = None) -> Any:
    """Goes on with an exception at the waiting `yield`."""
    if isinstance(exception, type):
        exception = exception() if value is None else (value if isinstance(value, exception) else exception(value))
    state = generator_state(self)
    if state == "running":
        raise ValueError("generator already executing")
    if state != "suspended":
        generator_finish(self)
        raise exception
    stopped = False
    try:
        found, result = self.__step__(generator_thrown(exception))
    except StopIteration:
        stopped = True
    if stopped:
        raise RuntimeError("generator raised StopIteration")
    if found:
        return result
    if result is None:
        raise StopIteration
    raise StopIteration(result)


def close(self: Any) -> Any:
    """Ends the generator where it waits."""
    state = generator_state(self)
    if state == "running":
        raise ValueError("generator already executing")
    if state != "suspended" or not generator_guarded(self):
        generator_finish(self)
        return None
    try:
        found, result = self.__step__(generator_thrown(GeneratorExit()))
    except GeneratorExit:
        return None
    if found:
        raise RuntimeError("generator ignored GeneratorExit")
    return None


def observed(self: Any) -> Any:
    """What a test sees of a result: an iterator's elements, at most twenty of them, or what a coroutine returns.

    A context manager made from a generator is entered and left, also with an error where the generator handles one.
    """
    how = observation(self)
    if how == "with":
        entered = self.__enter__()
        if not block_fails(self):
            self.__exit__(None, None, None)
            return entered
        planned = ValueError("planned")
        if not self.__exit__(ValueError, planned, None):
            raise planned
        return entered
    if how == "run":
        return self.__awaited__()
    if how == "":
        return self
    items = []
    for item in self:
        items.append(item)
        if len(items) == 20:
            observation_cut()
            release_iterator(self)
            return items
    return items
