"""Test doubles for what a class asks for: functions, objects, a class around a descriptor, a concrete subclass.

Setups and calls name them; `scope.py` makes the names known wherever those are evaluated, also in a replay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any
from zlib import crc32

from everypath.race.control.handed_in import ANNOUNCES, runs

PLAIN = (int, float, str, bytes, bool, type(None))
"""Classes whose objects are shown and compared as they are; of others only the class is the same in every run."""


class Made(str):
    """What a stub function returns: a new object each time.

    Objects that stand for the same thing look alike, so that it does not matter who called first, but one is not the
    other, so that two threads which should have got the same object are found out.
    """

    __everypath_ignore__ = True
    __slots__ = ()


class MadeNumber(int):
    """The same as a number."""

    __everypath_ignore__ = True


class Numbering:
    """Counts the calls of one stand-in; it is not part of the state of the class that calls it."""

    __everypath_ignore__ = True
    count = 0

    def next(self) -> int:
        """1, 2, 3, ..."""
        self.count += 1
        return self.count


def stub_function(name: str = "value") -> Callable[..., Any]:
    """A function that returns "value 1", "value 2", ..., or for arguments a new "value of 'a'" each time."""
    # A real function, not an object that can be called: decorators copy its attributes, bind it and inspect it.
    numbering = Numbering()

    def stub(*args: Any, **kwargs: Any) -> Made:
        # What is made of something must not depend on who asked first: a class may ask twice and keep one answer.
        # What is made of nothing may be meant to be unique.
        runs(stub)
        what = _shown(args, kwargs)
        return Made(f"{name} of {what}" if what else f"{name} {numbering.next()}")

    return _named(stub, name)


def counting_function(name: str = "number") -> Callable[..., int]:
    """A function that returns 1, 2, 3, ..., or for arguments a number that depends on nothing else."""
    numbering = Numbering()

    def stub(*args: Any, **kwargs: Any) -> int:
        runs(stub)
        what = _shown(args, kwargs)
        return 1 + crc32(what.encode()) % 97 if what else MadeNumber(numbering.next())

    return _named(stub, name)


def _named(stub: Callable[..., Any], name: str) -> Callable[..., Any]:
    stub.__name__ = stub.__qualname__ = name
    stub.__everypath_ignore__ = True  # type: ignore[attr-defined]
    setattr(stub, ANNOUNCES, True)
    return stub


def _shown(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Arguments as in a call."""
    named = [f"{name}={_text(value)}" for name, value in sorted(kwargs.items())]
    return ", ".join([*map(_text, args), *named])


def _text(value: Any) -> str:
    if type(value) is tuple and len(value) <= _MOST_PARTS:
        return f"({', '.join(map(_text, value))})"
    return repr(value) if type(value) in PLAIN else type(value).__name__


_MOST_PARTS = 8
RECORD: Counter[str] = Counter()
"""The calls of `callback` and `other_callback`, and how often each was made.

Not in which order: a class that calls outside its locks, as it should, leaves that to the threads.
"""


def callback(*args: Any, **kwargs: Any) -> None:
    """A function that is the same wherever it is mentioned, so that one call can register and another remove it."""
    runs(callback)
    RECORD[f"callback({_shown(args, kwargs)})"] += 1


def other_callback(*args: Any, **kwargs: Any) -> None:
    """Like `callback`, and different from it."""
    runs(other_callback)
    RECORD[f"other_callback({_shown(args, kwargs)})"] += 1


def recorded() -> list[str]:
    """The calls of the callbacks since they were last forgotten, as often as they were made, in no order of time."""
    return sorted(RECORD.elements())


def failing_function(*args: Any, **kwargs: Any) -> None:
    """A function that always raises, so that the error handling of a class is reached."""
    runs(failing_function)
    raise ValueError("failing_function")


for _function in (callback, other_callback, failing_function):
    setattr(_function, ANNOUNCES, True)


class Stub:
    """An object of which every attribute is a stub function; it is also a context manager and an empty iterable."""

    __everypath_ignore__ = True
    __everypath_announces__ = True

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        made = stub_function(name)
        self.__dict__[name] = made
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        runs(self)
        result: str = self.called(*args, **kwargs)
        return result

    def __enter__(self) -> Stub:
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __repr__(self) -> str:
        return "stub_object()"


def stub_object() -> Stub:
    """A new stub."""
    return Stub()


ATTRIBUTE = "attribute"
"""The name under which a host has its descriptor."""


def host(descriptor: Any) -> Any:
    """An instance of a new class that has the descriptor as `attribute`."""
    return type("Host", (), {ATTRIBUTE: descriptor})()


@lru_cache(maxsize=64)
def concrete(abstract: type[Any]) -> type[Any]:
    """A subclass in which every abstract method is a stub."""
    made: dict[str, Any] = {}
    for name in sorted(getattr(abstract, "__abstractmethods__", ())):
        # Not numbered: a method that returned something new each time would be state that no class has.
        made[name] = _constant(name, isinstance(getattr(abstract, name, None), property))
    metaclass: Callable[..., type[Any]] = type(abstract)
    return metaclass(f"Concrete{abstract.__name__}", (abstract,), {"__module__": abstract.__module__, **made})


def _constant(name: str, is_property: bool) -> Any:
    def stub(self: Any, *args: Any, **kwargs: Any) -> None:
        return None

    stub.__name__ = stub.__qualname__ = name
    return property(stub) if is_property else stub
