"""Failing runs become one finding for each fault, with the smallest test, told at once and bettered later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everypath.cases.races import TODAY, ranked
from everypath.concurrency.schedule import Leg
from everypath.race.search.call_runner import Test
from everypath.race.search.causes import VALUE, Cause, Group, group_of, rank_of
from everypath.records import replace

from .samples import EVICTED, LOST
from .searching import search

TEST, PLAN = Test((), (("sut.f()",), ("sut.g()",))), (Leg(0, 1), Leg(1), Leg(0))


def group(cause: Cause, kind: str = "state", rank: int = 5) -> Group:
    return Group("it", cause, (rank,), kind, TEST, PLAN, 0.0)


UNGUARDED, GUARDED = Cause("sut._data", "", "KeyError"), Cause("sut._data", "Cache.get", "KeyError")


@pytest.mark.parametrize(
    ("known", "cause", "same"),
    [
        (UNGUARDED, UNGUARDED, True),
        (UNGUARDED, Cause("sut._data", "", VALUE), True),
        (Cause("sut._data", "", VALUE), UNGUARDED, True),
        (UNGUARDED, Cause("sut._data", "", "RuntimeError"), False),
        (UNGUARDED, Cause("sut._size", "", "KeyError"), False),
        (GUARDED, Cause("sut._data", "Cache.get", VALUE), True),
        (GUARDED, Cause("sut._data", "Cache.get", "RuntimeError"), True),
        (GUARDED, Cause("sut._data", "Cache.items", "KeyError"), False),
        (GUARDED, UNGUARDED, False),
        (Cause("", "C.f", VALUE), Cause("", "C.h", VALUE), False),
    ],
)
def test_what_belongs_to_one_fault(known: Cause, cause: Cause, same: bool) -> None:
    found = group(known)
    assert group_of(cause, [found]) is (found if same else None)


def test_an_exception_stands_for_the_wrong_values_beside_it() -> None:
    fault = group(Cause("sut._data", "", VALUE))
    fault.take(UNGUARDED, (9,), "exception", TEST, PLAN)
    assert (fault.kind, fault.cause, fault.rank, fault.count, fault.name) == ("exception", UNGUARDED, (9,), 2, "it")
    fault.take(Cause("sut._data", "", VALUE), (1,), "state", TEST, PLAN)
    assert (fault.kind, fault.count) == ("exception", 3)
    fault.take(UNGUARDED, (8,), "exception", TEST, PLAN)
    assert fault.rank == (8,)


def test_of_one_function_the_best_run_stands_for_all() -> None:
    fault = group(GUARDED, "exception")
    fault.take(Cause("sut._data", "Cache.get", VALUE), (1,), "state", TEST, PLAN)
    assert fault.kind == "state"
    fault.take(GUARDED, (2,), "exception", TEST, PLAN)
    assert fault.kind == "state"


def test_today_is_worth_more_than_a_small_test() -> None:
    longer = Test(("sut.h()",), TEST.threads)
    assert rank_of("state", True, longer, PLAN) < rank_of("exception", False, TEST, PLAN)
    assert rank_of("exception", True, longer, PLAN) < rank_of("state", True, TEST, PLAN)
    assert rank_of("state", True, TEST, PLAN) < rank_of("state", True, longer, PLAN)


def test_findings_by_weight_then_what_happens_today() -> None:
    kinds = ("state", "result", "endless", "exception", "deadlock")
    findings = [replace(LOST, kind=kind, label=label) for kind in kinds for label in (LOST.label, TODAY)]
    found = [(finding.kind, finding.label == TODAY) for finding in ranked(findings)]
    assert found == [
        ("exception", True),
        ("deadlock", True),
        ("endless", True),
        ("exception", False),
        ("deadlock", False),
        ("endless", False),
        ("result", True),
        ("result", False),
        ("state", True),
        ("state", False),
    ]
    assert ranked([LOST, EVICTED]) == [EVICTED, LOST]


CACHE = """
class Cache:
    def __init__(self):
        self._data = {}

    def put(self, key: str, value: int) -> None:
        self._data[key] = value

    def evict(self) -> None:
        self._data.clear()

    def get(self, key: str) -> int:
        if key in self._data:
            return self._data[key]
        return -1

    def total(self) -> int:
        found = 0
        for value in self._data.values():
            found += value
        return found
"""


def test_two_faults_on_the_same_memory_are_two(tmp_path: Path) -> None:
    report = search(tmp_path, CACHE, "Cache")
    assert {finding.title for finding in report.findings} == {
        "Cache.get and Cache.evict: KeyError through Cache._data",
        "Cache.total and Cache.evict: RuntimeError through Cache._data",
    }
    assert all(finding.also for finding in report.findings)


def test_each_function_that_leaves_out_the_lock_is_a_fault(tmp_path: Path) -> None:
    source = CACHE.replace("self._data = {}", "self._data, self._lock = {}, threading.Lock()")
    for change in ("self._data[key] = value", "self._data.clear()"):
        source = source.replace(change, f"with self._lock:\n            {change}")
    titles = [finding.title for finding in search(tmp_path, source, "Cache").findings]
    assert len(titles) == 2
    assert {title.partition(" and ")[0] for title in titles} == {"Cache.get", "Cache.total"}


def test_the_smallest_test_is_shown(tmp_path: Path) -> None:
    (finding,) = (found for found in search(tmp_path, CACHE, "Cache").findings if "KeyError" in found.title)
    assert len(finding.test.before) == 1 and finding.test.before[0].startswith("sut.put(")
    assert ("sut.evict()",) in finding.test.threads
    assert [switch.function for switch in finding.test.schedule] == ["Cache.get", None, None]


def test_findings_are_told_as_soon_as_they_are_found(tmp_path: Path) -> None:
    """Whoever stops the search at the first finding has that finding."""

    def stop(message: dict[str, Any]) -> None:
        if message["type"] == "finding":
            raise KeyboardInterrupt

    report = search(tmp_path, CACHE, "Cache", stop, seconds=30.0)
    assert report.interrupted
    assert report.findings
    assert not report.stats.complete
    assert report.stats.seconds < 5


def test_a_better_run_replaces_what_was_told(tmp_path: Path) -> None:
    """First a switch within the statement is found, which needs no global lock; the loop allows one today."""
    told: list[tuple[str, str]] = []

    def listen(message: dict[str, Any]) -> None:
        if message["type"] == "finding":
            told.append((message["fault"], message["label"]))

    source = """
class Counter:
    def __init__(self):
        self.n = 0

    def add(self, times: int = 1) -> None:
        if times == 1:
            self.n += 1
            return
        for _ in range(times):
            n = self.n
            for _ in range(2):
                pass
            self.n = n + 1
"""
    report = search(tmp_path, source, "Counter", listen)
    (finding,) = report.findings
    assert finding.label == TODAY
    assert len({fault for fault, _ in told}) == 1
    assert told[-1][1] == TODAY


def test_wrong_values_and_exceptions_of_one_pair_are_one_fault(tmp_path: Path) -> None:
    source = """
class Stack:
    def __init__(self):
        self._items = []

    def push(self, item: int) -> None:
        self._items.append(item)

    def pop(self) -> int:
        if not self._items:
            return -1
        last = self._items[-1]
        del self._items[-1]
        return last
"""
    (finding,) = search(tmp_path, source, "Stack").findings
    assert finding.title == "two calls of Stack.pop: IndexError through Stack._items"


def test_data_outside_the_object_is_named(tmp_path: Path) -> None:
    source = "numbers = []\n\n\nclass Ids:\n    def next(self) -> int:\n        numbers.append(len(numbers))\n"
    (finding,) = search(tmp_path, source + "        return numbers[-1]\n", "Ids").findings
    assert finding.places == ("subject.numbers",)
