"""One live line while a run goes on, on a terminal only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from everypath.report.streams import is_watched

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

_REFRESH_SECONDS = 0.1


PATHS = "{} paths  {} cases  {} cut"
RACES = "{} sequences  {} interleavings  {}/{} pairs  {} found"


class Progress:
    """Shows counts and seconds; says nothing in a pipe."""

    def __init__(
        self, label: str = "", stream: TextIO | None = None, console: Console | None = None, form: str = PATHS
    ) -> None:
        stream = stream or sys.stderr
        if console is None and is_watched(stream):
            from rich.console import Console

            console = Console(file=stream)
        self._console = console
        self._form = form
        """how the counts are written"""
        self._label = label
        self._live: Live | None = None
        self._started = time.monotonic()
        self._shown = 0.0
        self._counts = (0,) * self._form.count("{}")

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        if self._console is not None and self._console.is_terminal:
            from rich.live import Live

            self._live = Live(self._line(), console=self._console, transient=True, auto_refresh=False)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def update(self, *counts: int, label: str | None = None) -> None:
        """Show the counts from time to time; cheap enough to call on every path or message."""
        self._counts = counts
        if label is not None:
            self._label = label
        now = time.monotonic()
        if self._live is not None and now - self._shown >= _REFRESH_SECONDS:
            self._shown = now
            self._live.update(self._line(), refresh=True)

    def _line(self) -> Text:
        from rich.text import Text

        label = f"{self._label}  " if self._label else ""
        seconds = time.monotonic() - self._started
        work = self._form.format(*self._counts)
        return Text(f"{label}{work}  {seconds:.0f} s", no_wrap=True, overflow="ellipsis")
