"""Locks and what the library builds on them, between two controlled threads and outside of the arena."""

from __future__ import annotations

import copy
import queue
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from everypath.concurrency.schedule import SERIAL, Leg, Plan, Point
from everypath.race.control.arena import RealArena
from everypath.race.control.environment import Environment
from everypath.race.control.locks import FAILED, Stuck
from everypath.race.events import ACQUIRE, SITES, operation
from everypath.race.running import Blocked, Job, NotReached, Raised, Returned, Run
from tests.race.arena_setting import Counter, arena, installed, operations, plain

NATIVE_LOCK, NATIVE_RLOCK = type(threading.Lock()), type(threading.RLock())


@pytest.fixture
def world() -> Iterator[Environment]:
    with installed() as environment:
        yield environment


@pytest.fixture
def stage(world: Environment) -> Iterator[RealArena]:
    with arena(world) as made:
        yield made


def values(run: Run) -> list[Any]:
    return [o.value if isinstance(o, Returned) else type(o) for outcomes in run.outcomes for o in outcomes]


class Account:
    """Two locks, taken in two orders."""

    def __init__(self) -> None:
        self.first = threading.Lock()
        self.second = threading.Lock()

    def forwards(self) -> str:
        with self.first, self.second:
            return "forwards"

    def backwards(self) -> str:
        with self.second, self.first:
            return "backwards"


def test_locks_announce_what_they_do(stage: RealArena) -> None:
    account = Account()
    run = stage.run([account.forwards], [account.backwards], SERIAL[0], record=True)
    assert values(run) == ["forwards", "backwards"]
    assert operations(run) == [
        "0 acquire self.first",
        "0 acquire self.second",
        "0 release self.second",
        "0 release self.first",
        "1 acquire self.second",
        "1 acquire self.first",
        "1 release self.first",
        "1 release self.second",
    ]
    assert [len(e.held) for _, e in run.events] == [0, 1, 2, 1] * 2
    assert {SITES[e.site].function for _, e in run.events} == {"Account.forwards", "Account.backwards"}


def test_a_deadlock_is_seen_and_over(stage: RealArena) -> None:
    for _ in range(3):
        account = Account()
        run = stage.run([account.forwards, account.forwards], [account.backwards], (Leg(0, 1), Leg(1)), record=True)
        one, two = run.outcomes[0][0], run.outcomes[1][0]
        assert isinstance(one, Blocked)
        assert isinstance(two, Blocked)
        assert (one.lock, one.held) == (account.second, (account.first,))
        assert (two.lock, two.held) == (account.first, (account.second,))
        assert SITES[one.site].text == "self.second"
        assert run.outcomes[0][1] == NotReached()
        assert not account.first.locked()
        assert values(stage.run([account.forwards], [account.backwards], SERIAL[0])) == ["forwards", "backwards"]
    assert stage.abandoned == 0


def test_points_name_locks(stage: RealArena) -> None:
    account = Account()
    plan = (Leg(0, Point("Account.forwards", "acquire self.second")), Leg(1))
    assert values(stage.run([account.forwards], [account.backwards], plan)) == [Blocked, Blocked]


def test_who_has_to_wait_lets_the_other_run(stage: RealArena) -> None:
    def guarded(name: str) -> None:
        with lock:
            counter.note(f"{name}1", f"{name}2")

    lock, counter = threading.Lock(), Counter()
    run = stage.run([lambda: guarded("a")], [lambda: guarded("x")], (Leg(0, 2), Leg(1, 2)))
    assert counter.log == ["a1", "a2", "x1", "x2"]
    assert run.missed


def test_a_lock_kept_blocks_the_other(stage: RealArena) -> None:
    lock = threading.Lock()
    run = stage.run([lock.acquire], [lock.acquire], SERIAL[0])
    assert values(run) == [True, Blocked]
    assert lock.locked()


def test_a_lock_taken_twice(stage: RealArena) -> None:
    def twice() -> None:
        with lock, lock:
            pass

    lock = threading.Lock()
    run = stage.run([twice], [], SERIAL[0])
    assert run.outcomes[0][0].held == (lock,)  # type: ignore[union-attr]


def test_a_lock_can_be_given_back_by_the_other(stage: RealArena) -> None:
    lock = threading.Lock()
    run = stage.run([lock.acquire, lock.acquire], [lock.release], SERIAL[0])
    assert values(run) == [True, True, None]
    assert values(stage.run([lock.release, lock.release], [], SERIAL[0])) == [None, Raised]


def test_unwinding_runs_no_further_than_it_must(stage: RealArena) -> None:
    def clean_up() -> None:
        try:
            with account.first, account.second:
                pass
        finally:
            account.first.acquire()
            log.append("taken")

    def stubborn() -> None:
        while True:
            try:
                with account.second, account.first:
                    return
            except BaseException:
                continue

    log: list[str] = []
    account = Account()
    run = stage.run([clean_up], [stubborn], (Leg(0, 1), Leg(1)))
    assert values(run) == [Blocked, Blocked]
    assert not log
    assert stage.abandoned == 1
    assert values(stage.run([Account().forwards], [Account().backwards], SERIAL[0])) == ["forwards", "backwards"]


def test_reentrant_locks(stage: RealArena) -> None:
    def outer(name: str) -> str:
        with lock:
            counter.note(f"{name}1")
            return inner(name)

    def inner(name: str) -> str:
        with lock:
            counter.note(f"{name}2")
            return name

    lock, counter = threading.RLock(), Counter()
    run = stage.run([lambda: outer("a")], [lambda: outer("x")], (Leg(0, 2), Leg(1)), record=True)
    assert values(run) == ["a", "x"]
    assert counter.log == ["a1", "a2", "x1", "x2"]
    assert [t for t, e in run.events if e.kind == ACQUIRE] == [0, 1]
    assert max(len(e.held) for _, e in run.events) == 1
    assert values(stage.run([lock.release], [], SERIAL[0])) == [Raised]


class Buffer:
    """One place, guarded by a condition."""

    def __init__(self) -> None:
        self.ready = threading.Condition()
        self.items: list[int] = []

    def put(self, item: int) -> None:
        with self.ready:
            self.items.append(item)
            self.ready.notify()

    def get(self) -> int:
        with self.ready:
            while not self.items:
                self.ready.wait()
            return self.items.pop()

    def get_badly(self) -> int:
        with self.ready:
            empty = not self.items
        with self.ready:
            if empty:
                self.ready.wait()
            return self.items.pop()


@pytest.mark.parametrize("plan", [*SERIAL, (Leg(0, 1), Leg(1)), (Leg(0, 2), Leg(1)), (Leg(1, 2), Leg(0))])
def test_a_condition_hands_an_item_over(stage: RealArena, plan: Plan) -> None:
    buffer = Buffer()
    assert values(stage.run([buffer.get], [lambda: buffer.put(7)], plan)) == [7, None]


def test_a_condition_announces_waiting_and_waking(stage: RealArena) -> None:
    buffer = Buffer()
    run = stage.run([buffer.get], [lambda: buffer.put(7)], SERIAL[0], record=True)
    assert operations(run) == [
        "0 acquire self.ready",
        "0 wait on self.ready",
        "0 release self.ready",
        "1 acquire self.ready",
        "1 notify self.ready",
        "1 release self.ready",
        "0 acquire self.ready",
        "0 release self.ready",
    ]
    waits = [e for _, e in run.events if operation(e).startswith(("wait", "notify"))]
    assert [(e.target, e.key) for e in waits] == [(buffer.ready, "waiters")] * 2


def test_a_lost_wake_up(stage: RealArena) -> None:
    buffer = Buffer()
    run = stage.run([buffer.get_badly], [lambda: buffer.put(7)], (Leg(0, 2), Leg(1)))
    blocked = run.outcomes[0][0]
    assert isinstance(blocked, Blocked)
    assert blocked.lock is buffer.ready
    assert blocked.held == ()


def test_conditions_complain_as_ever(stage: RealArena) -> None:
    condition = threading.Condition()
    run = stage.run([condition.wait, condition.notify], [], SERIAL[0])
    assert [str(o.error) for o in run.outcomes[0] if isinstance(o, Raised)] == [
        "cannot wait on un-acquired lock",
        "cannot notify on un-acquired lock",
    ]


class Room:
    """Counts how many are inside."""

    def __init__(self, permits: threading.Semaphore) -> None:
        self.permits = permits
        self.inside = self.most = 0

    def visit(self) -> None:
        with self.permits:
            self.inside += 1
            self.most = max(self.most, self.inside)
            Counter().note("inside")
            self.inside -= 1


@pytest.mark.parametrize("count", [1, 2])
def test_semaphores(stage: RealArena, count: int) -> None:
    alone = stage.run([Room(threading.Semaphore(count)).visit], [], SERIAL[0], record=True)
    most = 0
    for until in range(len(alone.events) + 1):
        room = Room(threading.BoundedSemaphore(count))
        run = stage.run([room.visit], [room.visit], (Leg(0, until), Leg(1)))
        assert values(run) == [None, None]
        most = max(most, room.most)
    assert most == count


def test_events_and_barriers(stage: RealArena) -> None:
    signal = threading.Event()
    assert values(stage.run([signal.wait, signal.is_set], [signal.set], SERIAL[0])) == [True, True, None]
    barrier = threading.Barrier(2)
    for plan in SERIAL:
        assert sorted(values(stage.run([barrier.wait], [barrier.wait], plan))) == [0, 1]
    assert values(stage.run([barrier.wait], [], SERIAL[0])) == [Blocked]


@pytest.mark.parametrize("kind", [queue.Queue, queue.LifoQueue, queue.PriorityQueue])
def test_queues(stage: RealArena, kind: type[Any]) -> None:
    items = kind(1)
    for plan in (*SERIAL, (Leg(0, 1), Leg(1)), (Leg(0, 3), Leg(1))):
        run = stage.run([items.get, items.get], [lambda: items.put(1), lambda: items.put(2)], plan)
        assert values(run) == [1, 2, None, None]
    assert values(stage.run([items.get], [], SERIAL[0])) == [Blocked]


def test_simple_queues(stage: RealArena) -> None:
    items: Any = queue.SimpleQueue()
    assert values(stage.run([items.get], [lambda: items.put(1)], SERIAL[0])) == [1, None]
    assert values(stage.run([lambda: items.get(timeout=3)], [], SERIAL[0])) == [Raised]


def test_accesses_of_queues_and_events_are_seen(stage: RealArena) -> None:
    def check_then_act() -> Any:
        return None if items.empty() else items.get_nowait()

    items: queue.Queue[int] = queue.Queue()
    items.put(1)
    run = stage.run([check_then_act], [], SERIAL[0], record=True)
    assert [operation(e) for _, e in run.events if e.kind < ACQUIRE] == ["read items", "read items", "update items"]


def test_futures(stage: RealArena) -> None:
    future: Future[int] = Future()
    assert values(stage.run([future.result], [lambda: future.set_result(3)], SERIAL[0])) == [3, None]


def test_waiting_has_an_end_in_virtual_time(stage: RealArena, world: Environment) -> None:
    def patient(timeout: float) -> bool:
        return lock.acquire(timeout=timeout)

    lock = threading.Lock()
    lock.acquire()
    run = stage.run([lambda: patient(50)], [lambda: patient(20), lambda: lock.release()], SERIAL[0], record=True)
    assert values(run) == [True, False, None]
    assert [e.key for t, e in run.events if e.kind == ACQUIRE] == [None, FAILED]
    assert values(stage.run([lambda: lock.acquire(False), lambda: patient(5)], [], SERIAL[0])) == [False, False]
    wrong: list[Job] = [lambda: lock.acquire(False, 1), lambda: lock.acquire(True, -2)]
    assert values(stage.run(wrong, [], SERIAL[0])) == [Raised, Raised]


def test_sleeping_past_the_end_of_a_wait(stage: RealArena) -> None:
    def wait() -> bool:
        with condition:
            return condition.wait(5)

    def sleep_and_wait() -> bool:
        time.sleep(10)
        with condition:
            return condition.wait(5)

    condition = threading.Condition()
    assert values(stage.run([wait], [sleep_and_wait], SERIAL[0])) == [False, False]


def test_a_lock_that_is_tried_again_and_again(stage: RealArena) -> None:
    def insist() -> int:
        attempts = 1
        while not lock.acquire(False):
            time.sleep(0.1)
            attempts += 1
        lock.release()
        return attempts

    def guarded() -> None:
        with lock:
            Counter().note("a")

    lock = threading.Lock()
    run = stage.run([insist], [guarded], (Leg(1, 1), Leg(0)), steps=2000)
    assert isinstance(run.outcomes[0][0], Returned)
    assert run.outcomes[0][0].value > 1
    assert run.outcomes[1] == (Returned(None),)


def test_runs_with_locks_are_the_same_every_time(stage: RealArena) -> None:
    def once() -> Run:
        account, buffer = Account(), Buffer()
        return stage.run(
            [buffer.get, account.forwards],
            [lambda: buffer.put(1), account.backwards],
            (Leg(0, 9), Leg(1, 4)),
            record=True,
        )

    expected = plain(once())
    assert all(plain(once()) == expected for _ in range(200))


def test_outside_of_the_arena_locks_are_real(world: Environment) -> None:
    lock, reentrant = threading.Lock(), threading.RLock()
    assert lock.acquire(timeout=1)
    assert not lock.acquire(False)
    with reentrant, reentrant:
        assert not lock.acquire(timeout=0.01)
    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(lock.acquire(timeout=5)))
    thread.start()
    lock.release()
    thread.join()
    assert seen == [True]
    buffer = Buffer()
    thread = threading.Thread(target=lambda: seen.append(buffer.get() == 7))
    thread.start()
    buffer.put(7)
    thread.join()
    assert seen == [True, True]


def test_who_is_alone_does_not_wait_for_ever(world: Environment) -> None:
    lock, condition = threading.Lock(), threading.Condition()
    world.arm()
    lock.acquire()
    assert not lock.acquire(timeout=3)
    with pytest.raises(Stuck):
        lock.acquire()
    with condition:
        assert not condition.wait(1)
        with pytest.raises(Stuck):
            condition.wait()
    world.disarm()


def _made(factory: Any) -> Any:
    return factory()


def test_replaced_locks_are_locks(world: Environment) -> None:
    lock, reentrant = _made(threading.Lock), _made(threading.RLock)
    assert isinstance(lock, NATIVE_LOCK)
    assert isinstance(lock, type(_made(threading.Lock)))
    assert isinstance(reentrant, NATIVE_RLOCK)
    assert isinstance(reentrant, type(_made(threading.RLock)))
    assert not isinstance(lock, NATIVE_RLOCK)
    lock.acquire()
    for made in (copy.copy(lock), copy.deepcopy(lock)):
        assert type(made) is type(lock)
        assert made.locked()
    lock.release()
    assert not copy.deepcopy([lock])[0].locked()
    with reentrant:
        assert copy.deepcopy(reentrant).locked()
    assert not reentrant.locked()


def test_programs_cannot_copy_locks(stage: RealArena) -> None:
    (outcome,) = stage.run([lambda: copy.deepcopy(threading.Lock())], [], SERIAL[0]).outcomes[0]
    assert isinstance(outcome, Raised)
    assert str(outcome.error) == "cannot pickle '_thread.lock' object"
