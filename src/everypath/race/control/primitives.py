"""What the library builds on locks: conditions, events, semaphores, barriers, queues and futures.

Their code runs as it is, over controlled locks. Waiting and waking are announced as such, and so are accesses to the
few attributes that their state consists of, because this code is not rewritten.
"""

from __future__ import annotations

import _queue
import _thread
import queue
import sys
import threading
import weakref
from _thread import _local as native_local
from concurrent.futures import Future
from typing import Any

from everypath.concurrency.access import WHOLE
from everypath.race.control.clocks import CLOCK
from everypath.race.control.locks import ALONE, ControlledLock, ControlledRLock, Stuck, running_party
from everypath.race.control.monitor import MONITOR, native_lock
from everypath.race.control.places import WHEREABOUTS
from everypath.race.events import NOTIFY, READ, UPDATE, WAIT, WRITE

WAITERS = "waiters"
"""The key of the place that is accessed by waiting on a condition, and by waking up those that wait there."""

_native_wait = threading.Condition.wait
_native_notify = threading.Condition.notify


def _announce(kind: int, target: object, key: object) -> int:
    """An operation by library code, at the line of the code under test that called it."""
    site = WHEREABOUTS.site(sys._getframe(2))
    MONITOR.access(kind, site, target, key)
    return site


def _wait(self: Any, timeout: float | None = None) -> bool:
    """As `Condition.wait`; the waiter is a real lock, which whoever notifies releases."""
    party = running_party()
    if party is None:
        if ALONE.waits() and self._is_owned():
            if timeout is None:
                raise Stuck
            CLOCK.advance(max(timeout, 0.0))
            return False
        return _native_wait(self, timeout)
    if not self._is_owned():
        raise RuntimeError("cannot wait on un-acquired lock")
    site = _announce(WAIT, self, WAITERS)
    waiter = _Waiter()
    self._waiters.append(waiter)
    woken = False
    saved = self._release_save()
    try:
        woken = waiter.real.acquire(False)
        if not woken and (timeout is None or timeout > 0):
            woken = MONITOR.scheduler.wait(party, waiter.real, self, site, timeout)
    finally:
        self._acquire_restore(saved)
        if not woken and waiter in self._waiters:
            self._waiters.remove(waiter)
    return woken


def _notify(self: Any, n: int = 1) -> None:
    """As `Condition.notify`."""
    if running_party() is not None:
        if not self._is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        _announce(NOTIFY, self, WAITERS)
    _native_notify(self, n)


class _Waiter:
    """What a condition keeps for everybody who waits: taken until it is released by a notification."""

    __slots__ = ("real",)

    def __init__(self) -> None:
        self.real = native_lock()
        self.real.acquire()

    def release(self) -> None:
        """Wake up."""
        self.real.release()


class _Observed:
    """An attribute of library code whose accesses are announced; the value stays where it was."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        if running_party() is not None:
            _announce(READ, instance, self._name)
        try:
            return instance.__dict__[self._name]
        except KeyError:
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}") from None

    def __set__(self, instance: Any, value: Any) -> None:
        if running_party() is not None:
            _announce(WRITE, instance, self._name)
        instance.__dict__[self._name] = value


def _on_contents(method: Any, kind: int) -> Any:
    """The method of a queue, made to announce that it reads or changes what the queue contains."""

    def step(self: Any, *arguments: Any) -> Any:
        if running_party() is not None:
            _announce(kind, self.queue, WHOLE)
        return method(self, *arguments)

    return step


_MADE: list[tuple[weakref.ref[Any], tuple[Any, ...], dict[str, Any]]] = []
"""Every object that keeps values per thread, with what it was made from."""


class ControlledLocal(native_local):
    """Stands for `threading.local`; the threads of the arena persist, but begin every run without data, as new ones."""

    def __new__(cls, /, *arguments: Any, **named: Any) -> Any:
        made = super().__new__(cls, *arguments, **named)
        _MADE.append((weakref.ref(made), arguments, named))
        return made


def forget_locals() -> None:
    """Forget what a thread kept in an earlier run; called when it begins a run."""
    if not _MADE:
        return
    _MADE[:] = [entry for entry in _MADE if entry[0]() is not None]
    for reference, arguments, named in _MADE:
        local = reference()
        if local is not None and local.__dict__:
            local.__dict__.clear()
            type(local).__init__(local, *arguments, **named)


def primitive_replacements() -> list[tuple[Any, str, Any]]:
    """(owner, name, replacement) of the parts of the library that have to do with waiting."""
    found: list[tuple[Any, str, Any]] = [
        (threading.Condition, "wait", _wait),
        (threading.Condition, "notify", _notify),
        (threading, "local", ControlledLocal),
        (_thread, "_local", ControlledLocal),
        (_queue, "SimpleQueue", queue._PySimpleQueue),  # type: ignore[attr-defined]
        (queue, "SimpleQueue", queue._PySimpleQueue),  # type: ignore[attr-defined]
    ]
    for owner, names in (
        (_thread, "allocate_lock allocate LockType lock"),
        (threading, "Lock _allocate_lock _LockType"),
    ):
        found += [(owner, name, ControlledLock) for name in names.split() if hasattr(owner, name)]
    for owner, names in ((_thread, "RLock"), (threading, "RLock _CRLock _RLock _PyRLock")):
        found += [(owner, name, ControlledRLock) for name in names.split() if hasattr(owner, name)]
    for cls, names in (
        (threading.Event, "_flag"),
        (threading.Semaphore, "_value"),
        (threading.Barrier, "_state _count"),
        (queue.Queue, "unfinished_tasks"),
        (Future, "_state"),
    ):
        found += [(cls, name, _Observed(name)) for name in names.split()]
    for queue_class in (queue.Queue, queue.LifoQueue, queue.PriorityQueue):
        for name, kind in (("_qsize", READ), ("_put", UPDATE), ("_get", UPDATE)):
            found.append((queue_class, name, _on_contents(queue_class.__dict__[name], kind)))
    return found
