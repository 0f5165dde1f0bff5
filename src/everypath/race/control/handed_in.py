"""Functions that a call was given by its caller, such as `work` in `breaker.call(work)`.

Who hands in a function knows that it runs in the middle of the call. What the class does before it and what it does
afterwards are therefore parts, between which another thread may run in an order without interleaving, too. A function
that an earlier call or the constructor was given divides nothing: whoever makes this call cannot know of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from everypath.race.control.monitor import MONITOR
from everypath.race.events import READ
from everypath.race.running import DIVISIONS, NEXT_SITE

ANNOUNCES = "__everypath_announces__"
"""The attribute of functions that call `runs` themselves whenever they are called."""
_MOST_WRAPPED = 256


def begin_call(source: str) -> None:
    """The thread that has its turn begins the call with this source."""
    party = MONITOR.current
    if party is not None:
        party.source, party.handed_in, party.rounds, party.divisions = source, {}, 0, 0


def hand_in(value: Any) -> Any:
    """An argument of a call on the shared object; a function of the program's announces itself from now on."""
    if type(value) is FunctionType and not hasattr(value, ANNOUNCES) and value.__name__ != "<lambda>":
        value = _wrapped(value)
    party = MONITOR.current
    if party is not None and hasattr(type(value) if type(value) is not FunctionType else value, ANNOUNCES):
        party.handed_in[id(value)] = value
    return value


def runs(function: Any) -> None:
    """The function has been called; if the call under way was given it, another thread may run first."""
    party = MONITOR.current
    if party is not None and id(function) in party.handed_in:
        _divide()


def next_round() -> None:
    """The call under way only repeats an operation, and now does it once more."""
    party = MONITOR.current
    if party is not None:
        party.rounds += 1
        if party.rounds > 1:
            _divide()


def inside(source: str) -> int:
    """A lambda expression of the call with this source begins; return what `outside` wants to know."""
    party = MONITOR.current
    if party is None or party.source != source:
        return -1
    _divide()
    return party.done


def outside(begun: int, value: Any) -> Any:
    """The lambda expression has come to this value; what it did itself to the object is a part of its own."""
    party = MONITOR.current
    if party is not None and 0 <= begun < party.done:
        _divide()
    return value


def _divide() -> None:
    party = MONITOR.current
    assert party is not None
    party.divisions += 1
    DIVISIONS[party.source] = max(DIVISIONS.get(party.source, 0), party.divisions)
    # A function is entered, and what a caller's real one does contains calls, too.
    MONITOR.native_returned()
    MONITOR.access(READ, NEXT_SITE, None, None)
    MONITOR.native_returned()


@functools.lru_cache(maxsize=_MOST_WRAPPED)
def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, announcing itself; always the same one, so that one call can register and another remove it."""

    @functools.wraps(function)
    def wrapped(*args: Any, **named: Any) -> Any:
        runs(wrapped)
        begun = MONITOR.current.done if MONITOR.current is not None else -1
        try:
            return function(*args, **named)
        finally:
            if MONITOR.current is not None and id(wrapped) in MONITOR.current.handed_in:
                outside(begun, None)

    setattr(wrapped, ANNOUNCES, True)
    return wrapped
