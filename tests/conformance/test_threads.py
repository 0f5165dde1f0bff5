"""What every way to search a class must do: find what is there, nothing else, label it, and lead to a failing test."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from everypath.cases.races import FREE_THREADED, KINDS, TODAY, RaceFinding, RaceReport
from everypath.race.protocol import RaceRequest
from everypath.race.session import confirm, run_race

MODES = ("predict", "exhaustive", "random")
EVERYDAY = ("lost update", "opposite locks", "one lock")
"""With these every mode is tried, with the others only in the slow suite."""
FAULTY = {
    "lost update": (
        """
        class Subject:
            def __init__(self):
                self.n = 0

            def add(self):
                self.n += 1
        """,
        "state",
        FREE_THREADED,
        "Subject.n",
    ),
    "check, then act": (
        """
        class Subject:
            def __init__(self):
                self.items = {}

            def put(self, key: str):
                self.items[key] = 1

            def take(self, key: str):
                if key in self.items:
                    return self.forget(key)

            def forget(self, key: str):
                return self.items.pop(key)
        """,
        "exception",
        TODAY,
        "Subject.items",
    ),
    "torn pair": (
        """
        class Subject:
            def __init__(self):
                self.low, self.high = 0, 0

            def move(self, by: int = 1):
                self.low += by
                self.high += by

            def width(self) -> int:
                return self.high - self.low
        """,
        "result",
        FREE_THREADED,
        "Subject.high",
    ),
    "opposite locks": (
        """
        import threading

        class Subject:
            def __init__(self):
                self.one, self.two = threading.Lock(), threading.Lock()

            def forth(self):
                with self.one, self.two:
                    pass

            def back(self):
                with self.two, self.one:
                    pass
        """,
        "deadlock",
        TODAY,
        "Subject.one",
    ),
}
SAFE = {
    "one lock": """
        import threading

        class Subject:
            def __init__(self):
                self.lock, self.items = threading.RLock(), {}

            def put(self, key: str):
                with self.lock:
                    self.items[key] = len(self)

            def take(self, key: str):
                with self.lock:
                    return self.items.pop(key, None)

            def __len__(self):
                with self.lock:
                    return len(self.items)
        """,
    "single steps": """
        from collections import deque

        class Subject:
            def __init__(self):
                self.items = deque()

            def put(self, item: int):
                self.items.append(item)

            def take(self):
                try:
                    return self.items.popleft()
                except IndexError:
                    return None
        """,
}


def _search(folder: Path, source: str, mode: str) -> RaceReport:
    (folder / "subject.py").write_text(textwrap.dedent(source), encoding="utf-8")
    seconds = 0.7 if mode == "random" else 10.0
    return run_race(RaceRequest("subject", "Subject", root=str(folder), mode=mode, seconds=seconds))


def _with_modes(names: Iterable[str]) -> list[Any]:
    quick = {(name, mode) for name in names for mode in MODES if mode == "predict" or name in EVERYDAY}
    return [
        pytest.param(name, mode, marks=() if (name, mode) in quick else pytest.mark.slow)
        for name in names
        for mode in MODES
    ]


@pytest.mark.parametrize(("name", "mode"), _with_modes(FAULTY))
def test_the_fault_is_found(tmp_path: Path, name: str, mode: str) -> None:
    source, kind, label, place = FAULTY[name]
    report = _search(tmp_path, source, mode)
    assert report.problems == []
    best = report.findings[0]
    assert (best.kind, best.label) == (kind, label), best.title
    assert any(place in finding.places for finding in report.findings)
    for finding in report.findings:
        _well_formed(finding)
    assert mode == "random" or report.stats.complete
    confirmed = confirm(best, 1, str(tmp_path))
    assert isinstance(confirmed, RaceFinding) and confirmed.replays == 1


@pytest.mark.parametrize(("name", "mode"), _with_modes(SAFE))
def test_nothing_else_is_found(tmp_path: Path, name: str, mode: str) -> None:
    report = _search(tmp_path, SAFE[name], mode)
    assert [finding.title for finding in report.findings] == []
    assert report.problems == []
    assert report.stats.pairs_covered == report.stats.pairs_total > 0


def _well_formed(finding: RaceFinding) -> None:
    """Every finding has all that a person needs."""
    assert finding.kind in KINDS
    file, _, line = finding.location.rpartition(":")
    assert file.endswith("subject.py") and int(line) > 0
    assert finding.observed not in finding.serial
    assert finding.test.schedule and finding.places
    switched = [turn for turn in finding.timeline if turn.switched]
    assert switched or finding.kind == "lock-kept"
    assert {turn.thread for turn in finding.timeline} == {0, 1}
