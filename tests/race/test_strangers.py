"""Classes in the styles of other hands: those that are safe are not reported, the mistakes of the others are found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from everypath.cases.races import RaceFinding
from everypath.race.protocol import RaceRequest
from everypath.race.session import run_race

from .searching import search

FOLDER = Path(__file__).parent


def classes(module: str) -> list[str]:
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def found(module: str, name: str) -> list[RaceFinding]:
    report = run_race(RaceRequest(module, name, root=str(FOLDER), seconds=8.0))
    assert report.problems == []
    assert report.stats.pairs_covered == report.stats.pairs_total > 0
    return report.findings


@pytest.mark.parametrize("name", classes("clean_strangers"))
def test_what_is_safe_is_not_reported(name: str) -> None:
    assert [finding.title for finding in found("clean_strangers", name)] == []


MISTAKES = {
    "Readers": ("state", "_readers"),
    "Pool": ("result", "_created"),
    "InFlight": ("state", "active"),
    "Lazy": ("result", "_value"),
    "Queue": ("exception", "_items"),
    "Registry": ("deadlock", "_names_lock"),
    "Outbox": ("result", "_buffer"),
    "Memo": ("exception", "_cache"),
    "Settings": ("result", "_instance"),
}
"""By class, the kind of its fault and the memory or lock behind it."""


@pytest.mark.parametrize("name", classes("broken_strangers"))
def test_every_mistake_is_found(name: str) -> None:
    kind, attribute = MISTAKES[name]
    faults = found("broken_strangers", name)
    assert any(fault.kind == kind and f"{name}.{attribute}" in fault.places for fault in faults)
    assert all(f"{name}.{attribute}" in fault.places for fault in faults), [fault.title for fault in faults]


def test_a_lost_write_counts_although_another_order_leaves_the_same_state() -> None:
    """The orders leave the item in the buffer, or hand it out; in the fault it is in neither."""
    (fault,) = found("broken_strangers", "Outbox")
    assert ("flush", "write") in fault.pairs


GENERATOR = """
class Shelf:
    def __init__(self):
        self._lock, self._books, self._places = threading.Lock(), [], {}

    def put(self, book: str) -> None:
        with self._lock:
            self._books.append(book)
            self._places[book] = len(self._books)

    def books(self):
        yield from self._books

    def places(self):
        for book in self._places:
            yield book
"""


def test_a_generator_may_see_elements_come_but_must_not_fail_because_of_them(tmp_path: Path) -> None:
    (fault,) = search(tmp_path, GENERATOR, "Shelf").findings
    assert (fault.kind, fault.pairs) == ("exception", (("places", "put"),))
    assert any("RuntimeError" in line for line in fault.observed)
    assert not any("RuntimeError" in line for order in fault.serial for line in order)


RELEASED = """
class Lock:
    def __init__(self):
        self._guard, self._count = threading.Lock(), 0

    def acquire(self) -> None:
        with self._guard:
            self._count += 1

    def release(self) -> None:
        assert self._count > 0
        with self._guard:
            self._count -= 1
"""


def test_calls_that_break_an_assertion_in_every_order_are_no_test(tmp_path: Path) -> None:
    """Two releases of one acquisition: whoever makes them cannot blame the class that asserts the opposite."""
    assert search(tmp_path, RELEASED, "Lock").findings == []
    lost = RELEASED.replace("with self._guard:\n            self._count -= 1", "self._count -= 1")
    assert search(tmp_path, lost, "Lock").findings != []
