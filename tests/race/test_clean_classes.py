"""Correct classes, as people write them, are not reported; the same mistakes in them are."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from everypath.cases.races import TODAY, says_little
from everypath.race.protocol import RaceRequest
from everypath.race.session import run_race

from .searching import search

FOLDER = Path(__file__).parent
MODULES = ("clean_classes", "clean_library_classes")
HELPERS = {"Connection", "Transaction", "Point", "Phase", "Resource", "Step"}
"""Classes that the others use."""
CLASSES = [
    (module, node.name)
    for module in MODULES
    for node in ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef) and node.name not in HELPERS
]
WITH_BLOCKS = (
    "InFlight ReadWriteLock Pool WaitingPool Store ReentrantGuard Gauge Limiter KeyedLocks Maintenance".split()
)


def test_there_are_enough_of_them() -> None:
    assert len(CLASSES) >= 50
    assert set(WITH_BLOCKS) <= {name for _, name in CLASSES} and len(WITH_BLOCKS) >= 9


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_nothing_is_found_and_much_was_tried(module: str, name: str) -> None:
    report = run_race(RaceRequest(module, name, root=str(FOLDER), seconds=12.0))
    assert report.findings == report.problems == []
    assert report.stats.pairs_covered == report.stats.pairs_total > 0
    assert not says_little(report)
    assert report.exercised.uncalled == report.exercised.raised == ()
    assert len(report.exercised.returned) == report.exercised.methods


IN_FLIGHT = """
import contextlib

class InFlight:
    def __init__(self):
        self._running = 0

    @contextlib.contextmanager
    def track(self):
        self._running = self.running() + 1
        try:
            yield
        finally:
            self._running = self.running() - 1

    def running(self) -> int:
        return self._running
"""
READ_WRITE_LOCK = """
import contextlib

class WriteLock:
    def __init__(self):
        self._condition = threading.Condition()
        self._writing = False

    @contextlib.contextmanager
    def write(self):
        with self._condition:
            if self._writing:
                self._condition.wait()
        with self._condition:
            assert not self._writing
            self._writing = True
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._condition.notify_all()
"""
POOL = """
import contextlib

class Pool:
    def __init__(self):
        self._free = [1]

    @contextlib.contextmanager
    def item(self):
        if not self._free:
            raise LookupError
        got = self._take()
        try:
            yield got
        finally:
            self._free.append(got)

    def _take(self):
        return self._free.pop()
"""


@pytest.mark.parametrize(
    ("source", "cls", "kind"),
    [(IN_FLIGHT, "InFlight", "state"), (READ_WRITE_LOCK, "WriteLock", "exception"), (POOL, "Pool", "exception")],
)
def test_faults_of_with_blocks_are_still_found(tmp_path: Path, source: str, cls: str, kind: str) -> None:
    (finding,) = search(tmp_path, source, cls).findings
    assert finding.kind == kind


OPPOSITE = """
class Opposite:
    def __init__(self):
        self.first, self.second, self.n = threading.Lock(), threading.Lock(), 0

    def one(self):
        with self.first:
            with self.second:
                self.n += 1

    def two(self):
        with self.second:
            with self.first:
                self.n -= 1
"""


def test_locks_taken_in_opposite_orders_stop_every_build(tmp_path: Path) -> None:
    (finding,) = search(tmp_path, OPPOSITE, "Opposite").findings
    assert (finding.kind, finding.label, finding.pairs) == ("deadlock", TODAY, (("one", "two"),))


ODD = """
import ctypes
import weakref

class Structure(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int)]
    made = 0

class Sealed(type):
    def __setattr__(cls, name, value):
        raise TypeError("sealed")

class Constants(metaclass=Sealed):
    kept = []

class Hostile:
    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError

HOSTILE, ARRAY, SLOT = Hostile(), (ctypes.c_int * 3)(1, 2, 3), type("Slot", (), {})()
PROXY, NUMBERS = weakref.proxy(SLOT), (n for n in range(3))

class Counter:
    def __init__(self):
        self._lock, self._n, self._structure, self._hostile = threading.Lock(), 0, Structure(1), HOSTILE

    def add(self) -> None:
        with self._lock:
            self._n += 1
            Structure.made += 1
            Constants.kept.append(1)

    def total(self) -> int:
        with self._lock:
            return self._n + Structure.made
"""


def test_classes_that_resist_do_not_end_the_search(tmp_path: Path) -> None:
    report = search(tmp_path, ODD, "Counter")
    assert report.findings == []
    assert report.stats.pairs_covered == report.stats.pairs_total == 3
