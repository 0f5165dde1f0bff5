"""Measures the search for thread-safety faults: schedules per second, time to the first fault, call sequences.

Called with a target, it prints when the first fault of that class is found, from the bare name on.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import everypath
from everypath.concurrency.schedule import Leg
from everypath.generate.exploring import explore_entry
from everypath.languages.python.classes_under_test import find_targets
from everypath.languages.python.parameter_uses import parameter_uses
from everypath.languages.python.solved_arguments import solved_values
from everypath.race import session
from everypath.race.control.arena import RealArena
from everypath.race.control.monitor import MONITOR
from everypath.race.events import READ, SITES, WRITE, Site
from everypath.race.protocol import RaceRequest
from everypath.race.session import run_race

HERE = Path(__file__).resolve().parent
THREADS = HERE.parent / "examples" / "threads"
MODES = ("predict", "exhaustive", "random")
CAP = 5.0
"""Seconds for one search for a first fault."""
SEQUENCE_CAP = 2.5
"""Seconds for one call sequence."""
SHARE = 1.0
"""Seconds that the measurements of one subject may take before they are no longer repeated."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A class to search: the name in the tables, the target, and the import name of the package it needs, if any."""

    name: str
    target: str
    package: str | None = None

    @property
    def installed(self) -> bool:
        """Whether there is anything to search."""
        return self.package is None or importlib.util.find_spec(self.package) is not None


def example(file: str, cls: str) -> Subject:
    """A class of `examples/threads/`."""
    return Subject(cls, f"{THREADS / file}.py::{cls}")


EXAMPLES = tuple(
    example(*each.split("::"))
    for each in (
        "auction::Auction",
        "bank::Bank",
        "bounded_buffer::BoundedBuffer",
        "connection_pool::ConnectionPool",
        "crawl_frontier::CrawlFrontier",
        "event_emitter::EventEmitter",
        "gate::Gate",
        "group_dict::GroupDict",
        "hit_counter::HitCounter",
        "id_allocator::IdAllocator",
        "job_queue::JobQueue",
        "lazy_connection::LazyConnection",
        "ledger::Ledger",
        "log_buffer::LogBuffer",
        "lru_cache::LruCache",
        "memoize::Memoize",
        "name_directory::NameDirectory",
        "once_callbacks::OnceCallbacks",
        "plugin_registry::PluginRegistry",
        "position::Position",
        "printer::Printer",
        "promise::Promise",
        "purse::Purse",
        "rate_limiter::RateLimiter",
        "read_write_lock::ReadWriteLock",
        "round_robin::RoundRobin",
        "running_mean::RunningMean",
        "settings::Settings",
        "shopping_basket::ShoppingBasket",
        "span::Span",
        "stock_report::Stock",
        "subscribers::Subscribers",
        "thermostat::Thermostat",
        "ttl_cache::TtlCache",
        "warehouse::Warehouse",
        "word_tally::WordTally",
        "work_stack::WorkStack",
    )
)
PACKAGES = (
    Subject("cachetools LRUCache", "cachetools::LRUCache", "cachetools"),
    Subject("cachetools TTLCache", "cachetools::TTLCache", "cachetools"),
    Subject("sortedcontainers SortedDict", "sortedcontainers::SortedDict", "sortedcontainers"),
    Subject("sortedcontainers SortedList", "sortedcontainers::SortedList", "sortedcontainers"),
    Subject("cached_property", "cached_property::cached_property", "cached_property"),
)
"""Of the `bench` extra."""


def _named(*names: str) -> tuple[Subject, ...]:
    return tuple(each for each in (*EXAMPLES, *PACKAGES) if each.name in names)


SEARCHED = _named("HitCounter", "Bank", "JobQueue", "LruCache", "TtlCache", "cachetools LRUCache") + _named(
    "sortedcontainers SortedList"
)
"""Whose whole search is measured."""
SEQUENCES = _named("Bank", "ConnectionPool", "LruCache", "Promise", "ReadWriteLock", "TtlCache") + _named(
    "cachetools TTLCache", "sortedcontainers SortedDict"
)
"""Whose first call sequence is measured."""


def request_for(target: str, mode: str = "predict", *, seconds: float = CAP, seed: int = 0) -> RaceRequest:
    """What the command asks its worker for, given nothing but the class."""
    (found,) = find_targets([target])
    values = solved_values(found, seconds, explore_entry) if mode != "random" else ()
    return RaceRequest(
        found.module,
        found.cls,
        str(found.root),
        values=values,
        uses=parameter_uses(found),
        mode=mode,
        seconds=seconds,
        seed=seed,
    )


def measured(request: RaceRequest, what: str) -> dict[str, Any] | None:
    """What `race_worker.py` tells; None if the search ends without it."""
    script = str(HERE / "race_worker.py")
    program = (
        "import runpy, sys\n"
        f"sys.argv = {[script, what, str(SEQUENCE_CAP)]!r}\n"
        f"sys.path.append({str(Path(everypath.__file__).parent.parent)!r})\n"
        f"runpy.run_path({script!r}, run_name='__main__')\n"
    )
    with session.Child(request, program) as process:
        while True:
            message = process.receive(request.seconds + 30.0)
            if message is None:
                raise SystemExit(f"{request.module}::{request.cls}: the worker {process.how_it_ended()}")
            if message["type"] == "failed":
                raise SystemExit(f"{request.module}::{request.cls}: {message['message']}")
            if message["type"] in ("measured", "done"):
                return message if message["type"] == "measured" else None


# Schedules per second.


class _Tiny:
    """Two accesses, instrumented as the rewriter would do it."""

    read = SITES.number(Site("tiny.py", 1, 0, "Tiny.add", "self.n"))
    write = SITES.number(Site("tiny.py", 2, 0, "Tiny.add", "self.n"))

    def __init__(self) -> None:
        self.n = 0

    def add(self) -> None:
        MONITOR.access(READ, self.read, self, "n")
        n = self.n
        MONITOR.access(WRITE, self.write, self, "n")
        self.n = n + 1


def arena_rate(seconds: float = 0.4, times: int = 5) -> float:
    """Enforced runs per second of two tiny calls with one switch between them, the best of a few attempts."""
    arena, plan = RealArena(), (Leg(0, 1), Leg(1), Leg(0))
    best = 0.0
    for _ in range(times):
        runs, started = 0, time.perf_counter()
        while (spent := time.perf_counter() - started) < seconds:
            for _ in range(100):
                tiny = _Tiny()
                arena.run([tiny.add], [tiny.add], plan)
            assert tiny.n == 1
            runs += 100
        best = max(best, runs / spent)
    arena.close()
    return best


@dataclass(frozen=True, slots=True)
class SearchRow:
    """One whole search: the worker's own seconds, without its start."""

    subject: str
    enforced: int
    runs: int
    """with the serial ones that they are compared with"""
    seconds: float
    generating: float
    """of them for call sequences"""
    complete: bool
    findings: int


def searches(cap: float = 3.0) -> Iterator[SearchRow]:
    """Whole searches with predicted interleavings, cut off after so many seconds; the quicker of two."""
    for subject in SEARCHED:
        if subject.installed:
            rows = [_search(subject, cap)]
            if rows[0].complete:
                rows.append(_search(subject, cap))
            yield max(rows, key=lambda row: row.enforced / row.seconds)


def _search(subject: Subject, cap: float) -> SearchRow:
    done: dict[str, Any] = {}

    def listen(message: dict[str, Any]) -> None:
        if message["type"] == "done":
            done.update(message["stats"])

    report = run_race(request_for(subject.target, seconds=cap), listen)
    runs = done["enforced"] + done["serial_runs"]
    seconds, generating = done["seconds"], done["generation_seconds"]
    return SearchRow(subject.name, done["enforced"], runs, seconds, generating, done["complete"], len(report.findings))


# Time to the first fault.


@dataclass(frozen=True, slots=True)
class First:
    """The way to the first failing interleaving."""

    seconds: float
    """from the class's name on: finding it, solving for values, starting the worker, importing, searching"""
    searching: float
    """the search alone"""
    runs: int
    """calls executed alone and interleavings run until then"""
    kind: str


@dataclass(frozen=True, slots=True)
class FirstRow:
    """By mode; None: not within the cap."""

    subject: str
    found: dict[str, First | None]

    @property
    def kind(self) -> str:
        """Of the fault that comes first when interleavings are predicted."""
        first = self.found["predict"]
        return first.kind if first else "-"


def first_fault(target: str, mode: str = "predict", seed: int = 0) -> First | None:
    """Search until the first fault."""
    started = time.perf_counter()
    answer = measured(request_for(target, mode, seed=seed), "first")
    if answer is None:
        return None
    return First(time.perf_counter() - started, answer["seconds"], answer["runs"], answer["kind"])


def first_faults() -> Iterator[FirstRow]:
    """Every mode, again while there is time: the quickest; of random searches with different seeds the median."""
    for subject in (*EXAMPLES, *PACKAGES):
        if not subject.installed:
            continue
        started = time.perf_counter()
        attempts: dict[str, list[First | None]] = {mode: [] for mode in MODES}
        seed = 0
        while seed == 0 or time.perf_counter() - started < SHARE:
            for mode in MODES:
                attempts[mode].append(first_fault(subject.target, mode, seed))
            seed += 1
        yield FirstRow(subject.name, {mode: _typical(mode, found) for mode, found in attempts.items()})


def _typical(mode: str, attempts: list[First | None]) -> First | None:
    ordered = sorted((each for each in attempts if each is not None), key=lambda first: first.searching)
    position = (len(attempts) - 1) // 2 if mode == "random" else 0
    return ordered[position] if position < len(ordered) else None


# The first call sequence, with and without pruning.


@dataclass(frozen=True, slots=True)
class SequenceRun:
    """One search for the first call sequence: what it improves, in how many calls, and the work it took."""

    seconds: float
    improvement: int
    length: int
    nodes: int
    executions: int
    capped: bool


@dataclass(frozen=True, slots=True)
class SequenceRow:
    """Both searches for one subject."""

    subject: str
    pruned: SequenceRun
    unpruned: SequenceRun

    @property
    def ratio(self) -> float:
        """How many times as long it takes without pruning, at least."""
        return self.unpruned.seconds / max(self.pruned.seconds, 1e-6)


def sequences() -> Iterator[SequenceRow]:
    """Table 2 of "Coverage-Driven Test Code Generation for Concurrent Classes", its first iteration."""
    for subject in SEQUENCES:
        if subject.installed:
            yield SequenceRow(subject.name, _first_sequence(subject, "pruned", 2), _first_sequence(subject, "unpruned"))


def _first_sequence(subject: Subject, how: str, times: int = 1) -> SequenceRun:
    request = request_for(subject.target)
    runs = []
    for _ in range(times):
        answer = measured(request, how)
        assert answer is not None
        stopped = answer.pop("stopped") is not None
        del answer["type"]
        runs.append(SequenceRun(**answer, capped=stopped))
    return min(runs, key=lambda run: run.seconds)


if __name__ == "__main__":
    first = first_fault(sys.argv[1])
    if first is None:
        raise SystemExit(f"{sys.argv[1]}: no fault within {CAP:g} seconds")
    print(f"{first.kind} after {first.runs} runs, {first.searching:.3f} seconds of search")
