"""One live line while a class is searched, on a terminal only."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from everypath.cases.races import RaceStats
from everypath.report.progress import Progress

if TYPE_CHECKING:
    from rich.text import Text


class RaceProgress(Progress):
    """Shows sequences, interleavings, findings and seconds; says nothing in a pipe."""

    _stats = RaceStats()
    _findings = 0

    def count(self, stats: RaceStats, findings: int, label: str | None = None) -> None:
        """Tell the counts so far; cheap enough to call on every message."""
        self._stats, self._findings = stats, findings
        self.update(0, 0, 0, label)

    def _line(self) -> Text:
        from rich.text import Text

        stats = self._stats
        label = f"{self._label}  " if self._label else ""
        pairs = f"{stats.pairs_covered}/{stats.pairs_total} pairs"
        work = f"{stats.sequences} sequences  {stats.enforced} interleavings  {pairs}  {self._findings} found"
        seconds = time.monotonic() - self._started
        return Text(f"{label}{work}  {seconds:.0f} s", no_wrap=True, overflow="ellipsis")
