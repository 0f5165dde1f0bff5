"""Calls on the shared object as source text, and what running them on two threads comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everypath.race.events import SITES, Event, Site
from everypath.records import dataclass

SHARED = "sut"
"""The name of the shared object in every call."""
CALL_FILE = "<call>"
"""The file in which the code of calls stands."""
NEXT_CALL = ("<thread>", "read the next call")
"""Function and operation of the point at which a thread begins another of its calls."""
NEXT_SITE = SITES.number(Site("", 0, 0, NEXT_CALL[0], NEXT_CALL[1].removeprefix("read ")))

GENERATORS: set[str] = set()
"""Sources of calls that were seen to go through a generator, which makes one call for each element."""
DIVISIONS: dict[str, int] = {}
"""By source of a call: how often it was seen to be divided, by a function that it was given or by its next round."""


@dataclass(frozen=True, slots=True)
class Call:
    """One edge of the search tree: a method with its arguments, or an operator that stands for a method."""

    method: str
    """the method or property behind it, such as `put`, `__setitem__` or `size`"""
    source: str
    """an expression or a statement over `sut`, such as `sut.put('a', 1)` or `sut['a'] = 1`"""


Job = Callable[[], Any]
"""One call of a thread."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The call came back with a value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The call ended with an exception of the program."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Blocked:
    """The call waits and nothing is left that could wake it."""

    lock: Any
    """what it waits for"""
    site: int
    """where"""
    held: tuple[Any, ...]
    """the locks that it holds meanwhile"""


@dataclass(frozen=True, slots=True)
class Endless:
    """The call did more than a run may do."""

    site: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The call did something that cannot be controlled or undone: it started a thread, wrote a file or used the
    network.
    """

    what: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class NotReached:
    """An earlier call of the same thread did not come back."""


Outcome = Returned | Raised | Blocked | Endless | Refused | NotReached


@dataclass(frozen=True, slots=True)
class Run:
    """Both threads' outcomes, call by call, and everything they did, in order."""

    outcomes: tuple[tuple[Outcome, ...], tuple[Outcome, ...]]
    events: tuple[tuple[int, Event], ...]
    """(thread, event); empty unless recording was asked for"""
    boundaries: tuple[tuple[int, ...], tuple[int, ...]]
    """for each thread, the number of its events before each of its calls began"""
    missed: bool = False
    """whether a leg's thread ended or waited before it reached the planned point"""
