"""How long a search goes on: until its time is over, or nothing new comes any more."""

from __future__ import annotations

import resource
import time
from typing import Any

_IDLE = 0.4
"""The share of the time after which a search without anything new ends."""
_USUAL = 8.0
"""Seconds of a search; one that is given more is more patient."""
_PUBLIC = 0.5
"""The share of the time after which private functions are called, too."""


class Clock:
    """Counts what a search spends: time of this process and its forks, time that passes, and calls."""

    def __init__(self, request: dict[str, Any], calls: float) -> None:
        self._seconds = request["seconds"]
        self._start, self._began = _spent(), time.monotonic()
        self._wall = request["wall"]
        self._each = request["each"]
        """seconds that are kept for running what is found, for each"""
        self._least = min(self._wall, request["least"])
        self._calls = calls * max(1.0, self._seconds / _USUAL)
        self._idle, self._since = 0, self._start
        self.found = 0
        """how many calls are to be run later"""

    @property
    def end(self) -> float:
        """When the search has to be over: the more it has found, the sooner."""
        return float(self._began + max(self._least, self._wall - self._each * self.found))

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return bool(_spent() - self._start > self._seconds or time.monotonic() > self.end)

    @property
    def late(self) -> bool:
        """Whether it is time for what is tried last."""
        passed = time.monotonic() - self._began
        return bool(_spent() - self._start > _PUBLIC * self._seconds or passed > _PUBLIC * (self.end - self._began))

    @property
    def stalled(self) -> bool:
        """Whether nothing new has come for long; calls that take long are few, so that time counts as well."""
        return bool(self._idle > self._calls or _spent() - self._since > _IDLE * self._seconds)

    def ran(self, calls: int, gained: bool) -> None:
        """So many calls were made, and something was gained by them or not."""
        self._idle, self._since = (0, _spent()) if gained else (self._idle + calls, self._since)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime
