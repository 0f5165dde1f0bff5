"""The classes of `datetime`, whose objects show themselves with the module's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everypath.languages.python.cards.card import HostCard

CLOCKS = {"datetime.datetime": ("now", "today", "utcnow"), "datetime.date": ("today",)}
"""Class -> methods that ask the clock; the classes cannot be changed, so that a test replaces them as a whole."""

_LIMITS = ("min", "max", "resolution")
_OF_HERE = ("fromtimestamp", "utcfromtimestamp", "astimezone", "timestamp")
"""What depends on the time zone of the machine."""


def _span(value: Any) -> str:
    """A negative one by its opposite: nobody recognises minus one second in `days=-1, seconds=86399`."""
    return repr(value) if value.days >= 0 else f"-{-value!r}"


def _formatted(value: Any, format: str) -> str:
    return str(value.strftime(format))


_READ: dict[str, dict[str, Callable[..., str]]] = {
    "datetime.date": {"fromisoformat": str},
    "datetime.time": {"fromisoformat": str},
    "datetime.datetime": {"fromisoformat": str, "strptime": _formatted},
}


def _date(name: str) -> HostCard:
    name = f"datetime.{name}"
    written = _span if name == "datetime.timedelta" else repr
    impure = (*CLOCKS.get(name, ()), *_OF_HERE)
    return HostCard(name, written, by_attributes=True, impure=impure, constants=_LIMITS, read=_READ.get(name, {}))


CARDS = (
    *map(_date, ("date", "datetime", "timedelta", "time")),
    HostCard("datetime.timezone", repr, aliases=("datetime.tzinfo",), constants=("utc", "min", "max")),
)
