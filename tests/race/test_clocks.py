"""Time stands still, chance repeats itself, and what cannot be controlled is refused with its line."""

from __future__ import annotations

import asyncio
import datetime
import logging
import os
import random
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic as taken_over
from typing import Any

import pytest

from everypath.concurrency.schedule import SERIAL, Leg
from everypath.race.control.arena import RealArena
from everypath.race.control.clocks import CLOCK
from everypath.race.control.environment import Environment
from everypath.race.control.fencing import Uncontrolled
from everypath.race.running import Endless, Refused, Returned, Run
from tests.race.arena_setting import Counter, arena, installed


@pytest.fixture
def world() -> Iterator[Environment]:
    with installed() as environment:
        yield environment


@pytest.fixture
def stage(world: Environment) -> Iterator[RealArena]:
    with arena(world) as made:
        yield made


def refusals(run: Run) -> list[str]:
    outcomes = [o for outcomes in run.outcomes for o in outcomes]
    assert all(isinstance(o, Refused) and o.file == __file__ and o.line > 0 for o in outcomes), outcomes
    return [o.what for o in outcomes if isinstance(o, Refused)]


def test_time_stands_still(world: Environment) -> None:
    def look() -> list[Any]:
        return [
            time.time(),
            time.monotonic(),
            taken_over(),
            time.perf_counter_ns(),
            time.process_time(),
            time.localtime(),
            time.strftime("%c"),
            time.clock_gettime(time.CLOCK_MONOTONIC),
            datetime.datetime.now(),
            datetime.datetime.now(datetime.UTC),
            datetime.datetime.today(),
            datetime.date.today(),
        ]

    before = CLOCK.read_count
    first = look()
    assert look() == first
    assert CLOCK.read_count > before
    time.sleep(90)
    CLOCK.advance(10)
    later = look()
    assert later[0] - first[0] == 100
    assert later[1] - first[1] == 100
    assert later[2] == later[1]
    assert later[3] - first[3] == 100 * 10**9
    assert later[8] - first[8] == datetime.timedelta(seconds=100)
    assert type(later[8]) is datetime.datetime
    world.reset()
    world.disarm()
    assert look() == first


def test_time_is_real_again_afterwards() -> None:
    with installed():
        virtual = time.time(), datetime.datetime.now()
    assert time.time() != virtual[0]
    assert datetime.datetime.now() != virtual[1]
    assert type(time.time).__name__ == "builtin_function_or_method"


def test_sleeping_takes_no_time_and_lets_nobody_in(stage: RealArena) -> None:
    def nap() -> float:
        counter.note("a")
        time.sleep(1000)
        counter.note("b")
        return time.monotonic()

    counter = Counter()
    run = stage.run([nap], [lambda: counter.note("x")], SERIAL[0])
    assert counter.log == list("abx")
    assert isinstance(run.outcomes[0][0], Returned)
    run = stage.run([nap], [lambda: counter.note("x")], (Leg(0, 1), Leg(1)))
    assert counter.log == list("abxaxb")


def test_polling_for_ever_ends(stage: RealArena) -> None:
    def poll() -> None:
        while True:
            time.sleep(1)

    assert isinstance(stage.run([poll], [], SERIAL[0], steps=100).outcomes[0][0], Endless)


def test_chance_repeats_itself(world: Environment) -> None:
    def roll() -> list[Any]:
        return [random.random(), random.Random().random(), os.urandom(4), uuid.uuid4(), uuid.uuid1()]

    world.reset()
    first = roll()
    assert roll()[0] != first[0]
    world.reset()
    world.disarm()
    assert roll() == first


def test_threads_are_refused(stage: RealArena) -> None:
    def start() -> None:
        threading.Thread(target=print).start()

    def submit() -> None:
        ThreadPoolExecutor(1).submit(print)

    def swallow() -> str:
        try:
            start()
        except BaseException:
            return "went on"
        return "started"

    run = stage.run([start], [submit], SERIAL[0])
    assert refusals(run) == ["starts a thread"] * 2
    assert refusals(stage.run([swallow], [], SERIAL[0])) == ["starts a thread"]


def test_files_processes_and_input_are_refused(tmp_path: Path, stage: RealArena) -> None:
    path = str(tmp_path / "made")

    def write() -> None:
        with open(path, "w"):
            pass

    def system() -> None:
        os.system("true")

    def ask() -> str:
        return input("? ")

    def read() -> str:
        return sys.stdin.read()

    assert refusals(stage.run([write], [system], SERIAL[0])) == [
        f"would write the file {path!r}",
        "would start or signal a process (os.system 'true')",
    ]
    assert refusals(stage.run([ask], [read], SERIAL[0])) == ["reads the standard input"] * 2
    assert not os.path.exists(path)


def test_the_process_and_the_network_are_out_of_reach(stage: RealArena) -> None:
    def leave() -> None:
        os._exit(1)

    def run_program() -> None:
        subprocess.run(["true"], check=False)

    def look_up() -> None:
        socket.create_connection(("localhost", 9))

    def connect() -> None:
        # Nobody is asked for a number, and then there is a socket to be opened.
        socket.create_connection(("127.0.0.1", 9))

    def remove() -> None:
        Path("/tmp/everypath-never-there").unlink(missing_ok=True)

    assert [what.split(" (")[0] for what in refusals(stage.run([leave], [run_program], SERIAL[0]))] == [
        "ends or signals the process",
        "would start a process",
    ]
    assert [what.split(" (")[0] for what in refusals(stage.run([look_up], [remove], SERIAL[0]))] == [
        "would use the network",
        "would change files",
    ]
    assert [what.split(" (")[0] for what in refusals(stage.run([connect], [remove], SERIAL[0]))] == [
        "would open a socket",
        "would change files",
    ]


def test_event_loops_run_in_virtual_time(stage: RealArena) -> None:
    async def nap() -> float:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await asyncio.sleep(3600)
        return loop.time() - begun

    (outcome,) = stage.run([lambda: asyncio.run(nap())], [], SERIAL[0]).outcomes[0]
    assert isinstance(outcome, Returned)
    assert outcome.value >= 3600


class Marked(threading.local):
    """Knows how often a thread was here."""

    def __init__(self, start: int) -> None:
        self.visits = start

    def visit(self) -> int:
        self.visits += 1
        return self.visits


def test_threads_are_new_in_every_run(stage: RealArena) -> None:
    def visit() -> int:
        plain.visits = getattr(plain, "visits", 0) + 1
        return int(plain.visits)

    plain = threading.local()
    marked = _subclass()(10)
    for _ in range(2):
        run = stage.run([visit, visit, marked.visit], [visit, marked.visit], SERIAL[0])
        assert run.outcomes == ((Returned(1), Returned(2), Returned(11)), (Returned(1), Returned(11)))


def _subclass() -> Any:
    """Made while the library is replaced, as the classes of code under test are."""
    return type("Marked", (threading.local,), {"__init__": Marked.__init__, "visit": Marked.visit})


def test_refusals_outside_of_the_arena_are_errors(world: Environment) -> None:
    world.arm()
    with pytest.raises(Uncontrolled) as caught:
        threading.Thread(target=print).start()
    world.disarm()
    assert (caught.value.what, caught.value.file) == ("starts a thread", __file__)
    assert caught.value.line > 0


def test_timers_never_ring(world: Environment, stage: RealArena) -> None:
    def begin() -> list[Any]:
        timer = threading.Timer(1, log.append, ["rang"])
        timer.start()
        time.sleep(5)
        alive = timer.is_alive()
        timer.cancel()
        timer.join()
        return [timer.name, alive, timer.is_alive()]

    log: list[str] = []
    world.reset()
    run = stage.run([begin], [], SERIAL[0])
    assert run.outcomes[0] == (Returned(["Thread-1", True, False]),)
    assert not log


def test_what_the_program_prints_is_swallowed(capfd: Any) -> None:
    def speak() -> None:
        print("loud")
        print("louder", file=sys.stderr)
        logging.getLogger("everypath.tests").error("loudest")

    with installed() as world, arena(world) as stage:
        assert stage.run([speak], [speak], SERIAL[0]).outcomes == ((Returned(None),), (Returned(None),))
    assert "loud" not in "".join(capfd.readouterr())


def test_the_world_can_be_put_back() -> None:
    names = [(threading, "Lock"), (threading, "RLock"), (time, "time"), (os, "urandom"), (sys, "stdin")]
    before = [getattr(owner, name) for owner, name in names]
    flags = threading.Event.__dict__.get("_flag"), threading.Timer.__dict__.get("start")
    for _ in range(2):
        with installed():
            assert all(getattr(owner, name) is not old for (owner, name), old in zip(names, before, strict=True))
        assert [getattr(owner, name) for owner, name in names] == before
        assert (threading.Event.__dict__.get("_flag"), threading.Timer.__dict__.get("start")) == flags
