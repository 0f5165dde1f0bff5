"""Keeps threads that take turns on one core: waking up a sleeper there is three times as fast as on another one."""

from __future__ import annotations

import os
from collections.abc import Sequence

_STAY, _LOOK = 20_000, 64
"""Runs on one core, and runs without a fixed one in which the system may find us a better one."""


class Core:
    """The core on which some threads of this process run."""

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
    """The core on which a thread was last; -1 where the system does not tell."""
    try:
        with open(f"/proc/self/task/{thread}/stat", encoding="ascii", errors="replace") as stat:
            return int(stat.read().rpartition(")")[2].split()[36])
    except (OSError, ValueError, IndexError):
        return -1
