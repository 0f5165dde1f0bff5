"""Dates and times whose values are not known: an integer stands for each of them, and need not be known.

A date is its ordinal, a time of day the microseconds since midnight, a span of time its microseconds, and a date with a
time the microseconds of its ordinal and its time. Sums, differences, comparisons and parts (years, hours, days of the
week) stay symbolic; for everything else, such as texts, the number is fixed and the library's own object takes its
place.
Objects with a time zone are always the library's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import Assume, Fixed
from everypath.heap.inputs import Inputs
from everypath.heap.values import UNBOUND, BoundMethod, Measured, Value
from everypath.languages.python.semantics.registry import DECLINED
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term

SECOND = 10**6
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_LAST_DAY = 3_652_059
_LONGEST = 999_999_999 * DAY
_RANGES = {
    "date": (1, _LAST_DAY),
    "datetime": (DAY, (_LAST_DAY + 1) * DAY - 1),
    "time": (0, DAY - 1),
    "timedelta": (-_LONGEST, _LONGEST + DAY - 1),
}
_NEW_YEAR = 738_886
"""the first day of 2024"""
_USUAL = {"date": _NEW_YEAR, "datetime": _NEW_YEAR * DAY + 12 * HOUR, "time": 12 * HOUR, "timedelta": 0}
"""Inputs are counted from here, because small numbers are preferred and these are easy to read."""
_UNITS = {
    "weeks": 7 * DAY, "days": DAY, "hours": HOUR, "minutes": MINUTE, "seconds": SECOND, "milliseconds": 1000,
    "microseconds": 1,
}  # fmt: skip
_COMPARE = {"==": terms.eq, "!=": terms.ne, "<": terms.lt, "<=": terms.le, ">": terms.gt, ">=": terms.ge}


@final
class Moment(Measured):
    """A date, time or span of time of the library; `kind` is the name of its class."""

    __slots__ = ("kind",)

    def __init__(self, kind: str, number: IntLike) -> None:
        self.kind = kind
        self.number = number

    def equals(self, other: object) -> bool | Term:
        """`self == other`"""
        same = measured(other)
        return same is not None and same.kind == self.kind and terms.eq(self.number, same.number)

    def truth(self) -> bool | Term:
        """Only a span of time without any length is false."""
        return terms.ne(self.number, 0) if self.kind == "timedelta" else True

    def real(self) -> type:
        """The class of the library."""
        # Few programs have dates, and the module takes long to load.
        import datetime

        found: type = getattr(datetime, self.kind)
        return found

    def known(self, number: int) -> Any:
        """The library's own object, for this number."""
        import datetime

        day, rest = divmod(number, DAY)
        match self.kind:
            case "date":
                return datetime.date.fromordinal(number)
            case "timedelta":
                return datetime.timedelta(microseconds=number)
        clock = datetime.time(rest // HOUR, rest // MINUTE % 60, rest // SECOND % 60, rest % SECOND)
        return clock if self.kind == "time" else datetime.datetime.combine(datetime.date.fromordinal(day), clock)


def measured(value: object) -> Moment | None:
    """A date or time as a number, known or not; None for anything else and for what has a time zone."""
    if isinstance(value, Moment):
        return value
    cls: Any = value.__class__
    if cls.__module__ != "datetime" or getattr(value, "tzinfo", None) is not None or getattr(value, "fold", False):
        return None
    given: Any = value
    match cls.__name__:
        case "timedelta":
            return Moment("timedelta", given.days * DAY + given.seconds * SECOND + given.microseconds)
        case "date":
            return Moment("date", given.toordinal())
        case "time" | "datetime" as kind:
            clock = given.hour * HOUR + given.minute * MINUTE + given.second * SECOND + given.microsecond
            return Moment(kind, clock + (given.toordinal() * DAY if kind == "datetime" else 0))
    return None


def fresh(inputs: Inputs, type_name: str, name: str) -> Moment | None:
    """An arbitrary input; None for classes of which there are no moments."""
    kind = type_name.removeprefix("datetime.")
    if kind not in _RANGES or not type_name.startswith("datetime."):
        return None
    (low, high), usual = _RANGES[kind], _USUAL[kind]
    number = inputs.number(f"{'ordinal' if kind == 'date' else 'microseconds'}({name})", low - usual, high - usual)
    return Moment(kind, terms.add(usual, number))


def operate(st: State, op: str, left: Value, right: Value) -> Value:
    """An operator where one side is a moment; DECLINED where only the library knows the answer."""
    a, b = measured(left), measured(right)
    if op == "unary -" and a is not None and a.kind == "timedelta":
        return Moment("timedelta", terms.neg(a.number))
    if a is None or b is None:
        return _scaled(st, op, a, right) if a is not None else _scaled(st, op, b, left) if op == "*" else DECLINED
    if op in _COMPARE:
        if a.kind == b.kind:
            return _COMPARE[op](a.number, b.number)
        return op == "!=" if op in ("==", "!=") else DECLINED
    match a.kind, op, b.kind:
        case ("timedelta" | "datetime" as kind, "+" | "-", "timedelta"):
            return _made(st, kind, (terms.add if op == "+" else terms.sub)(a.number, b.number))
        case ("timedelta", "+", "datetime"):
            return _made(st, "datetime", terms.add(a.number, b.number))
        case ("date", "+" | "-", "timedelta"):
            days = terms.floordiv(b.number, DAY)
            return _made(st, "date", (terms.add if op == "+" else terms.sub)(a.number, days))
        case ("timedelta", "+", "date"):
            return _made(st, "date", terms.add(b.number, terms.floordiv(a.number, DAY)))
        case ("datetime", "-", "datetime"):
            return Moment("timedelta", terms.sub(a.number, b.number))
        case ("date", "-", "date"):
            return Moment("timedelta", terms.mul(DAY, terms.sub(a.number, b.number)))
    return DECLINED


def _scaled(st: State, op: str, span: Moment | None, factor: Value) -> Value:
    """A span of time, so many times."""
    if span is None or span.kind != "timedelta" or not isinstance(factor, (int, Term)) or op != "*":
        return DECLINED
    if isinstance(factor, Term) and (factor.sort != "int" or isinstance(span.number, Term)):
        return DECLINED
    return _made(st, "timedelta", terms.mul(span.number, int(factor) if isinstance(factor, bool) else factor))


def _made(st: State, kind: str, number: IntLike) -> Moment:
    """A result, which the library refuses if it is out of range."""
    low, high = _RANGES[kind]
    fits = terms.and_(terms.le(low, number), terms.le(number, high))
    possible = st.pc.decide(fits) if isinstance(fits, Term) else 1 if fits else 2
    if possible == 2:
        raise Fault("OverflowError", "date value out of range")
    if possible != 1:
        assert isinstance(fits, Term)
        raise Fixed(f"a {kind} beyond what the library can represent is not tried", (Assume(fits),))
    return Moment(kind, number)


def attribute(value: Moment, name: str) -> Value:
    """`value.name`; UNBOUND where it has to be asked of the library's own object."""
    part = _PARTS.get((value.kind, name))
    if part is not None:
        return part(value.number)
    if name == "tzinfo" and value.kind in ("datetime", "time"):
        return None
    found = getattr(value.real(), name, UNBOUND)
    return BoundMethod(value, name) if callable(found) else UNBOUND


def call(value: Moment, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """`value.name()`; DECLINED where it takes the library's own object."""
    method = _METHODS.get((value.kind, name))
    return DECLINED if method is None or args or keywords else method(value.number)


def make(st: State, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """A function or class of the library that makes a moment of symbolic arguments; DECLINED for any other."""
    if name == "datetime.datetime.combine" and len(args) == 2 and not keywords:
        day, clock = measured(args[0]), measured(args[1])
        if day is not None and clock is not None and (day.kind, clock.kind) == ("date", "time"):
            return Moment("datetime", terms.add(terms.mul(DAY, day.number), clock.number))
    if name == "datetime.date.fromordinal" and len(args) == 1 and _is_number(args[0]) and not keywords:
        # The library refuses what is no ordinal, which the path then has to know.
        return DECLINED
    if name == "datetime.timedelta" and len(args) < 2 and all(map(_is_number, (*args, *keywords.values()))):
        given = {**dict(zip(("days",), args)), **keywords}
        if given and given.keys() <= _UNITS.keys() and len(given) == len(args) + len(keywords):
            number: IntLike = 0
            for unit, count in given.items():
                number = terms.add(number, terms.mul(_UNITS[unit], _as_number(count)))
            return _made(st, "timedelta", number)
    return DECLINED


def _is_number(value: Value) -> bool:
    return value.sort == "int" if isinstance(value, Term) else type(value) is int


def _as_number(value: Value) -> IntLike:
    assert isinstance(value, (int, Term))
    return value


def _weekday(ordinal: IntLike) -> IntLike:
    return terms.floormod(terms.add(ordinal, 6), 7)


def _calendar(ordinal: IntLike) -> tuple[IntLike, IntLike, IntLike]:
    """Year, month and day, with years that begin in March, so that the odd day is the last one of its year."""
    # The algorithm `civil_from_days` of Howard Hinnant ("chrono-Compatible Low-Level Date Algorithms"); it needs no
    # cases, so the path does not fork. Day 0 is the first of March of the year 0. Periods of 400, 4 and 1 years have
    # fixed numbers of days; the months from March on have 153 in five of them.
    day = terms.add(ordinal, 305)
    period = terms.floordiv(day, 146_097)
    day = terms.sub(day, terms.mul(period, 146_097))
    odd = [terms.floordiv(day, length) for length in (1_460, 36_524, 146_096)]
    year = terms.floordiv(terms.sub(terms.add(terms.sub(day, odd[0]), odd[1]), odd[2]), 365)
    leaps = terms.sub(terms.floordiv(year, 4), terms.floordiv(year, 100))
    day = terms.sub(day, terms.add(terms.mul(365, year), leaps))
    month = terms.floordiv(terms.add(terms.mul(5, day), 2), 153)
    day = terms.add(terms.sub(day, terms.floordiv(terms.add(terms.mul(153, month), 2), 5)), 1)
    late = terms.ge(month, 10)
    month = terms.add(month, terms.ite_int(late, -9, 3))
    return terms.add(terms.add(year, terms.mul(400, period)), terms.ite_int(late, 1, 0)), month, day


def _part_of_date(at: int, unit: int) -> Callable[[IntLike], IntLike]:
    return lambda number: _calendar(terms.floordiv(number, unit))[at]


def _clock(unit: int, size: int) -> Callable[[IntLike], IntLike]:
    return lambda number: terms.floormod(terms.floordiv(terms.floormod(number, DAY), unit), size)


_PARTS: dict[tuple[str, str], Callable[[IntLike], IntLike]] = {
    ("timedelta", "days"): lambda number: terms.floordiv(number, DAY),
    ("timedelta", "seconds"): lambda number: terms.floordiv(terms.floormod(number, DAY), SECOND),
    ("timedelta", "microseconds"): lambda number: terms.floormod(number, SECOND),
    **{("date", name): _part_of_date(at, 1) for at, name in enumerate(("year", "month", "day"))},
    **{("datetime", name): _part_of_date(at, DAY) for at, name in enumerate(("year", "month", "day"))},
    **{
        (kind, name): part
        for kind in ("datetime", "time")
        for name, part in {
            "hour": _clock(HOUR, 24), "minute": _clock(MINUTE, 60), "second": _clock(SECOND, 60),
            "microsecond": _clock(1, SECOND),
        }.items()
    },
}  # fmt: skip
_METHODS: dict[tuple[str, str], Callable[[IntLike], Value]] = {
    ("date", "weekday"): _weekday,
    ("date", "isoweekday"): lambda ordinal: terms.add(_weekday(ordinal), 1),
    ("date", "toordinal"): lambda ordinal: ordinal,
    ("datetime", "weekday"): lambda number: _weekday(terms.floordiv(number, DAY)),
    ("datetime", "isoweekday"): lambda number: terms.add(_weekday(terms.floordiv(number, DAY)), 1),
    ("datetime", "toordinal"): lambda number: terms.floordiv(number, DAY),
    ("datetime", "date"): lambda number: Moment("date", terms.floordiv(number, DAY)),
    ("datetime", "time"): lambda number: Moment("time", terms.floormod(number, DAY)),
    ("timedelta", "total_seconds"): lambda number: terms.int_div(number, SECOND),
}
