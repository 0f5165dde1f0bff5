"""Tests for frontrun, written by hand, of faults that `everypath race` finds by itself.

Each is what a person who suspects the fault would write: the object, the two calls, and what must hold afterwards; an
exception of a worker fails the test as well. Run as `frontrun python frontrun_tests.py NAME STRATEGY SEED`.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples" / "threads"))


@dataclass(frozen=True, slots=True)
class Written:
    """The arguments of `frontrun.explore`."""

    setup: Callable[[], Any]
    workers: Sequence[Callable[[Any], Any]]
    invariant: Callable[[Any], bool] = lambda state: True


@dataclass(slots=True)
class Shared:
    """An object and what the two threads got from it."""

    object: Any
    results: list[Any] = field(default_factory=list)


def hit_counter() -> Written:
    """Two hits are two."""
    from hit_counter import HitCounter

    return Written(HitCounter, [HitCounter.hit, HitCounter.hit], lambda counter: bool(counter.total == 2))


def connection_pool() -> Written:
    """No more connections than allowed."""
    from connection_pool import ConnectionPool, PoolExhausted

    def acquire(pool: Any) -> None:
        with contextlib.suppress(PoolExhausted):
            pool.acquire()

    return Written(lambda: ConnectionPool(1), [acquire, acquire], lambda pool: bool(pool.in_use <= 1))


def lazy_connection() -> Written:
    """Everybody gets the same connection."""
    from lazy_connection import LazyConnection

    def get(shared: Shared) -> None:
        shared.results.append(shared.object.get())

    return Written(lambda: Shared(LazyConnection()), [get, get], lambda shared: shared.results[0] is shared.results[1])


def position() -> Written:
    """A reader sees the point before it moves or after."""
    from position import Position

    def read(shared: Shared) -> None:
        shared.results.append(shared.object.coordinates())

    return Written(
        lambda: Shared(Position()),
        [lambda shared: shared.object.move_to(1.0, 1.0), read],
        lambda shared: shared.results[0] in ((0.0, 0.0), (1.0, 1.0)),
    )


def span() -> Written:
    """The ends are those of one of the calls."""
    from span import Span

    return Written(
        Span,
        [lambda span: span.resize(1, 2), lambda span: span.resize(3, 4)],
        lambda span: (span.low, span.high) in ((1, 2), (3, 4)),
    )


def lru_cache() -> Written:
    """A look-up never fails."""
    from lru_cache import LruCache

    def filled() -> Any:
        cache = LruCache(1)
        cache.put("a", 1)
        return cache

    return Written(filled, [lambda cache: cache.get("a"), lambda cache: cache.put("b", 2)])


def stock_report() -> Written:
    """A report never fails."""
    from stock_report import Stock

    def filled() -> Any:
        stock = Stock()
        stock.add("a")
        return stock

    return Written(filled, [lambda stock: stock.report(), lambda stock: stock.add("b")])


def bank() -> Written:
    """Transfers come to an end."""
    from bank import Bank

    def two_accounts() -> Any:
        bank = Bank()
        bank.open("a")
        bank.open("b")
        return bank

    return Written(two_accounts, [lambda bank: bank.transfer("a", "b", 1), lambda bank: bank.transfer("b", "a", 1)])


def gate() -> Written:
    """Whoever waits gets through once the gate opens."""
    from gate import Gate

    return Written(Gate, [Gate.wait, Gate.open])


def main(name: str, strategy: str, seed: int) -> None:
    """Explore until something fails; prints whether it did, the seconds of the exploration and the schedules tried."""
    import frontrun

    test: Written = globals()[name]()
    chosen = {"seed": seed} if strategy == "random" else {}
    explored, failed = 0, True
    started = time.perf_counter()
    try:
        result = frontrun.explore(
            setup=test.setup,
            workers=list(test.workers),
            invariant=test.invariant,
            strategy=strategy,
            reproduce_on_failure=0,
            **chosen,
        )
        failed, explored = result.property_holds is False, result.num_explored
    except Exception as error:
        # One that a worker raised under some schedule; what frontrun itself has to say comes from its own modules.
        if type(error).__module__.startswith("frontrun"):
            raise
    print(json.dumps({"failed": failed, "seconds": time.perf_counter() - started, "explored": explored}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
