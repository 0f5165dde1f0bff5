"""Locks that announce what happens to them, and let the other thread run instead of really blocking.

Each is a real lock underneath, so that a thread outside the arena can use it as usual.
"""

from __future__ import annotations

import sys
import threading
from _thread import LockType, get_ident
from _thread import RLock as NativeRLock
from typing import Any, NoReturn

from everypath.race.control.clocks import CLOCK
from everypath.race.control.monitor import MONITOR, Party, native_lock
from everypath.race.control.places import WHEREABOUTS
from everypath.race.events import ACQUIRE, FAILED, RELEASE, SITES

_FOREVER = -1
_LIBRARY = vars(threading)


class Stuck(BaseException):
    """Code that runs alone waits for something that nobody will do."""

    def __init__(self) -> None:
        super().__init__("waits, and nobody is left who could wake it")


class Solitude:
    """The thread that runs alone while the arena rests: nobody could wake it if it waited."""

    ident = 0

    def waits(self) -> bool:
        """Whether the current thread is this one; asked when it is about to wait."""
        return bool(self.ident) and self.ident == get_ident()


ALONE = Solitude()


def running_party() -> Party | None:
    """The party that runs this code; None outside the arena."""
    party = MONITOR.current
    return party if party is not None and party.ident == get_ident() else None


class _Controlled:
    """What both kinds of lock have in common: a real lock, which party took it, and where."""

    __slots__ = ("__weakref__", "_holder", "_real", "_site")

    def __init__(self) -> None:
        self._real = native_lock()
        self._holder: Party | None = None
        self._site = -1

    def locked(self) -> bool:
        """As `threading.Lock.locked`, and as `threading.RLock.locked` from Python 3.14 on."""
        return self._real.locked()

    def release(self) -> None:
        """As `threading.Lock.release` and `threading.RLock.release`."""
        self._release(False)

    def __exit__(self, *_: object) -> None:
        self._release(True)

    def _release(self, remembered: bool) -> None:
        """Let go; with `remembered`, the event is named as the acquire was, since the source has no other name for
        it.
        """
        raise NotImplementedError

    def __copy__(self) -> Any:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        # The program itself cannot copy locks, and may rely on that.
        if MONITOR.current is not None:
            self.__reduce__()
        made = type(self)()
        memo[id(self)] = made
        if self._real.locked():
            made._real.acquire()
        return made

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle '_thread.{self.__class__.__name__}' object")

    def __repr__(self) -> str:
        return f"<{'locked' if self.locked() else 'unlocked'} {type(self).__name__}>"

    def _at_fork_reinit(self) -> None:
        self._real = native_lock()
        self._holder = None

    def _take(self, party: Party, blocking: bool, timeout: float) -> bool:
        """Announce, then get the lock or wait for it."""
        frame = sys._getframe(2)
        if frame.f_globals is _LIBRARY:
            # A condition or semaphore takes its lock in Python code: a function has been entered on the way.
            party.today = True
        site = WHEREABOUTS.site(frame)
        MONITOR.access(ACQUIRE, site, self, None)
        # The event was recorded before it is known whether the lock can be had; if not, it is marked as failed.
        number = len(MONITOR.events) - 1
        if not self._real.acquire(False) and not (
            blocking and MONITOR.scheduler.wait(party, self._real, self, site, None if timeout == _FOREVER else timeout)
        ):
            if MONITOR.record:
                owner, event = MONITOR.events[number]
                MONITOR.events[number] = owner, event._replace(key=FAILED)
            return False
        self._site = site
        self._holder = party
        party.held += (self,)
        # A thread that waits for a lock gets it before it has the global lock back, so the other thread may run in
        # between. That is why two threads that take two locks in opposite orders can deadlock on every build.
        party.today = True
        return True

    def _announce_release(self, party: Party, remembered: bool) -> None:
        # A thread whose run is over only cleans up: its `finally` blocks must not switch or be recorded.
        if party.ending is None:
            text = SITES[self._site].text if remembered and self._site >= 0 else ""
            MONITOR.access(RELEASE, WHEREABOUTS.site(sys._getframe(3), text), self, None)
            party.today = True

    def _let_go(self) -> None:
        """Release the real lock; the party that took it does not hold it any more."""
        holder = self._holder
        if holder is not None:
            self._holder = None
            if holder.held and holder.held[-1] is self:
                holder.held = holder.held[:-1]
            else:
                holder.held = tuple(lock for lock in holder.held if lock is not self)
        self._real.release()

    def _take_outside(self, blocking: bool, timeout: float) -> bool:
        """Take the lock as a real one is taken, but raise if the wait could never end."""
        if blocking and ALONE.waits() and self._real.locked():
            _check(blocking, timeout)
            if timeout == _FOREVER:
                raise Stuck
            CLOCK.advance(timeout)
            return False
        return self._real.acquire(blocking, timeout)


def _check(blocking: bool, timeout: float) -> None:
    """The errors of a real lock."""
    if timeout != _FOREVER:
        if not blocking:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0:
            raise ValueError("timeout value must be a non-negative number")


class ControlledLock(_Controlled):
    """Stands for `threading.Lock`."""

    __slots__ = ()

    def acquire(self, blocking: bool = True, timeout: float = _FOREVER) -> bool:
        """As `threading.Lock.acquire`."""
        party = running_party()
        if party is None:
            return self._take_outside(blocking, timeout)
        _check(blocking, timeout)
        return self._take(party, blocking, timeout)

    __enter__ = acquire

    def _release(self, remembered: bool) -> None:
        party = running_party()
        if party is not None:
            self._announce_release(party, remembered)
            if party.ending is not None and not self._real.locked():
                return
        if not self._real.locked():
            raise RuntimeError("release unlocked lock")
        self._let_go()

    # Conditions would try to acquire it otherwise: an event that means nothing.
    _is_owned = _Controlled.locked

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The real type: code that learnt the type of locks before they were replaced still recognises one."""
        return LockType

    acquire_lock, release_lock, locked_lock = acquire, _Controlled.release, _Controlled.locked


class ControlledRLock(_Controlled):
    """Stands for `threading.RLock`; only the outermost acquire and release are events."""

    __slots__ = ("_count", "_owner")

    def __init__(self) -> None:
        super().__init__()
        self._owner = 0
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = _FOREVER) -> bool:
        """As `threading.RLock.acquire`."""
        me = get_ident()
        party = running_party()
        if self._owner == me:
            _check(blocking, timeout)
            self._count += 1
            if party is not None:
                # Counts as a step only: a loop that does nothing else must end as well.
                MONITOR.iteration()
            return True
        if party is not None:
            _check(blocking, timeout)
            taken = self._take(party, blocking, timeout)
        else:
            taken = self._take_outside(blocking, timeout)
        if taken:
            self._owner, self._count = me, 1
        return taken

    __enter__ = acquire

    def _release(self, remembered: bool) -> None:
        party = running_party()
        if self._owner != get_ident():
            if party is not None and party.ending is not None:
                return
            raise RuntimeError("cannot release un-acquired lock")
        if self._count > 1:
            self._count -= 1
            return
        if party is not None:
            self._announce_release(party, remembered)
        self._owner = self._count = 0
        self._let_go()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = super().__deepcopy__(memo)
        made._owner, made._count = self._owner, self._count
        return made

    def _at_fork_reinit(self) -> None:
        super()._at_fork_reinit()
        self._owner = self._count = 0

    def _is_owned(self) -> bool:
        return self._owner == get_ident()

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """As for locks."""
        return NativeRLock

    def _recursion_count(self) -> int:
        return self._count if self._owner == get_ident() else 0

    def _release_save(self) -> tuple[int, int]:
        saved = self._count, self._owner
        if self._owner == get_ident():
            self._count = 1
        self._release(True)
        return saved

    def _acquire_restore(self, saved: tuple[int, int]) -> None:
        self.acquire()
        self._count, self._owner = saved
