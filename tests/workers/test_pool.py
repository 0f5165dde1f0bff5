"""Items of work spread over forked processes: every item has a result whatever becomes of the processes."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from everypath.workers.pool import TRIES, Done, Lost, Pool, Tell, Told


def results(pool: Pool, items: range) -> dict[int, object]:
    return {each.item: each.result for each in pool.results(items) if isinstance(each, Done)}


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_every_item_is_done_once(jobs: int) -> None:
    with Pool(jobs, lambda item, tell: item * item) as pool:
        assert results(pool, range(40)) == {item: item * item for item in range(40)}


def test_processes_are_copies_of_the_caller() -> None:
    known = {"loaded": object()}
    with Pool(2, lambda item, tell: (id(known["loaded"]), os.getpid())) as pool:
        found = results(pool, range(6))
    assert {identity for identity, _ in found.values()} == {id(known["loaded"])}  # type: ignore[misc]
    assert os.getpid() not in {pid for _, pid in found.values()}  # type: ignore[misc]


def test_large_results_and_what_is_told_on_the_way() -> None:
    def work(item: int, tell: Tell) -> str:
        for number in range(3):
            tell((number, "x" * 100_000))
        return "y" * 3_000_000

    with Pool(2, work) as pool:
        heard = list(pool.results(range(4)))
    assert [each.what[0] for each in heard if isinstance(each, Told) and each.item == 2] == [0, 1, 2]
    assert [len(each.result) for each in heard if isinstance(each, Done)] == [3_000_000] * 4


@pytest.mark.parametrize("seed", range(5))
def test_killed_processes_cost_nothing_but_time(seed: int) -> None:
    def work(item: int, tell: Tell) -> int:
        tell(os.getpid())
        time.sleep(0.01)
        return item

    draw, killed = random.Random(seed), []
    with Pool(3, work) as pool:
        done = []
        for message in pool.results(range(30)):
            # Not the same item every time, which would then be lost.
            if isinstance(message, Told) and draw.random() < 0.2 and message.item not in killed:
                killed.append(message.item)
                os.kill(message.what, signal.SIGKILL)
            elif isinstance(message, (Done, Lost)):
                done.append(message)
    assert killed
    assert sorted(done, key=lambda each: each.item) == [Done(item, item) for item in range(30)]


def test_what_kills_its_process_every_time_is_lost_and_told(tmp_path: Path) -> None:
    def work(item: int, tell: Tell) -> int:
        if item == 3:
            with open(tmp_path / "tries", "a") as tries:
                tries.write(".")
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with Pool(2, work) as pool:
        heard = [each for each in pool.results(range(8)) if not isinstance(each, Told)]
    assert [each for each in heard if isinstance(each, Lost)] == [Lost(3, -signal.SIGKILL)]
    assert {each.item for each in heard if isinstance(each, Done)} == {0, 1, 2, 4, 5, 6, 7}
    assert len((tmp_path / "tries").read_text()) == TRIES


def test_an_error_in_the_work_is_no_endless_wait() -> None:
    def work(item: int, tell: Tell) -> int:
        raise ZeroDivisionError

    with Pool(2, work) as pool:
        # They come as they are lost, whichever is first.
        assert set(pool.results(range(2))) == {Lost(0, 1), Lost(1, 1)}


def test_after_an_interrupt_nothing_new_is_begun_and_what_runs_may_end() -> None:
    def work(item: int, tell: Tell) -> int:
        signal.signal(signal.SIGTERM, lambda *_: None)
        tell("begun")
        time.sleep(0.2)
        return item

    with Pool(2, work) as pool:
        heard = []
        messages = pool.results(range(20))
        for message in messages:
            heard.append(message)
            if len(heard) == 2:
                # As a signal does in the midst of waiting.
                pool._ask_to_end()
    assert sorted(each.item for each in heard if isinstance(each, Done)) == [0, 1]


def test_nothing_is_left_running() -> None:
    with Pool(3, lambda item, tell: os.getpid()) as pool:
        pids = set(results(pool, range(9)).values())
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)  # type: ignore[call-overload]
