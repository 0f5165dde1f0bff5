"""Small classes searched, and single schedules followed, in the worker's own process."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from everypath.cases.races import RaceReport
from everypath.race.protocol import RaceRequest, Replayed
from everypath.race.session import follow, run_race, thread_test

MODULE = "subject"


def write_module(folder: Path, source: str) -> None:
    """The module under test, with the imports that most need."""
    (folder / f"{MODULE}.py").write_text(f"import threading\n{textwrap.dedent(source)}", encoding="utf-8")


def search(
    folder: Path,
    source: str,
    cls: str,
    on_message: Callable[[dict[str, Any]], None] = lambda message: None,
    **options: Any,
) -> RaceReport:
    """Everything that the search tells about a class of this source."""
    write_module(folder, source)
    options.setdefault("seconds", 8.0)
    return run_race(RaceRequest(MODULE, cls, root=str(folder), **options), on_message)


def clean(report: RaceReport) -> bool:
    """Whether the search came to its end, had something to do, and found nothing."""
    assert [finding.title for finding in report.findings] == []
    assert report.problems == []
    return report.stats.complete and report.stats.pairs_covered == report.stats.pairs_total > 0


def followed(
    folder: Path,
    source: str,
    setup: str,
    threads: tuple[Sequence[str], Sequence[str]],
    schedule: Sequence[str],
    before: Sequence[str] = (),
) -> Replayed:
    """What one schedule comes to."""
    write_module(folder, source)
    cls = setup.partition("(")[0]
    return follow(thread_test(f"{MODULE}::{cls}", setup, before, threads, schedule), str(folder))
