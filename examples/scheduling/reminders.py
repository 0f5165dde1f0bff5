"""Telling people what comes."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from .calendar_rules import Slot
from .storage import Appointments

log = logging.getLogger(__name__)


class Reminders:
    """Which reminders are to be sent when."""

    def __init__(self, appointments: Appointments, before: timedelta = timedelta(hours=1), most: int = 3) -> None:
        if before <= timedelta(0):
            raise ValueError("a reminder comes before")
        self.appointments = appointments
        self.before = before
        self.most = most
        self._waiting: deque[tuple[datetime, str]] = deque()
        self._sent: set[tuple[datetime, str]] = set()

    def plan(self, who: str, now: datetime) -> int:
        """Note the reminders of a person; how many are new."""
        new = 0
        for slot in self.appointments.of(who):
            entry = (slot.start - self.before, who)
            if slot.start < now or entry in self._sent or entry in self._waiting:
                continue
            if len(self._waiting) >= self.most:
                log.warning("no room for %s", who)
                break
            self._waiting.append(entry)
            new += 1
        return new

    def send(self, now: datetime, deliver: Callable[[str, str], bool]) -> list[str]:
        """Deliver what is due; those whom it did not reach."""
        missed = []
        for _ in range(len(self._waiting)):
            entry = self._waiting.popleft()
            at, who = entry
            if at > now:
                self._waiting.append(entry)
            elif deliver(who, f"at {at + self.before:%H:%M}"):
                self._sent.add(entry)
            else:
                missed.append(who)
        return missed

    @property
    def pending(self) -> int:
        return len(self._waiting)


def describe(slot: Slot, now: datetime) -> str:
    """A slot in words, seen from now."""
    if slot.end <= now:
        return "over"
    if slot.start <= now:
        left = slot.end - now
        return f"{int(left.total_seconds() // 60)} minutes left"
    days = (slot.start.date() - now.date()).days
    if days == 0:
        return f"today at {slot.start:%H:%M}"
    if days == 1:
        return "tomorrow"
    return f"in {days} days"
