"""Time that stands still unless somebody sleeps, and chance that always falls the same way."""

from __future__ import annotations

import ctypes
import datetime
import gc
import os
import random
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

from everypath.race.control.monitor import MONITOR

EPOCH = 1_700_000_000.0
"""What `time.time()` says at the beginning of a run."""
_UPTIME = 100_000.0
"""What the clocks without a meaning of their own say then."""
_COMPUTED = 1.0
"""What the clocks of the processor say."""
_NANO = 1_000_000_000

real_monotonic = time.monotonic
real_sleep = time.sleep
_REAL_LOCALTIME, _REAL_GMTIME = time.localtime, time.gmtime
_REAL_STRFTIME, _REAL_CTIME, _REAL_ASCTIME = time.strftime, time.ctime, time.asctime
_REAL_SEED, _REAL_RANDOM_SEED = random.seed, random.Random.seed


class Clock:
    """Virtual time in seconds since the beginning of a run."""

    __slots__ = ("passed", "read_count")

    def __init__(self) -> None:
        self.passed = 0.0
        self.read_count = 0
        """how often any code asked for the time, over all runs"""

    def reset(self) -> None:
        """A new run begins."""
        self.passed = 0.0

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.passed += seconds

    def advance_to(self, passed: float) -> None:
        """Let time pass until then, if it has not passed already."""
        self.passed = max(self.passed, passed)

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
    """As `time.sleep`, in no time."""
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    CLOCK.advance(seconds)
    MONITOR.iteration()


def _localtime(seconds: float | None = None, /) -> time.struct_time:
    return _REAL_LOCALTIME(CLOCK.read(EPOCH) if seconds is None else seconds)


def _gmtime(seconds: float | None = None, /) -> time.struct_time:
    return _REAL_GMTIME(CLOCK.read(EPOCH) if seconds is None else seconds)


def _strftime(format: str, moment: Any = None, /) -> str:
    return _REAL_STRFTIME(format, _localtime() if moment is None else moment)


def _asctime(moment: Any = None, /) -> str:
    return _REAL_ASCTIME(_localtime() if moment is None else moment)


def _ctime(seconds: float | None = None, /) -> str:
    return _REAL_CTIME(CLOCK.read(EPOCH) if seconds is None else seconds)


def _base(clock: int) -> float:
    if clock == time.CLOCK_REALTIME:
        return EPOCH
    return _COMPUTED if clock in (time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID) else _UPTIME


def clock_replacements() -> list[tuple[Any, str, Any]]:
    """(module, name, replacement) of every function that tells or spends time."""
    functions: dict[str, Callable[..., Any]] = {
        "sleep": sleep,
        "localtime": _localtime,
        "gmtime": _gmtime,
        "strftime": _strftime,
        "asctime": _asctime,
        "ctime": _ctime,
        "clock_gettime": lambda clock: CLOCK.read(_base(clock)),
        "clock_gettime_ns": lambda clock: CLOCK.read_ns(_base(clock)),
    }
    for name, base in (
        ("time", EPOCH),
        ("monotonic", _UPTIME),
        ("perf_counter", _UPTIME),
        ("process_time", _COMPUTED),
        ("thread_time", _COMPUTED),
    ):
        functions[name] = _reader(CLOCK.read, base)
        functions[f"{name}_ns"] = _reader(CLOCK.read_ns, base)
    return [(time, name, function) for name, function in functions.items() if hasattr(time, name)]


def _reader(read: Callable[[float], Any], base: float) -> Callable[[], Any]:
    return lambda: read(base)


class DateClock:
    """`datetime.now` and `utcnow`, exchanged inside the C type itself, so that it stays the one type of its kind."""

    def __init__(self) -> None:
        self._saved: dict[str, Any] = {}

    def install(self) -> None:
        """From now on dates come from the virtual clock."""

        def now(cls: Any, tz: Any = None) -> Any:
            return cls.fromtimestamp(CLOCK.read(EPOCH), tz)

        def utcnow(cls: Any) -> Any:
            return cls.fromtimestamp(CLOCK.read(EPOCH), datetime.UTC).replace(tzinfo=None)

        self._exchange({"now": classmethod(now), "utcnow": classmethod(utcnow)})

    def uninstall(self) -> None:
        """Dates are real again."""
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
        """A new run begins."""
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
