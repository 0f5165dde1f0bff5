"""Ends single operations that take too long, and sees how much memory exploring takes.

The machine looks at its limits between two steps. But one step may run code of the library for real, such as a regular
expression that backtracks without end, or multiply numbers of a million digits. So while paths are explored the system
interrupts the process after each quarter of a second that it has computed, and the handler looks where it stands.
Exploring is not interrupted at any place: only in code of the library, which shares nothing with it, in an
operation that generated code does by itself, and anywhere once the time of the whole exploration is long over.

Some code in C does not listen to signals. `survives` runs a call in a fork first, which the system kills when it takes
too long: for calls with large arguments, because that costs a few milliseconds.
"""

from __future__ import annotations

import _signal
import gc
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ParamSpec, TypeVar

from everypath.errors import LimitReached
from everypath.explore.code import is_generated
from everypath.logic.clock import now

_P = ParamSpec("_P")
_T = TypeVar("_T")

_TICK = 0.25
"""Seconds of computing between two looks."""
_MOST_TICKS = 8
"""A single operation may last so many of them."""
_GRACE = 1.0
"""Seconds for which a step may go on when the time for exploring is over."""
_MEGABYTE = 1 << 20


class _Overdue(BaseException):
    """Raised in code of the library that takes too long; no Exception, so that it is not handled there."""


class Watch:
    """What one process knows about the operation that it is at, and about its memory."""

    def __init__(self) -> None:
        self.deadline = float("inf")
        """when exploring must end, infinite while nothing is explored"""
        self.swollen = False
        """whether exploring took more memory than it may when that was last looked at"""
        self._most_memory: int | None = None
        self._ticks = 0
        self._called: int | None = None
        """the tick at which code of the library was called that is still running"""
        self._frame: FrameType | None = None
        self._place = -1
        self._since = 0
        """the tick at which the process was first seen at this place of this frame"""

    @contextmanager
    def on(self, megabytes: int) -> Iterator[None]:
        """Within the block operations are watched, and memory may grow by so much."""
        resident = _resident()
        self._most_memory = None if resident is None else resident + megabytes * _MEGABYTE
        self.swollen = False
        try:
            previous = _signal.signal(_signal.SIGPROF, self._look)
        except ValueError:
            # Only the main thread hears signals: another one explores unwatched.
            yield
            return
        _signal.setitimer(_signal.ITIMER_PROF, _TICK, _TICK)
        try:
            # Twice as much for a single operation, which nobody else can stop.
            with _limited_addresses(2 * megabytes * _MEGABYTE):
                yield
        finally:
            _signal.setitimer(_signal.ITIMER_PROF, 0)
            _signal.signal(_signal.SIGPROF, previous)
            self._frame = None
            self.swollen = False

    def call(self, name: str, function: Callable[_P, _T], *args: _P.args, **keywords: _P.kwargs) -> _T:
        """The result of code of the library, which ends the path if it takes too long."""
        outer, self._called = self._called, self._ticks
        try:
            return function(*args, **keywords)
        except _Overdue:
            raise too_long(name) from None
        finally:
            self._called = outer

    def relieved(self) -> bool:
        """Whether memory is available again, now that a path has ended."""
        gc.collect()
        self._measure()
        return not self.swollen

    def _look(self, _: int, frame: FrameType | None) -> None:
        self._ticks += 1
        self._measure()
        if self._called is not None:
            if self._ticks - self._called > _MOST_TICKS:
                raise _Overdue
            return
        place = -1 if frame is None else frame.f_lasti
        # A loop would be seen at different instructions sooner or later; the same one at every tick has lasted all
        # the time.
        if frame is not self._frame or place != self._place:
            self._frame, self._place, self._since = frame, place, self._ticks
        elif frame is not None and self._ticks - self._since > _MOST_TICKS and is_generated(frame.f_code):
            raise too_long("an operation")
        if now() > self.deadline + _GRACE:
            # Raised once: whoever handles it must not be interrupted in turn.
            self.deadline = float("inf")
            raise LimitReached("time")

    def _measure(self) -> None:
        resident = _resident()
        self.swollen = resident is not None and self._most_memory is not None and resident > self._most_memory


WATCH = Watch()
"""Of this process: signals and memory are the process's, too."""


def too_long(name: str) -> LimitReached:
    """The path ends because of a single operation, not because the time for all is over."""
    return LimitReached("operation", f"{name} alone takes longer than {_TICK * _MOST_TICKS:g} seconds")


def survives(function: Callable[_P, object], *args: _P.args, **keywords: _P.kwargs) -> bool:
    """Whether a call ends in reasonable time, with a result or an error: a fork tries it."""
    child = os.fork()
    if child == 0:
        try:
            # Without a handler the signal kills the process, even in C code that does not listen.
            _signal.signal(_signal.SIGPROF, _signal.SIG_DFL)
            _signal.setitimer(_signal.ITIMER_PROF, _TICK * _MOST_TICKS)
            function(*args, **keywords)
        finally:
            # Nothing of the parent is cleaned up here, and an error is an end as well.
            os._exit(0)
    try:
        return not os.WIFSIGNALED(os.waitpid(child, 0)[1])
    except BaseException:
        os.kill(child, _signal.SIGKILL)
        os.waitpid(child, 0)
        raise


@contextmanager
def _limited_addresses(more: int) -> Iterator[None]:
    """Within the block the process can reserve so many bytes more; beyond, an operation fails with MemoryError."""
    reserved = _pages(0)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if reserved is None or soft != resource.RLIM_INFINITY:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (reserved + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _resident() -> int | None:
    return _pages(1)


def _pages(number: int) -> int | None:
    """What the process has reserved (0) or really uses (1), in bytes, if the system tells."""
    try:
        with open("/proc/self/statm", encoding="utf-8") as statm:
            return int(statm.read().split()[number]) * resource.getpagesize()
    except (OSError, ValueError):
        return None
