"""The classes of `datetime`, whose objects show themselves with the module's name."""

from __future__ import annotations

from everypath.languages.python.cards.card import HostCard

CLOCKS = {"datetime.datetime": ("now", "today", "utcnow"), "datetime.date": ("today",)}
"""Class -> methods that ask the clock; the classes cannot be changed, so that a test replaces them as a whole."""

_LIMITS = ("min", "max", "resolution")
_OF_HERE = ("fromtimestamp", "utcfromtimestamp", "astimezone", "timestamp")
"""What depends on the time zone of the machine."""


def _date(name: str, *samples: str) -> HostCard:
    name = f"datetime.{name}"
    impure = (*CLOCKS.get(name, ()), *_OF_HERE)
    return HostCard(name, samples, repr, by_attributes=True, impure=impure, constants=_LIMITS)


CARDS = (
    _date("date", "date(2024, 2, 29)", "date(2000, 1, 1)", "date(1999, 12, 31)", "date(2023, 6, 15)"),
    _date(
        "datetime",
        "datetime(2024, 2, 29, 12, 30, 45)",
        "datetime(2000, 1, 1)",
        "datetime(1999, 12, 31, 23, 59, 59, 999999)",
        "datetime(2023, 6, 15, 8)",
    ),
    _date(
        "timedelta",
        # Days, seconds, microseconds: from nothing up to years.
        *("timedelta(0, 1)", "timedelta(0)", "timedelta(0, 90)", "timedelta(0, 7200)", "timedelta(1)"),
        *("timedelta(-1)", "timedelta(40)", "timedelta(400)", "timedelta(0, 0, 1500)"),
    ),
    _date("time", "time(12, 30, 45)", "time(0, 0)", "time(23, 59, 59, 999999)"),
    HostCard(
        "datetime.timezone",
        ("timezone.utc", "timezone(timedelta(hours=2))"),
        repr,
        aliases=("datetime.tzinfo",),
        constants=("utc", "min", "max"),
    ),
)
