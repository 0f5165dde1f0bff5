"""The search as a whole: its numbers, that it does the same every time, and that nothing stops it halfway."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from everypath.race.search.call_runner import Test
from everypath.race.search.predict import Candidate, Prediction, Requirement
from everypath.race.search.tally import Tally

from ..cli.command import everypath
from .searching import clean, search, write_module

ACCOUNT = """
class Account:
    def __init__(self):
        self._lock, self._balance, self._log = threading.Lock(), 0, []

    def deposit(self, amount: int = 1) -> None:
        self._balance += amount
        self._log.append(amount)

    def withdraw(self, amount: int = 1) -> bool:
        if self._balance < amount:
            return False
        self._balance -= amount
        return True

    def balance(self) -> int:
        return self._balance
"""
SAFE = """
class Account:
    def __init__(self):
        self._lock, self._balance = threading.Lock(), 0

    def deposit(self, amount: int = 1) -> None:
        with self._lock:
            self._balance += amount

    def balance(self) -> int:
        with self._lock:
            return self._balance
"""


def test_every_requirement_is_counted_once() -> None:
    tally = Tally()
    one, two, three = (Requirement(1, n, (9,), n) for n in (1, 2, 3))
    tests = [Test((), (("sut.f()",), (f"sut.g({n})",))) for n in range(3)]
    candidate = Candidate(0, 1, 1, True)
    for test in tests[:2]:
        for _ in range(2):
            feasible = dict.fromkeys((one, two), candidate)
            tally.expect(test, Prediction(frozenset((one, two, three)), feasible, frozenset(), frozenset()))
            tally.met(test, {one})
            tally.ran(test, failed=test is tests[0])
    tally.expect(tests[2], Prediction(frozenset(), {}, frozenset(), frozenset()))
    tally.ran(tests[0], failed=False)
    assert (len(tally.predicted), len(tally.feasible), len(tally.triggered), tally.count) == (3, 2, 1, 2)
    numbers = {"predicted": 3, "feasible": 2, "triggered": 1}
    assert tally.tests() == [
        {"before": [], "threads": ["sut.f()", "sut.g(0)"], **numbers, "enforced": 3, "failed": 2},
        {"before": [], "threads": ["sut.f()", "sut.g(1)"], **numbers, "enforced": 2, "failed": 0},
    ]


def test_the_numbers_fit_together(tmp_path: Path) -> None:
    report = search(tmp_path, ACCOUNT, "Account")
    stats = report.stats
    assert 0 < stats.triggered <= stats.candidates <= stats.predicted
    assert stats.complete and stats.pairs_covered == stats.pairs_total == 6
    assert stats.tests == len(report.tests)
    assert stats.enforced == sum(_number(test, "enforced") for test in report.tests)
    for test in report.tests:
        assert _number(test, "triggered") <= _number(test, "feasible") <= _number(test, "predicted")
        assert _number(test, "failed") <= _number(test, "enforced")
    assert sum(finding.also + 1 for finding in report.findings) <= sum(_number(t, "failed") for t in report.tests)


def _number(test: dict[str, object], name: str) -> int:
    number = test[name]
    assert isinstance(number, int)
    return number


def test_under_one_lock_nothing_is_feasible(tmp_path: Path) -> None:
    report = search(tmp_path, SAFE, "Account")
    assert clean(report)
    assert report.stats.predicted > 0 == report.stats.candidates == report.stats.triggered


def test_the_same_search_gives_the_same_report(tmp_path: Path) -> None:
    write_module(tmp_path, ACCOUNT)
    reports = []
    for seed in ("1", "2"):
        result = everypath(
            tmp_path, "race", "subject.py::Account", "--format", "json", "--no-confirm", PYTHONHASHSEED=seed
        )
        reports.append(_without_times(json.loads(result.out)))
    assert reports[0]["findings"]
    assert reports[0] == reports[1]


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(each) for key, each in value.items() if "seconds" not in key}
    return [_without_times(each) for each in value] if isinstance(value, list) else value


def test_random_search_tells_what_it_did(tmp_path: Path) -> None:
    report = search(tmp_path, ACCOUNT, "Account", mode="random", seconds=0.8)
    stats = report.stats
    assert report.findings and not stats.complete
    assert stats.sequences > 0 and stats.traces > 0 and stats.tests > 0 and stats.pairs_covered > 0
    assert report.problems == []


def test_only_some_methods(tmp_path: Path) -> None:
    report = search(tmp_path, ACCOUNT, "Account", methods=("balance",))
    assert clean(report)
    assert report.stats.pairs_total == 3


def test_a_call_that_does_something_else_every_time_is_not_judged(tmp_path: Path) -> None:
    """Its results differ from run to run without any interleaving."""
    source = """
import sys

class Ticket:
    kept = []

    def __init__(self):
        self.n = 0

    def draw(self) -> int:
        self.n = self.n + 1
        sys.intern(f"ticket {sys.getallocatedblocks()}")
        return sys.getallocatedblocks()
"""
    report = search(tmp_path, source, "Ticket", seconds=4.0)
    assert report.findings == []
    assert any("does not do the same every time" in note.message for note in report.notes)


def test_a_prefix_that_fails_now_and_then_is_left_out(tmp_path: Path) -> None:
    source = """
class Moody:
    made = [0]

    def __init__(self):
        self.n = 0

    def add(self) -> None:
        object.__getattribute__(self, "__dict__")["n"] += 1

    def look(self) -> int:
        import gc
        if self.n and len(gc.get_objects()) % 3 == 0:
            raise ValueError("today not")
        self.n += 1
        return self.n
"""
    report = search(tmp_path, source, "Moody", seconds=3.0)
    assert not [problem for problem in report.problems if problem.kind == "defect"]
    assert report.stats.enforced > 0


def test_who_waits_is_woken_and_what_it_waited_for_is_taken(tmp_path: Path) -> None:
    source = """
class Buffer:
    def __init__(self):
        self._ready, self._items = threading.Condition(), []

    def put(self, item: int) -> None:
        with self._ready:
            self._items.append(item)
            self._ready.notify()

    def get(self) -> int:
        with self._ready:
            if not self._items:
                self._ready.wait()
            return self._items.pop()

    def poll(self) -> int:
        with self._ready:
            return self._items.pop() if self._items else -1
"""
    (finding,) = search(tmp_path, source, "Buffer").findings
    assert (finding.kind, finding.label) == ("exception", "happens today")
    assert finding.title.endswith("IndexError through Buffer._items")
    assert clean(search(tmp_path, source.replace("if not self._items:", "while not self._items:"), "Buffer"))


def test_the_time_is_kept(tmp_path: Path) -> None:
    body = "\n".join(
        f"    def m{n}(self, a: int = 1):\n        self.n += a\n        self.k[a] = self.n\n" for n in range(30)
    )
    source = f"\nclass Wide:\n    def __init__(self):\n        self.n, self.k = 0, {{}}\n\n{body}"
    report = search(tmp_path, source, "Wide", mode="exhaustive", seconds=1.0)
    assert report.stats.seconds < 5
    assert report.findings and not report.stats.complete


MODES = """
class Gauge:
    def __init__(self, quick: bool = False):
        self._lock, self._quick, self.slow, self.fast = threading.Lock(), quick, 0, 0

    def add(self) -> None:
        if self._quick:
            self.fast += 1
        else:
            self.slow += 1

    def read(self) -> tuple:
        return self.slow, self.fast
"""


def test_the_time_of_a_finding_counts_from_the_beginning_whichever_setup_shows_it(tmp_path: Path) -> None:
    report = search(tmp_path, MODES, "Gauge")
    first, second = (
        min(finding.seconds_to_find for finding in report.findings if finding.places == (place,))
        for place in ("Gauge.slow", "Gauge.fast")
    )
    assert first < second <= report.stats.seconds
