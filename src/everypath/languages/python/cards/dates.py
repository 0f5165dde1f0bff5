"""The classes of `datetime`, whose objects show themselves with the module's name."""

from __future__ import annotations

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


def _date(name: str) -> HostCard:
    name = f"datetime.{name}"
    impure = (*CLOCKS.get(name, ()), *_OF_HERE)
    return HostCard(
        name, _span if name == "datetime.timedelta" else repr, by_attributes=True, impure=impure, constants=_LIMITS
    )


CARDS = (
    *map(_date, ("date", "datetime", "timedelta", "time")),
    HostCard("datetime.timezone", repr, aliases=("datetime.tzinfo",), constants=("utc", "min", "max")),
)
