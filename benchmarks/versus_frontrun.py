"""Compares the way to a failing schedule: ours from the bare class, frontrun's from a test written for the fault."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from race import HERE, THREADS

FAULTS = {
    "hit_counter": "HitCounter",
    "connection_pool": "ConnectionPool",
    "lazy_connection": "LazyConnection",
    "position": "Position",
    "span": "Span",
    "lru_cache": "LruCache",
    "stock_report": "Stock",
    "bank": "Bank",
    "gate": "Gate",
}
"""Files of `examples/threads/`, each with one fault, and the class in question; `frontrun_tests.py` has its test."""
STRATEGIES = ("dpor", "random")
TIMES = 2


@dataclass(frozen=True, slots=True)
class FrontrunRow:
    """Both tools on one fault; every time is that of a whole process, the least of a few, but for `exploring`."""

    cls: str
    lines: int
    """of the test that a person had to write"""
    strategy: str
    """the quicker one of those that find it, - if none does"""
    their_seconds: float
    exploring: float
    """the part of it that `frontrun.explore` takes"""
    our_seconds: float
    """up to the first failing interleaving"""
    whole_seconds: float
    """up to the end of the command: all faults, each run again three times, test written"""

    @property
    def found(self) -> bool:
        """Whether frontrun finds it."""
        return self.strategy != "-"

    @property
    def ratio(self) -> float | None:
        """How many times as long as we do they take."""
        return self.their_seconds / self.our_seconds if self.found else None


def installed() -> str | None:
    """The frontrun executable: on the path or beside the running Python."""
    beside = Path(sys.executable).parent / "frontrun"
    return shutil.which("frontrun") or (str(beside) if beside.exists() else None)


def rows(frontrun: str) -> Iterator[FrontrunRow]:
    """One comparison per fault, as soon as it is made."""
    for file, cls in FAULTS.items():
        target = f"{THREADS / file}.py::{cls}"
        theirs = [run for strategy in STRATEGIES for run in _explore(frontrun, file, strategy)]
        found = [run for run in theirs if run[0]]
        _, strategy, seconds, exploring = min(found or theirs, key=lambda run: run[2])
        ours = min(_seconds([sys.executable, str(HERE / "race.py"), target]) for _ in range(TIMES))
        whole = min(_whole(target) for _ in range(TIMES))
        yield FrontrunRow(cls, _lines(file), strategy if found else "-", seconds, exploring, ours, whole)


def _explore(frontrun: str, name: str, strategy: str) -> Iterator[tuple[bool, str, float, float]]:
    """(found, strategy, seconds of the process, seconds of the exploration); once is enough if it finds nothing."""
    command = [frontrun, sys.executable, str(HERE / "frontrun_tests.py"), name, strategy, "0"]
    for _ in range(TIMES):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.perf_counter() - started
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
        answer = json.loads(done.stdout.splitlines()[-1])
        yield answer["failed"], strategy, seconds, answer["seconds"]
        if not answer["failed"]:
            return


def _whole(target: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(sys.executable).parent / "everypath")
        return _seconds([program, "race", target, "-o", os.path.join(folder, "test_found.py")], codes=(1,))


def _seconds(command: list[str], codes: tuple[int, ...] = (0,)) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - started
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return seconds


def _lines(name: str) -> int:
    """Lines of the function in `frontrun_tests.py`, without blank ones."""
    text = (HERE / "frontrun_tests.py").read_text(encoding="utf-8")
    body = text.partition(f"def {name}(")[2].partition("\n\n\n")[0]
    return sum(1 for line in body.splitlines() if line.strip())
