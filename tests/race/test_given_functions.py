"""A call that runs a function of its caller has parts; nothing else is excused by that."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.race.observe.call_parts import call_count

from .searching import clean, followed, search

BREAKER = """
class Breaker:
    def __init__(self, limit: int = 1):
        self._failures, self._limit = 0, limit
        self._lock = threading.Lock()

    def call(self, function):
        with self._lock:
            if self._failures >= self._limit:
                raise RuntimeError("open")
        try:
            return function()
        except Exception:
            with self._lock:
                self._failures += 1
            raise

    def failures(self) -> int:
        with self._lock:
            return self._failures
"""
LOST = BREAKER.replace(
    "            with self._lock:\n                self._failures += 1", "            self._failures += 1"
)

CLAIMING = """
class Claiming:
    def __init__(self):
        self._values, self._busy = {}, set()

    def get_or_compute(self, key: str, compute):
        if key in self._values:
            return self._values[key]
        if key in self._busy:
            raise RuntimeError("busy")
        self._busy.add(key)
        try:
            self._values[key] = compute()
            return self._values[key]
        finally:
            self._busy.discard(key)
"""

EACH = """
class Each:
    def __init__(self):
        self._items = {}

    def put(self, key: str) -> None:
        self._items[key] = 1

    def for_each(self, function) -> None:
        for key in self._items:
            function(key)
"""

LAZY = """
class Lazy:
    def __init__(self, factory):
        self._factory, self._value = factory, None

    def get(self):
        if self._value is None:
            self._value = self._factory()
        return self._value
"""

EVENTS = """
class Events:
    def __init__(self):
        self._handlers, self._fired = [], 0

    def on(self, handler) -> None:
        self._handlers.append(handler)

    def fire(self) -> None:
        before = self._fired
        for handler in list(self._handlers):
            handler()
        self._fired = before + 1

    def fired(self) -> int:
        return self._fired
"""


def test_what_happens_while_the_function_runs_is_no_fault(tmp_path: Path) -> None:
    assert clean(search(tmp_path, BREAKER, "Breaker"))


@pytest.mark.parametrize(
    ("source", "cls", "kind"),
    [
        (LOST, "Breaker", "state"),  # an update is lost within one part
        (CLAIMING, "Claiming", "result"),  # computed twice, although the class says that it is not
        (EACH, "Each", "exception"),  # the class breaks when others change it while the function runs
        (LAZY, "Lazy", "result"),  # the caller of `get` did not hand in the factory
        (EVENTS, "Events", "state"),  # nor did the caller of `fire` hand in the handlers
    ],
)
def test_faults_around_functions_are_still_found(tmp_path: Path, source: str, cls: str, kind: str) -> None:
    assert kind in {finding.kind for finding in search(tmp_path, source, cls).findings}


BETWEEN = ["A until <thread>: read the next call", "B", "A"]
INSIDE = """
class Stack:
    def __init__(self):
        self.items = []

    def push(self, item: int) -> None:
        self.items.append(item)

    def run(self, function):
        before = len(self.items)
        function()
        return before, len(self.items)
"""


@pytest.mark.parametrize("function", ["callback", "stub_function()", "lambda: 1", "stub_object()"])
def test_a_function_divides_the_call_that_was_given_it(tmp_path: Path, function: str) -> None:
    threads = ([f"sut.run({function})"], ["sut.push(1)"])
    replayed = followed(tmp_path, INSIDE, "Stack()", threads, BETWEEN)
    assert not replayed.failed
    assert any("(0, 1)" in line for line in replayed.observed)


def test_calls_on_the_object_inside_the_function_are_parts_of_their_own(tmp_path: Path) -> None:
    threads = (["sut.run(lambda: sut.push(2))"], ["sut.push(1)"])
    for occurrence in (1, 2):
        schedule = [f"A until <thread>: read the next call #{occurrence}", "B", "A"]
        replayed = followed(tmp_path, INSIDE, "Stack()", threads, schedule)
        assert not replayed.failed
        assert any("(0, 2)" in line for line in replayed.observed)
    # Within the inner call nothing is excused.
    source = INSIDE.replace("self.items.append(item)", "self.items = [*self.items, item]")
    schedule = ["A until Stack.push: write self.items", "B", "A"]
    assert followed(tmp_path, source, "Stack()", threads, schedule).failed


def test_a_function_of_the_module_divides_as_well_and_stays_itself(tmp_path: Path) -> None:
    source = f"{INSIDE}\n    def keep(self, function):\n        self.kept = function\n\ndef work():\n    return 1\n"
    threads = (["sut.run(work)"], ["sut.push(1)"])
    replayed = followed(tmp_path, source, "Stack()", threads, BETWEEN)
    assert not replayed.failed
    assert any("(0, 1)" in line for line in replayed.observed)
    same = f"{source}\n    pass\n".replace(
        "self.kept = function", "assert self.__dict__.setdefault('k', function) is function"
    )
    again = followed(tmp_path, same, "Stack()", (["sut.keep(work)"], []), ["A"], before=["sut.keep(work)"])
    assert any("returns None" in line for line in again.observed)


CHAIN = """
class Plan:
    def __init__(self):
        self._lock, self._made, self._done = threading.Lock(), 0, []

    def every(self, count: int):
        with self._lock:
            self._made += 1
        return Step(self, count)

    def made(self) -> tuple[int, int]:
        with self._lock:
            return self._made, len(self._done)


class Step:
    def __init__(self, plan, count):
        self._plan, self._count = plan, count

    def do(self, name: str) -> None:
        with self._plan._lock:
            self._plan._done.append(name)
"""


def test_a_call_on_the_result_of_a_call_is_another_call(tmp_path: Path) -> None:
    assert call_count("sut.every(1).do('a')") == 2
    assert call_count("sut.every(1)") == call_count("len(sut.jobs())") == 1
    threads = (["sut.every(1).do('a')"], ["sut.made()"])
    replayed = followed(tmp_path, CHAIN, "Plan()", threads, BETWEEN)
    assert not replayed.failed
    assert any("(1, 0)" in line for line in replayed.observed)
