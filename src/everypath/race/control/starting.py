"""Threads and timers that the code under test starts: a thread is refused, a timer never rings by itself."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

from everypath.race.control.fencing import refuse

_native_timer_alive = threading.Timer.is_alive
_native_timer_join = threading.Timer.join
_STARTERS = ("start_new_thread", "start_new", "start_joinable_thread")


class Starting:
    """Replaces what starts threads, with effect only while it is armed."""

    def __init__(self) -> None:
        self.armed = False

    def reset(self) -> None:
        """A new run: new threads are named as if they were the first."""
        threading._counter = count(1).__next__  # type: ignore[attr-defined]

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """(owner, name, replacement) of everything that starts threads."""
        found: list[tuple[Any, str, Any]] = [
            (threading.Thread, "start", self._guarded(threading.Thread.start)),
            (threading.Timer, "start", self._starting_timer(threading.Thread.start)),
            (threading.Timer, "is_alive", _timer_alive),
            (threading.Timer, "join", _timer_join),
        ]
        for name in _STARTERS:
            native = getattr(_thread, name, None)
            if native is not None:
                found.append((_thread, name, self._guarded(native)))
                if hasattr(threading, f"_{name}"):
                    found.append((threading, f"_{name}", self._guarded(native)))
        return found

    def _guarded(self, native: Callable[..., Any]) -> Callable[..., Any]:
        def start(*arguments: Any, **named: Any) -> Any:
            if self.armed:
                refuse("starts a thread")
            return native(*arguments, **named)

        return start

    def _starting_timer(self, native: Callable[..., None]) -> Callable[..., None]:
        def start(timer: Any) -> None:
            if not self.armed:
                native(timer)
                return
            if timer._started._flag:
                raise RuntimeError("threads can only be started once")
            timer._started._flag = True
            timer.__dict__[_PENDING] = True

        return start


_PENDING = "_everypath_pending"
"""Marks a timer that was started and will not ring."""


def _timer_alive(timer: threading.Timer) -> bool:
    if timer.__dict__.get(_PENDING):
        return not timer.finished.is_set()
    return _native_timer_alive(timer)


def _timer_join(timer: threading.Timer, timeout: float | None = None) -> None:
    if not timer.__dict__.get(_PENDING):
        _native_timer_join(timer, timeout)
    elif timeout is None and not timer.finished.is_set():
        refuse("waits for a timer")
