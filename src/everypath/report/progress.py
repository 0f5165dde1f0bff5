"""How far a run has come: one live line on a terminal, a plain line now and then in the log of a build server.

A line is made of parts in the order in which they are read. Where it is too wide, the least important part is said
shorter, or not at all, and so on until it fits: at 40 columns there is still which function of how many, and how many
cases there are.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TextIO

from everypath.records import dataclass
from everypath.report.streams import STARTING, clear, complain, draws, show, width_of

_REFRESH_SECONDS = 0.1
_AT_ONCE_SECONDS = 0.03
"""What is shown at once waits no longer than this, so that many short steps cost little."""
_LOG_SECONDS = 10.0
"""How often a log tells it: often enough to see that something goes on, and seldom enough to be read afterwards."""
_LOG_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the line."""

    ways: tuple[str, ...]
    """to say it, the shortest last, which may be empty"""
    rank: int
    """the larger, the less it matters"""


def fitted(parts: Sequence[Part], width: int) -> str:
    """The parts in one line that is no wider, with as much of them as there is room for."""
    chosen = [0] * len(parts)

    def line() -> str:
        return "  ".join(filter(None, (part.ways[way] for part, way in zip(parts, chosen))))

    # What is shortened last comes first.
    order = sorted(range(len(parts)), key=lambda at: parts[at].rank)
    while len(line()) > width:
        at = next((at for at in reversed(order) if chosen[at] < len(parts[at].ways) - 1), None)
        if at is None:
            return f"{line()[: max(width - 1, 0)]}…"[:width]
        chosen[at] += 1
    return line()


def _narrowed(line: str, width: int) -> str:
    """As much of the line as there are columns; some characters take two."""
    if line.isascii():
        return line
    # Few names have any.
    from unicodedata import east_asian_width

    while sum(1 + (east_asian_width(each) in "WF") for each in line) > width:
        line = line[:-1]
    return line


def clock(seconds: float) -> str:
    """A duration as short as it can be understood: `7 s`, `3:05`, `1:02:03`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


class Progress:
    """Shows how far a run has come; says nothing in a pipe that is not the log of a build server."""

    def __init__(self, stream: TextIO | None = None) -> None:
        stream = stream or sys.stderr
        self._terminal = stream if draws(stream) else None
        self._logs = self._terminal is None and bool(os.environ.get("CI"))
        self._started = self._shown = time.monotonic()

    @property
    def watched(self) -> bool:
        """Whether anybody is told."""
        return self._terminal is not None or self._logs

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self._started

    def __enter__(self) -> Self:
        self._started = self._shown = time.monotonic()
        if self._terminal is not None:
            # The first line is there before anything is read.
            show(STARTING, self._terminal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal is not None:
            clear()

    def update(self, parts: Callable[[], Sequence[Part]], at_once: bool = False) -> None:
        """Show the parts if it is time for that, or `at_once`; cheap enough to call on every path or message."""
        passed = time.monotonic() - self._shown
        least = _AT_ONCE_SECONDS if at_once else _REFRESH_SECONDS
        if self._terminal is not None and passed >= least:
            self._shown += passed
            # The last column stays free: some terminals begin a new line there.
            width = width_of(self._terminal) - 1
            show(_narrowed(fitted(parts(), width), width), self._terminal)
        elif self._logs and passed >= _LOG_SECONDS:
            self._shown += passed
            complain(f"everypath: {fitted(parts(), _LOG_WIDTH)}")
