"""Where everything that a controlled thread does is announced before it does it.

The two threads take turns, so the one that runs is a plain attribute and no lock guards it. In the common case, in
which an operation is only counted, comparing two integers is enough; everything else is up to the scheduler.
"""

from __future__ import annotations

import _thread
from typing import Any, Protocol

from everypath.concurrency.schedule import Point
from everypath.race.events import ENTER, EXIT, Event
from everypath.race.running import Outcome

NEVER = 1 << 60
"""A count that is never reached."""
DONE, READY, WAITING = range(3)

# Kept here because the names in the library are replaced later.
native_lock = _thread.allocate_lock
native_start = _thread.start_new_thread


class Party:
    """One of the two threads, while it runs calls under control."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.ident = 0
        self.native = 0
        """the number of its thread by the interpreter and by the system"""
        self.gate = native_lock()
        """taken by the thread itself to sleep, released by whoever hands the baton to it"""
        self.gate.acquire()
        self.begin(0)
        self.state = DONE

    def begin(self, limit: int) -> None:
        """Begin a new run: nothing done, nothing held; the scheduler is asked after `limit` steps."""
        self.today = True
        self.held: tuple[Any, ...] = ()
        """locks in the order in which they were taken"""
        self.done = 0
        """operations that a schedule can name by number"""
        self.others = 0
        """entries and exits"""
        self.loops = 0
        """loop iterations and calls, which count as steps but not as operations"""
        self.stop = NEVER
        """the number of operations at which the current leg ends"""
        self.point: Point | None = None
        """the operation at which the current leg ends"""
        self.counts: dict[tuple[str, str], int] | None = None
        """how often each operation that the plan names was reached; None if it names none of this thread's"""
        self.limit = limit
        self.mark = limit
        """the scheduler is asked at every operation from this number on"""
        self.ending: BaseException | None = None
        """raised at every hook from now on, because the run is over for this thread"""
        self.verdict: Outcome | None = None
        """how the run ended for this thread in that case"""
        self.state = READY
        self.wanted: Any = None
        """what it waits for, as a person would name it"""
        self.waiting: Any = None
        """the real lock that it must get before it can go on"""
        self.deadline: float | None = None
        """the time at which it waits no longer"""
        self.site = -1
        """where it waits"""
        self.source = ""
        """the call under way"""
        self.handed_in: dict[int, Any] = {}
        """the functions that it was given, by their identities"""
        self.rounds = 0
        """how often it has repeated an operation, if that is all that it does"""
        self.divisions = 0
        """how often the call was divided so far"""

    def end(self, verdict: Outcome, error: BaseException) -> None:
        """Settle how the run ends for this thread, whatever it does from now on."""
        if self.verdict is None:
            self.verdict = verdict
            self.ending = error
        self.mark = self.limit = 0

    @property
    def steps(self) -> int:
        """Everything that counts towards the limit of a run."""
        return self.done + self.loops


class Scheduler(Protocol):
    """Who runs next."""

    def reached(self, party: Party, kind: int, site: int) -> None:
        """The party is about to do an operation at or past its mark; another may run first, or it may end here."""

    def tired(self, party: Party) -> None:
        """The party has done all the steps it may do without being looked at."""

    def wait(self, party: Party, lock: Any, wanted: object, site: int, timeout: float | None) -> bool:
        """Let others run until the party has got the real lock; False if time ran out before."""


class Monitor:
    """The announcements; with no current party they cost one comparison and mean nothing."""

    __slots__ = ("current", "events", "record", "scheduler")

    def __init__(self) -> None:
        self.current: Party | None = None
        self.record = False
        self.events: list[tuple[int, Event]] = []
        self.scheduler: Scheduler
        """set by the arena before any party is current"""

    def access(self, kind: int, site: int, target: object, key: object) -> None:
        """An operation is about to happen; the other thread may run first."""
        party = self.current
        if party is None:
            return
        if party.done >= party.mark:
            self.scheduler.reached(party, kind, site)
        party.done += 1
        if self.record:
            self.events.append((party.number, Event(kind, site, target, key, party.today, party.held)))
        # With a global lock there is no switch before the next function entry, loop round or return from C code.
        party.today = False

    def enter(self, site: int) -> None:
        """A rewritten function begins, or a generator goes on."""
        party = self.current
        if party is None:
            return
        party.others += 1
        self.iteration()
        if self.record:
            self.events.append((party.number, Event(ENTER, site, None, None, True, party.held)))

    def leave(self, site: int) -> None:
        """A rewritten function ends, normally or not; never raises."""
        party = self.current
        if party is None:
            return
        # Not a point to end a run at: it is called in a `finally`, where raising would hide the program's own error.
        party.others += 1
        if self.record:
            self.events.append((party.number, Event(EXIT, site, None, None, party.today, party.held)))

    def iteration(self) -> None:
        """A loop begins its next round."""
        party = self.current
        if party is None:
            return
        party.today = True
        party.loops += 1
        if party.done + party.loops >= party.limit:
            self.scheduler.tired(party)

    def native_returned(self) -> None:
        """A call of C code has come back."""
        party = self.current
        if party is not None:
            party.today = True


MONITOR = Monitor()
"""The one monitor of the process."""
