"""Two persistent real threads that hand a baton to each other exactly where a plan says.

Each thread sleeps at its own gate, a raw lock that stays taken until somebody lets the thread through; the controller
has a gate, too. To hand over is to release the other's gate and to wait at one's own. Everything is decided by the
thread that has the baton, so the same plan always gives the same run. Reusing two threads is much
cheaper than starting fresh ones for each run.
"""

from __future__ import annotations

import os
import threading
from _thread import get_ident, get_native_id, stack_size
from collections.abc import Sequence
from contextvars import Context
from typing import Any, NoReturn

from everypath.concurrency.schedule import Plan
from everypath.race.control.clocks import CLOCK
from everypath.race.control.monitor import DONE, MONITOR, READY, WAITING, Party, native_lock, native_start
from everypath.race.control.places import current_site
from everypath.race.control.primitives import forget_locals
from everypath.race.control.turns import Turns, can_run, name_of, set_mark
from everypath.race.running import Blocked, Endless, Job, NotReached, Outcome, Raised, Returned, Run

_STACK = 32 * 1024 * 1024
"""Bytes for the stack of a thread, which holds the frames of our hooks as well as those of the code under test."""
_PATIENCE = 2_000
"""How often a thread may swallow the end of its run before it is left behind."""
_FIRST_SHARE, _SHARE = 2, 16
"""A thread that has used this share of all steps lets the other one run, whatever the plan says."""
_HEADROOM = 12
"""Stack frames that handing over may need."""
_STAY, _LOOK = 20_000, 64
"""Runs on one core, and then runs on any core, in which the system may find a better one for us."""


class Unwound(BaseException):
    """Ends a thread's part in a run, whatever it is doing; no `Exception`, so that `except Exception` lets it pass."""


class RealArena:
    """Two persistent real threads of which only one runs at a time, switching where the plan says.

    One thread, the controller, uses it for one run at a time.
    """

    def __init__(self) -> None:
        self._gate = native_lock()
        self._gate.acquire()
        self._closing = False
        self._jobs: tuple[Sequence[Job], Sequence[Job]] = ((), ())
        self._outcomes: tuple[list[Outcome], list[Outcome]] = ([], [])
        self._boundaries: tuple[list[int], list[int]] = ([], [])
        self._turns = Turns((), ())
        self._steps = 0
        self._over = False
        self._swallowed = 0
        self._stubborn: Party | None = None
        self.abandoned = 0
        """threads that could not be ended and were replaced"""
        self._parties = [self._start(0), self._start(1)]
        self._core = Core()

    def run(
        self, first: Sequence[Job], second: Sequence[Job], plan: Plan, *, record: bool = False, steps: int = 20_000
    ) -> Run:
        """Run the calls of both threads under the plan; at most `steps` events and loop iterations."""
        self._core.next_run(self._threads())
        self._jobs = (first, second)
        self._outcomes = ([], [])
        self._boundaries = ([], [])
        self._steps = steps
        self._over = False
        self._swallowed = 0
        for party, jobs in zip(self._parties, self._jobs, strict=True):
            party.begin(max(steps // _FIRST_SHARE, 1))
            if not jobs:
                party.state = DONE
        self._turns = Turns(plan, self._parties)
        MONITOR.scheduler = self
        MONITOR.record = record
        MONITOR.events = []
        party_or_none = self._turns.choose()
        if party_or_none is not None:
            self._let(party_or_none)
            while any(party.state != DONE for party in self._parties):
                self._end_the_rest()
        events = tuple(MONITOR.events)
        MONITOR.events = []
        for jobs, outcomes in zip(self._jobs, self._outcomes, strict=True):
            outcomes.extend([NotReached()] * (len(jobs) - len(outcomes)))
        (first_ends, second_ends), (first_began, second_began) = self._outcomes, self._boundaries
        ends, began = (tuple(first_ends), tuple(second_ends)), (tuple(first_began), tuple(second_began))
        return Run(ends, events, began, self._turns.missed)

    def close(self) -> None:
        """End the threads."""
        if not self._closing:
            self._closing = True
            self._core.leave(self._threads())
            for party in self._parties:
                party.gate.release()
                self._gate.acquire()

    def reached(self, party: Party, kind: int, site: int) -> None:
        """See `monitor.Scheduler`."""
        if not self._has_turn(party):
            return
        if party.steps >= party.limit:
            self.tired(party)
        turns = self._turns
        name = None if party.counts is None else name_of(kind, site)
        # Several legs may end at the same operation.
        while turns.arrived(party, name):
            turns.next_leg()
            following = turns.choose()
            if following is not party:
                self._hand_over(party, following)
        if party.counts is not None and name in party.counts:
            party.counts[name] += 1

    def tired(self, party: Party) -> None:
        """See `monitor.Scheduler`: a loop that waits for the other thread to do something is not endless."""
        if not self._has_turn(party):
            return
        # The thread may be in a loop that waits for something the other one does. Only when both together have used up
        # all steps is the run endless.
        left = self._steps - sum(each.steps for each in self._parties)
        if left <= 0:
            self._over = True
            party.end(Endless(current_site()), Unwound())
            self._raise_again(party)
        party.limit = party.steps + min(left, max(self._steps // _SHARE, 1))
        other = self._parties[1 - party.number]
        if can_run(other):
            self._turns.give_up()
            self._hand_over(party, other)
        set_mark(party)

    def wait(self, party: Party, lock: Any, wanted: object, site: int, timeout: float | None) -> bool:
        """See `monitor.Scheduler`."""
        self._has_turn(party)
        party.wanted, party.waiting, party.site = wanted, lock, site
        party.deadline = None if timeout is None else CLOCK.passed + timeout
        party.state = WAITING
        while True:
            # The lock may be taken away again before this thread gets its turn, so it asks until it has the lock or
            # time is up.
            self._turns.leave(party)
            following = self._turns.choose()
            if following is not party:
                self._hand_over(party, following)
            if lock.acquire(False):
                party.state = READY
                return True
            if party.state == READY or (party.deadline is not None and CLOCK.passed >= party.deadline):
                party.state = READY
                return False

    def _has_turn(self, party: Party) -> bool:
        """Whether this is the party's own thread; raises if its run is over or the stack is about to overflow."""
        # Rewritten code may also run on threads outside the arena, and those have no turn to wait for.
        if party.ident != get_ident():
            return False
        if party.ending is not None:
            self._raise_again(party)
        _headroom(_HEADROOM)
        return True

    def _hand_over(self, party: Party, following: Party | None) -> None:
        MONITOR.current = following
        (self._gate if following is None else following.gate).release()
        party.gate.acquire()
        if party.ending is not None:
            self._raise_again(party)

    def _let(self, party: Party) -> None:
        """In the controller: let the party run until nobody can go on, or nobody is left."""
        MONITOR.current = party
        party.gate.release()
        self._gate.acquire()

    def _raise_again(self, party: Party) -> NoReturn:
        assert party.ending is not None
        # Code with `except:` in a loop can catch the end of its own run again and again.
        self._swallowed += 1
        if self._swallowed > _PATIENCE:
            self._stubborn = party
            MONITOR.current = None
            self._gate.release()
            while True:
                party.gate.acquire()
        raise party.ending

    def _end_the_rest(self) -> None:
        """In the controller, when nobody can go on: note what each thread waits for, then end them one after the
        other.
        """
        self._over = True
        for party in self._parties:
            if party.state == WAITING:
                party.end(Blocked(party.wanted, party.site, party.held), Unwound())
            elif party.state == READY:
                party.end(Endless(current_site(party.ident)), Unwound())
        for party in list(self._parties):
            if party.state == DONE:
                continue
            if self._stubborn is None and self._boundaries[party.number]:
                self._swallowed = 0
                self._let(party)
            elif self._stubborn is None:
                party.state = DONE
            if self._stubborn is party:
                assert party.verdict is not None
                self._outcomes[party.number].append(party.verdict)
                self._parties[party.number] = self._start(party.number)
                self._stubborn = None
                self.abandoned += 1

    def _threads(self) -> list[int]:
        return [get_native_id(), *(party.native for party in self._parties)]

    def _start(self, number: int) -> Party:
        party = Party(number)
        before = stack_size(_STACK)
        try:
            native_start(self._serve, (party,))
        finally:
            stack_size(before)
        self._gate.acquire()
        return party

    def _serve(self, party: Party) -> None:
        party.ident = get_ident()
        party.native = get_native_id()
        threading.current_thread().name = f"Thread-{party.number + 1}"
        self._gate.release()
        while True:
            party.gate.acquire()
            if self._closing:
                break
            # A fresh context: what one run sets in a context variable must not be there in the next.
            Context().run(self._call_all, party)
            party.state = DONE
            following = None
            if not self._over:
                self._turns.leave(party)
                following = self._turns.choose()
            MONITOR.current = following
            (self._gate if following is None else following.gate).release()
        # Threads that the library did not start stay in its table otherwise.
        threading._active.pop(party.ident, None)  # type: ignore[attr-defined]
        self._gate.release()

    def _call_all(self, party: Party) -> None:
        outcomes = self._outcomes[party.number]
        boundaries = self._boundaries[party.number]
        forget_locals()
        for job in self._jobs[party.number]:
            boundaries.append(party.done + party.others)
            party.today = True
            outcome: Outcome
            try:
                outcome = Returned(job())
            except BaseException as error:
                # This frame is in the traceback, and would keep it and itself alive.
                if error.__traceback__ is not None:
                    error.__traceback__ = error.__traceback__.tb_next
                outcome = Raised(error)
            if party.verdict is not None:
                outcomes.append(party.verdict)
                return
            outcomes.append(outcome)


def _headroom(frames: int) -> None:
    """Raise the recursion error now, before anything has changed hands, if the stack is about to overflow."""
    if frames:
        _headroom(frames - 1)


class Core:
    """Keeps the threads on one core: waking a sleeping thread there is three times as fast as on another one."""

    def __init__(self) -> None:
        self._allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        self._runs = _STAY

    def next_run(self, threads: Sequence[int]) -> None:
        """Before every run of these threads, given by the system's numbers; the first one is the caller."""
        self._runs += 1
        if self._runs >= _STAY and len(self._allowed) > 1:
            if self._runs == _STAY + 1:
                self.leave(threads)
            elif self._runs > _STAY + _LOOK:
                self._runs = 0
                self._bind(threads, {_current(threads[0])})

    def leave(self, threads: Sequence[int]) -> None:
        """Let the system decide again."""
        if len(self._allowed) > 1:
            self._bind(threads, self._allowed)

    def _bind(self, threads: Sequence[int], cores: set[int]) -> None:
        if not cores <= self._allowed:
            return
        for thread in threads:
            try:
                os.sched_setaffinity(thread, cores)
            except OSError:
                self._allowed = set()


def _current(thread: int) -> int:
    """The core on which a thread last ran; -1 if the system does not tell."""
    try:
        with open(f"/proc/self/task/{thread}/stat", encoding="ascii", errors="replace") as stat:
            return int(stat.read().rpartition(")")[2].split()[36])
    except (OSError, ValueError, IndexError):
        return -1
