"""Appointments in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from .calendar_rules import Slot, within_hours

SCHEMA = """
create table if not exists appointment (
    id integer primary key,
    who text not null,
    start text not null,
    end text not null
)
"""


class Conflict(Exception):
    """The time is taken."""


class Appointments:
    """All appointments of one calendar."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute(SCHEMA)

    def book(self, who: str, slot: Slot) -> int:
        """Enter an appointment; its number."""
        if not who.strip():
            raise ValueError("for whom?")
        if not within_hours(slot):
            raise ValueError("outside the opening hours")
        if self.overlapping(slot):
            raise Conflict(f"{slot.start:%H:%M} is taken")
        with self._transaction():
            row = self.connection.execute(
                "insert into appointment (who, start, end) values (?, ?, ?)",
                (who, slot.start.isoformat(), slot.end.isoformat()),
            )
        number = row.lastrowid
        if number is None:
            raise RuntimeError("the database gave no number")
        return number

    def overlapping(self, slot: Slot) -> list[tuple[int, str]]:
        """Who is there in that time."""
        rows = self.connection.execute(
            "select id, who from appointment where start < ? and end > ? order by start",
            (slot.end.isoformat(), slot.start.isoformat()),
        )
        return [(number, who) for number, who in rows.fetchall()]

    def cancel(self, number: int) -> bool:
        """Whether there was such an appointment."""
        with self._transaction():
            cursor = self.connection.execute("delete from appointment where id = ?", (number,))
        return cursor.rowcount == 1

    def of(self, who: str) -> list[Slot]:
        """The appointments of a person."""
        rows = self.connection.execute("select start, end from appointment where who = ? order by start", (who,))
        return [Slot(datetime.fromisoformat(start), datetime.fromisoformat(end)) for start, end in rows]

    def next(self, who: str, now: datetime) -> Slot | None:
        """The next appointment of a person."""
        for slot in self.of(who):
            if slot.start >= now:
                return slot
        return None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error:
            self.connection.rollback()
            raise
        else:
            self.connection.commit()


def open_calendar(path: str) -> Appointments:
    """The calendar in a file, or in memory."""
    if path != ":memory:" and not path.endswith(".db"):
        raise ValueError("a calendar is a .db file")
    return Appointments(sqlite3.connect(path))
