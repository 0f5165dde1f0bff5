"""Time that stands still unless somebody sleeps or polls, and chance that always falls the same way."""

from __future__ import annotations

import ctypes
import datetime
import gc
import os
import random
import select
import selectors
import sys
import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from everypath.race.control.fencing import refuse
from everypath.race.control.monitor import MONITOR

EPOCH = 1_700_000_000.0
"""What `time.time()` says at the beginning of a run."""
_UPTIME = 100_000.0
"""What clocks without a fixed starting point say then."""
_COMPUTED = 1.0
"""What the clocks of the processor say."""
_NANO = 1_000_000_000

real_monotonic = time.monotonic
_REAL_SEED, _REAL_RANDOM_SEED = random.seed, random.Random.seed


class Clock:
    """Virtual time in seconds since the beginning of a run."""

    __slots__ = ("passed", "read_count")

    def __init__(self) -> None:
        self.passed = 0.0
        self.read_count = 0
        """how often any code has asked for the time, over all runs"""

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.passed += seconds

    def read(self, base: float) -> float:
        """The time by a clock that said `base` at the beginning."""
        self.read_count += 1
        return base + self.passed

    def read_ns(self, base: float) -> int:
        """The same in nanoseconds."""
        self.read_count += 1
        return int(base) * _NANO + round(self.passed * _NANO)


CLOCK = Clock()


def sleep(seconds: float, /) -> None:
    """As `time.sleep`, but instead of waiting it moves the virtual clock on."""
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    CLOCK.advance(seconds)
    MONITOR.iteration()


def _of_seconds(native: Callable[[float], Any]) -> Callable[..., Any]:
    """A function on seconds since 1970, which without an argument means now."""
    return lambda seconds=None, /: native(CLOCK.read(EPOCH) if seconds is None else seconds)


def _base(clock: int) -> float:
    if clock == time.CLOCK_REALTIME:
        return EPOCH
    return _COMPUTED if clock in (time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID) else _UPTIME


def clock_replacements() -> list[tuple[Any, str, Any]]:
    """(module, name, replacement) of every function that tells or spends time."""
    now = _of_seconds(time.localtime)
    strftime, asctime = time.strftime, time.asctime
    functions: dict[str, Callable[..., Any]] = {
        "sleep": sleep,
        "localtime": now,
        "gmtime": _of_seconds(time.gmtime),
        "ctime": _of_seconds(time.ctime),
        "strftime": lambda format, moment=None, /: strftime(format, now() if moment is None else moment),
        "asctime": lambda moment=None, /: asctime(now() if moment is None else moment),
        "clock_gettime": lambda clock: CLOCK.read(_base(clock)),
        "clock_gettime_ns": lambda clock: CLOCK.read_ns(_base(clock)),
    }
    bases = {"time": EPOCH, "monotonic": _UPTIME, "perf_counter": _UPTIME}
    for name, base in {**bases, "process_time": _COMPUTED, "thread_time": _COMPUTED}.items():
        functions[name] = _reader(CLOCK.read, base)
        functions[f"{name}_ns"] = _reader(CLOCK.read_ns, base)
    return [(time, name, function) for name, function in functions.items() if hasattr(time, name)]


def _reader(read: Callable[[float], Any], base: float) -> Callable[[], Any]:
    """A clock as a function, not as a `functools.partial`: where the program stores it, it is described by its name."""
    return lambda: read(base)


def polling_replacements() -> list[tuple[Any, str, Any]]:
    """(owner, name, replacement) of what waits for files: event loops then run in virtual time as well."""
    native = select.select

    def wait(read: Any, write: Any, other: Any, timeout: float | None = None, /) -> Any:
        return _polled(partial(native, read, write, other), timeout)

    found: list[tuple[Any, str, Any]] = [(select, "select", wait)]
    for name in ("SelectSelector", "PollSelector", "EpollSelector", "KqueueSelector", "DevpollSelector"):
        selector = getattr(selectors, name, None)
        if selector is not None:
            found.append((selector, "select", _selector_method(selector.select)))
    return found


def _selector_method(native: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, timeout=None: _polled(partial(native, self), timeout)


def _polled(native: Callable[[float | None], Any], timeout: float | None) -> Any:
    if MONITOR.current is None:
        return native(timeout)
    ready = native(0)
    # `select.select` gives three lists, a selector one of all that is ready.
    if not (any(ready) if type(ready) is tuple else ready) and (timeout is None or timeout > 0):
        if timeout is None:
            refuse("waits for input or output")
        CLOCK.advance(timeout)
        MONITOR.iteration()
    return ready


class DateClock:
    """`datetime.now` and `utcnow`, exchanged inside the C type itself, so that it stays the one type of its kind."""

    def __init__(self) -> None:
        self._saved: dict[str, Any] = {}

    def install(self) -> None:
        """Take dates from the virtual clock from now on."""

        def now(cls: Any, tz: Any = None) -> Any:
            return cls.fromtimestamp(CLOCK.read(EPOCH), tz)

        def utcnow(cls: Any) -> Any:
            return cls.fromtimestamp(CLOCK.read(EPOCH), datetime.UTC).replace(tzinfo=None)

        self._exchange({"now": classmethod(now), "utcnow": classmethod(utcnow)})

    def uninstall(self) -> None:
        """Take dates from the real clock again."""
        self._exchange(self._saved)

    def _exchange(self, members: dict[str, Any]) -> None:
        # The dictionary behind the read-only view of a type's members.
        (namespace,) = gc.get_referents(datetime.datetime.__dict__)
        self._saved = {name: namespace[name] for name in members}
        namespace.update(members)
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))


class Chance:
    """Random numbers that are the same in every run."""

    def __init__(self) -> None:
        self._source: random.Random | None = None

    def reset(self) -> None:
        """Begin a new run: every source of chance starts again from its seed."""
        _REAL_SEED(0)
        self._source = None
        uuid._last_timestamp = None  # type: ignore[attr-defined]
        numeric = sys.modules.get("numpy.random")
        if numeric is not None:
            numeric.seed(0)

    def urandom(self, size: int, /) -> bytes:
        """As `os.urandom`."""
        if self._source is None:
            self._source = random.Random(0)
        return self._source.randbytes(size)

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """(owner, name, replacement) of what is random for real."""

        def seed_generator(generator: random.Random, a: Any = None, version: int = 2) -> None:
            _REAL_RANDOM_SEED(generator, 0 if a is None else a, version)

        def seed(a: Any = None, version: int = 2) -> None:
            _REAL_SEED(0 if a is None else a, version)

        return [
            (os, "urandom", self.urandom),
            (random, "seed", seed),
            (random.Random, "seed", seed_generator),
            (uuid, "_generate_time_safe", None),
            (uuid, "_UuidCreate", None),
            (uuid, "_node", 0x0200_0000_0001),
        ]
