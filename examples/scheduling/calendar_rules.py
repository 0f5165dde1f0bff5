"""When something may take place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

OPENS = time(8, 0)
CLOSES = time(18, 0)
SATURDAY = 5


@dataclass(frozen=True, order=True)
class Slot:
    """From when to when."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise ValueError("a slot ends after it starts")

    @property
    def length(self) -> timedelta:
        return self.end - self.start

    def overlaps(self, other: Slot) -> bool:
        return self.start < other.end and other.start < self.end

    def moved(self, by: timedelta) -> Slot:
        return Slot(self.start + by, self.end + by)


def is_working_day(day: date, holidays: frozenset[date] = frozenset()) -> bool:
    """Monday to Friday, if it is no holiday."""
    return day.weekday() < SATURDAY and day not in holidays


def next_working_day(day: date, holidays: frozenset[date] = frozenset()) -> date:
    """The first working day after this one."""
    day += timedelta(days=1)
    while not is_working_day(day, holidays):
        day += timedelta(days=1)
    return day


def within_hours(slot: Slot) -> bool:
    """Whether a slot lies in the opening hours of one day."""
    if slot.start.date() != slot.end.date():
        return False
    return slot.start.time() >= OPENS and slot.end.time() <= CLOSES


def merge(slots: Iterable[Slot]) -> list[Slot]:
    """The same time in as few slots as possible."""
    merged: list[Slot] = []
    for slot in sorted(slots):
        if merged and slot.start <= merged[-1].end:
            last = merged.pop()
            merged.append(Slot(last.start, max(last.end, slot.end)))
        else:
            merged.append(slot)
    return merged


def free(day: date, taken: list[Slot], length: timedelta) -> Iterator[Slot]:
    """The gaps of a day that are long enough."""
    start = datetime.combine(day, OPENS)
    end = datetime.combine(day, CLOSES)
    for slot in merge(taken):
        if slot.start - start >= length:
            yield Slot(start, slot.start)
        if slot.end > start:
            start = slot.end
    if end - start >= length:
        yield Slot(start, end)


def parse_duration(text: str) -> timedelta:
    """`90m`, `2h`, `1d`: a number and a unit."""
    number, unit = text[:-1], text[-1:]
    if not number.isdigit():
        raise ValueError(f"no duration: {text!r}")
    match unit:
        case "m":
            return timedelta(minutes=int(number))
        case "h":
            return timedelta(hours=int(number))
        case "d":
            return timedelta(days=int(number))
        case _:
            raise ValueError(f"unknown unit {unit!r}")
