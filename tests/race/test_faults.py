"""Failing runs become one finding for each fault, with the smallest test, told at once and bettered later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everypath.concurrency.schedule import Leg
from everypath.race.causes import VALUE, Cause, Group, group_of, rank_of
from everypath.race.laboratory import Test
from everypath.suite.races import TODAY, ranked

from .samples import EVICTED, LOST
from .searching import search

TEST, PLAN = Test((), (("sut.f()",), ("sut.g()",))), (Leg(0, 1), Leg(1), Leg(0))


def group(*causes: Cause) -> Group:
    made = Group(causes[0], (), "state", causes[0], TEST, PLAN, 0.0)
    for cause in causes:
        made.joins(cause)
    return made


GET = Cause("sut._data", "Cache.get", "Cache.put", "KeyError")


@pytest.mark.parametrize(
    ("cause", "same"),
    [
        (GET, True),
        (Cause("sut._data", "Cache.items", "Cache.put", "KeyError"), True),
        (Cause("sut._data", "Cache.get", "Cache.clear", VALUE), True),
        (Cause("sut._data", "Cache.put", "Cache.get", VALUE), True),
        (Cause("sut._data", "Cache.items", "Cache.clear", "RuntimeError"), False),
        (Cause("sut._data", "Cache.put", "Cache.put", VALUE), False),
        (Cause("sut._size", "Cache.get", "Cache.put", "KeyError"), False),
    ],
    ids=["same", "symptom", "function", "the other way round", "other symptom", "other functions", "other memory"],
)
def test_what_belongs_to_one_fault(cause: Cause, same: bool) -> None:
    known = group(GET)
    assert group_of(cause, [known]) is (known if same else None)


def test_the_same_symptom_says_more_than_the_same_function() -> None:
    first, second = group(GET), group(Cause("sut._data", "Cache.items", "Cache.put", "RuntimeError"))
    assert group_of(Cause("sut._data", "Cache.get", "Cache.put", "RuntimeError"), [first, second]) is second


def test_unknown_memory_is_not_the_same_memory() -> None:
    known = group(Cause("", "C.f", "C.g", VALUE))
    assert group_of(Cause("", "C.h", "C.g", VALUE), [known]) is None
    assert group_of(Cause("", "C.f", "C.h", VALUE), [known]) is known


def test_today_is_worth_more_than_a_small_test() -> None:
    longer = Test(("sut.h()",), TEST.threads)
    assert rank_of("state", True, longer, PLAN) < rank_of("exception", False, TEST, PLAN)
    assert rank_of("exception", True, longer, PLAN) < rank_of("state", True, TEST, PLAN)
    assert rank_of("state", True, TEST, PLAN) < rank_of("state", True, longer, PLAN)


def test_findings_by_weight_then_what_happens_today() -> None:
    from everypath.records import replace

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
        for key in self._data:
            found += self._data[key]
        return found
"""


def test_two_faults_on_the_same_memory_are_two(tmp_path: Path) -> None:
    report = search(tmp_path, CACHE, "Cache")
    assert [finding.title for finding in report.findings] == [
        "Cache.get and Cache.evict: KeyError through Cache._data",
        "Cache.total and Cache.evict: RuntimeError through Cache._data",
    ]
    assert all(finding.also for finding in report.findings)


def test_the_smallest_test_is_shown(tmp_path: Path) -> None:
    finding = search(tmp_path, CACHE, "Cache", methods=("get", "evict", "put")).findings[0]
    assert finding.test.before == ("sut.put('a', 0)",) or len(finding.test.before) == 1
    assert finding.test.threads[1] == ("sut.evict()",) or finding.test.threads[0] == ("sut.evict()",)
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
