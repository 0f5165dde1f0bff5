"""What the tests of the arena share: small hand-instrumented code and the environment around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from everypath.concurrency.schedule import Plan
from everypath.race.control.arena import RealArena
from everypath.race.control.environment import Environment, install
from everypath.race.control.monitor import MONITOR
from everypath.race.events import ENTER, EXIT, READ, SITES, WRITE, Site, operation
from everypath.race.running import Job, Run


@contextmanager
def installed() -> Iterator[Environment]:
    """The environment, put away afterwards."""
    environment = install((__file__,))
    try:
        environment.reset()
        environment.disarm()
        yield environment
    finally:
        environment.uninstall()


class ArmedArena(RealArena):
    """Code under test runs fenced, but pytest does not."""

    def __init__(self, environment: Environment | None) -> None:
        super().__init__()
        self._environment = environment

    def run(
        self, first: Sequence[Job], second: Sequence[Job], plan: Plan, *, record: bool = False, steps: int = 20_000
    ) -> Run:
        """As the arena, but armed only meanwhile."""
        if self._environment is None:
            return super().run(first, second, plan, record=record, steps=steps)
        self._environment.arm()
        try:
            return super().run(first, second, plan, record=record, steps=steps)
        finally:
            self._environment.disarm()


@contextmanager
def arena(environment: Environment | None = None) -> Iterator[RealArena]:
    """An arena whose threads end with the test."""
    made = ArmedArena(environment)
    try:
        yield made
    finally:
        made.close()


def site(text: str, function: str = "Counter.add") -> int:
    """A site of rewritten code, had there been any."""
    return SITES.number(Site("counter.py", 1, 0, function, text))


class Counter:
    """Hand-instrumented as the rewriter would do it."""

    def __init__(self) -> None:
        self.n = 0
        self.log: list[str] = []

    def add(self, amount: int = 1) -> int:
        """Read, then write."""
        MONITOR.enter(site("add"))
        try:
            MONITOR.access(READ, site("self.n"), self, "n")
            value = self.n
            MONITOR.access(WRITE, site("self.n"), self, "n")
            self.n = value + amount
            return value + amount
        finally:
            MONITOR.leave(site("add"))

    def note(self, *texts: str) -> None:
        """Leave a trace of when each operation happened."""
        for text in texts:
            MONITOR.access(WRITE, site(text, "Counter.note"), self, "log")
            self.log.append(text)


def operations(run: Run, entries: bool = False) -> list[str]:
    """The events as readable text, such as `0 write self.n`."""
    return [f"{t} {operation(e)}" for t, e in run.events if entries or e.kind not in (ENTER, EXIT)]


def plain(run: Run) -> Any:
    """The events without the objects, to compare runs."""
    return [(t, e.kind, e.site, e.key, e.today, len(e.held)) for t, e in run.events]
