"""Who runs next under a plan. This part of the scheduler needs no threads, and so can be tested without any."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from everypath.concurrency.schedule import Leg, Plan, Point
from everypath.race.control.clocks import CLOCK
from everypath.race.control.monitor import NEVER, READY, WAITING, Party
from everypath.race.events import KIND_NAMES, SITES

Name = tuple[str, str]
"""Function and operation, as a point names them."""


@cache
def name_of(kind: int, site: int) -> Name:
    """An operation as a point names it."""
    where = SITES[site]
    return where.function, f"{KIND_NAMES[kind]} {where.text}"


def can_run(party: Party) -> bool:
    """Whether the party would get on if it had the baton."""
    if party.state != WAITING:
        return party.state == READY
    return not party.waiting.locked() or (party.deadline is not None and CLOCK.passed >= party.deadline)


class Turns:
    """How far a plan has been followed: the current leg, and the legs after it."""

    __slots__ = ("_index", "_parties", "_plan", "missed")

    def __init__(self, plan: Plan, parties: Sequence[Party]) -> None:
        self._plan = plan
        self._index = 0
        self._parties = parties
        self.missed = False
        """whether a leg ended before its point was reached"""
        for leg in plan:
            if isinstance(leg.until, Point):
                party = parties[leg.thread]
                party.counts = {**(party.counts or {}), (leg.until.function, leg.until.operation): 0}

    def choose(self) -> Party | None:
        """Who runs now: by the plan; else the first that can; else whoever stops waiting first; None if nobody can."""
        plan = self._plan
        while self._index < len(plan):
            leg = plan[self._index]
            party = self._parties[leg.thread]
            if can_run(party) and self._aim(party, leg):
                return party
            self.missed = self.missed or leg.until is not None
            self._index += 1
        for party in self._parties:
            if can_run(party):
                self._free(party)
                return party
        # Everybody waits. Time stands still while anybody can run, so now the first time-out is due.
        return self._expire()

    def arrived(self, party: Party, name: Name | None) -> bool:
        """Whether the party is at the end of its leg, about to do the named operation."""
        point = party.point
        if point is None:
            return party.done == party.stop
        return name == (point.function, point.operation) and party.counts[name] + 1 == point.occurrence  # type: ignore[index]

    def next_leg(self) -> None:
        """End the current leg."""
        self._free(self._parties[self._plan[self._index].thread])
        self._index += 1

    def leave(self, party: Party) -> None:
        """The party waits or is done, which also ends its leg if it is in one."""
        if self._index < len(self._plan) and self._plan[self._index].thread == party.number:
            self.missed = self.missed or self._plan[self._index].until is not None
            self.next_leg()

    def give_up(self) -> None:
        """Stop following the plan."""
        self.missed = self.missed or any(leg.until is not None for leg in self._plan[self._index :])
        if self._index < len(self._plan):
            self.next_leg()
        self._index = len(self._plan)

    def _aim(self, party: Party, leg: Leg) -> bool:
        """Set out on a leg; False if the party has already passed its end."""
        until = leg.until
        self._free(party)
        if isinstance(until, Point):
            if party.counts[until.function, until.operation] >= until.occurrence:  # type: ignore[index]
                return False
            party.point = until
        elif until is not None:
            if until < party.done:
                return False
            party.stop = until
        set_mark(party)
        return True

    def _free(self, party: Party) -> None:
        party.stop = NEVER
        party.point = None
        set_mark(party)

    def _expire(self) -> Party | None:
        waiting = [party for party in self._parties if party.state == WAITING]
        timed = [(party.deadline, party.number, party) for party in waiting if party.deadline is not None]
        if not timed:
            return None
        deadline, _, party = min(timed)
        CLOCK.passed = max(CLOCK.passed, deadline)
        party.state = READY
        return party


def set_mark(party: Party) -> None:
    """Choose the number of operations up to which the scheduler need not be asked."""
    party.mark = 0 if party.counts is not None else min(party.stop, party.limit - party.loops)
