"""Serial orders of any calls, and deadlocks of every form: shown as a cycle, and none where a class is a lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.concurrency.schedule import SERIAL
from everypath.race.search.call_runner import Test
from everypath.race.search.examine import merged_orders

from .searching import followed, search

OPPOSITE = """
class Pair:
    def __init__(self):
        self.left, self.right = threading.Lock(), threading.Lock()

    def forth(self):
        with self.left:
            with self.right:
                pass

    def back(self):
        with self.right:
            with self.left:
                pass
"""
KEPT = """
class Door:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def enter(self, strict: bool = False):
        self.lock.acquire()
        if self.n > 1 and strict:
            raise ValueError("full")
        self.n += 1
        self.lock.release()

    def leave(self):
        with self.lock:
            self.n = 0
"""
TWICE = """
class Twice:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def outer(self):
        with self.lock:
            self.inner()

    def inner(self):
        with self.lock:
            self.n += 1
"""
FORGOTTEN = """
class Latch:
    def __init__(self):
        self.condition = threading.Condition()
        self.isset = False

    def wait(self):
        if not self.isset:
            with self.condition:
                self.condition.wait()

    def set(self):
        with self.condition:
            self.isset = True
            self.condition.notify_all()
"""


@pytest.mark.parametrize(("first", "second", "orders"), [(1, 1, 2), (1, 2, 3), (2, 2, 6), (3, 1, 4)])
def test_all_orders_of_whole_calls(first: int, second: int, orders: int) -> None:
    plans = merged_orders(Test((), (("sut.f()",) * first, ("sut.g()",) * second)))
    assert len(set(plans)) == orders
    assert first * second > 1 or plans == SERIAL


def test_the_cycle_of_a_deadlock_is_shown(tmp_path: Path) -> None:
    seen = followed(
        tmp_path,
        OPPOSITE,
        "Pair()",
        (["sut.forth()"], ["sut.back()"]),
        ["A until Pair.forth: acquire self.right", "B", "A"],
    )
    assert seen.kind == "deadlock"
    assert seen.observed == (
        "A: sut.forth() waits for ever at self.right",
        "B: sut.back() waits for ever at self.left",
        "A holds sut.left and waits for sut.right, which B holds",
        "B holds sut.right and waits for sut.left, which A holds",
    )
    assert seen.serial == (
        ("A: sut.forth() returns None", "B: sut.back() returns None", "then: Pair(left=free, right=free)"),
    )


def test_a_deadlock_is_found_and_told_with_its_cycle(tmp_path: Path) -> None:
    (finding,) = search(tmp_path, OPPOSITE, "Pair").findings
    assert finding.kind == "deadlock"
    assert set(finding.places) == {"Pair.left", "Pair.right"}
    assert any(line.startswith("A holds sut.") for line in finding.observed)


def test_a_lock_that_is_kept_after_an_error(tmp_path: Path) -> None:
    (finding,) = search(tmp_path, KEPT, "Door").findings
    assert finding.kind == "lock-kept"
    assert finding.title == "Door.enter ends without releasing Door.lock"
    assert any(line.endswith("waits for sut.lock, which A took and did not give back") for line in finding.observed)


def test_a_lock_that_is_taken_twice(tmp_path: Path) -> None:
    (finding,) = search(tmp_path, TWICE, "Twice").findings
    assert finding.title == "Twice.outer waits for a lock that it holds itself (Twice.lock)"
    assert finding.observed[-1] == "A holds sut.lock and waits for sut.lock, which it holds itself"
    assert finding.test.threads == (("sut.outer()",), ())


def test_a_wakeup_that_is_missed(tmp_path: Path) -> None:
    (finding,) = search(tmp_path, FORGOTTEN, "Latch").findings
    assert finding.kind == "deadlock"
    assert any(line.endswith("waits for sut.condition, and nobody is left to wake it up") for line in finding.observed)


LOCKS = {
    "plain": """
class Mutex:
    def __init__(self):
        self._lock = threading.Lock()
        self.owner = None

    def acquire(self):
        self._lock.acquire()
        self.owner = "somebody"

    def release(self):
        self.owner = None
        self._lock.release()
""",
    "checked": """
class Mutex:
    def __init__(self):
        self._lock = threading.Lock()
        self._taken = 0

    def acquire(self, blocking: bool = True) -> bool:
        if not self._lock.acquire(blocking):
            return False
        self._taken += 1
        return True

    def release(self):
        if not self._lock.locked():
            raise RuntimeError("not taken")
        self._taken -= 1
        self._lock.release()
""",
    "context": """
class Mutex:
    def __init__(self):
        self._lock = threading.RLock()
        self.entries = 0

    def __enter__(self):
        self._lock.acquire()
        self.entries += 1
        return self

    def __exit__(self, *error):
        self._lock.release()
""",
    "readers and writers": """
class Mutex:
    def __init__(self):
        self._guard, self._writing = threading.Lock(), threading.Lock()
        self._readers = 0

    def acquire_read(self):
        with self._guard:
            self._readers += 1
            if self._readers == 1:
                self._writing.acquire()

    def release_read(self):
        with self._guard:
            if self._readers == 0:
                raise RuntimeError("no reader")
            self._readers -= 1
            if self._readers == 0:
                self._writing.release()

    def acquire_write(self):
        self._writing.acquire()

    def release_write(self):
        self._writing.release()
""",
    "guards": """
class Guard:
    def __init__(self, lock):
        self._lock = lock

    def close(self):
        self._lock.release()


class Mutex:
    def __init__(self):
        self._lock = threading.Lock()
        self.times = 0

    def open(self):
        self._lock.acquire()
        self.times += 1
        return Guard(self._lock)
""",
    "handed over": """
class Mutex:
    def __init__(self):
        self._baton = threading.Lock()

    def meet(self):
        with self._baton:
            pass
        self._baton.acquire()
        self._baton.acquire()
        self._baton.release()

    def let(self):
        if self._baton.locked():
            self._baton.release()
""",
}


@pytest.mark.parametrize("form", LOCKS)
def test_classes_that_are_locks_keep_theirs_on_purpose(tmp_path: Path, form: str) -> None:
    assert [finding.title for finding in search(tmp_path, LOCKS[form], "Mutex").findings] == []
