"""Stand-ins for what a class asks for: functions, objects, a class around a descriptor, a concrete subclass.

Generated tests import them from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any


class Numbering:
    """Counts the calls of one stand-in; no part of the state of the class that calls it."""

    __everypath_ignore__ = True
    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> int:
        """1, 2, 3, ..."""
        self.count += 1
        return self.count


def stub_function(name: str = "value") -> Callable[..., Any]:
    """A function that takes anything and returns a new value each time: "value 1", "value 2", ..."""
    # A real function, not an object that can be called: decorators copy its attributes, bind it and inspect it.
    numbering = Numbering()

    def stub(*args: Any, **kwargs: Any) -> str:
        return f"{name} {numbering.next()}"

    return _named(stub, name)


def counting_function(name: str = "number") -> Callable[..., int]:
    """A function that takes anything and returns 1, 2, 3, ..."""
    numbering = Numbering()

    def stub(*args: Any, **kwargs: Any) -> int:
        return numbering.next()

    return _named(stub, name)


def _named(stub: Callable[..., Any], name: str) -> Callable[..., Any]:
    stub.__name__ = stub.__qualname__ = name
    stub.__everypath_ignore__ = True  # type: ignore[attr-defined]
    return stub


def callback(*args: Any, **kwargs: Any) -> None:
    """The same function wherever it is mentioned, so that what one call registers another can remove."""


def other_callback(*args: Any, **kwargs: Any) -> None:
    """Like `callback`, and different from it."""


def failing_function(*args: Any, **kwargs: Any) -> None:
    """A function that always raises, so that what a class does about errors is reached."""
    raise ValueError("failing_function")


class Stub:
    """An object of which every attribute is a stub function; it is also a context manager and an empty iterable."""

    __everypath_ignore__ = True

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        made = stub_function(name)
        self.__dict__[name] = made
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> str:
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
