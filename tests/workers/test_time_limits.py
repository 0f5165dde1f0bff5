"""Code that computes has its time; code that only waits is interrupted sooner."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from everypath.workers.fence import Fence, TimedOut

PATIENCE = 6.0


@pytest.fixture
def fence() -> Iterator[Fence]:
    before = [(number, signal.getsignal(number)) for number in (signal.SIGALRM, signal.SIGPROF)]
    made = Fence((), PATIENCE)
    yield made
    made.limit_time(0)
    for number, handler in before:
        signal.signal(number, handler)


def busy(until: Callable[[], bool]) -> None:
    while not until():
        pass


def test_code_that_waits_is_interrupted_long_before_the_limit(fence: Fence) -> None:
    begun = time.monotonic()
    fence.limit_time(1.0, 0.1)
    with pytest.raises(TimedOut):
        threading.Event().wait(5)
    assert time.monotonic() - begun < 2


def test_code_that_computes_has_its_time(fence: Fence) -> None:
    begun = time.process_time()
    fence.limit_time(1.0, 0.1)
    busy(lambda: time.process_time() - begun > 0.5)


def test_code_that_computes_for_too_long_is_interrupted(fence: Fence) -> None:
    fence.limit_time(0.3, 0.1)
    with pytest.raises(TimedOut):
        busy(lambda: False)


def test_code_that_waits_where_nothing_is_said_of_waiting_has_the_patience_of_a_busy_machine(fence: Fence) -> None:
    fence.limit_time(0.1)
    begun = time.monotonic()
    with pytest.raises(TimedOut):
        threading.Event().wait(5)
    assert time.monotonic() - begun > 0.5
