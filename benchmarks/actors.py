"""Measures the exploration of actor programs: states per second as bounds grow, and the table of their paper.

That is Table 1 of "Test Case Generation of Actor Systems"; its seconds are those of the machine it was made on.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from engine import EXAMPLES

from everypath.app.settings import APET
from everypath.cases.actors import ActorSuite
from everypath.languages.abs.frontend.check import check_program, read_sources
from everypath.languages.abs.frontend.program import Class, Program
from everypath.languages.abs.generation import exploration_of, generate_method
from everypath.options import ActorOptions, Limits, Options, SolverOptions
from everypath.records import replace

Bounds = tuple[int, int | None, int]
"""iterations of a loop, tasks taken by an actor, actors at one place of the program"""
PAPER_RATE = 2_500
"""States per second on the paper's machine, for Fact(3,4,3) ignoring independence."""
TARGET_RATE = 5_000
PRINTED = "Fact(3,4,3)"
"""The row that both rates are about."""
GROWING: tuple[Bounds, ...] = (
    (2, 4, 2), (3, 4, 2), (3, 4, 3), (4, 5, 3), (4, 5, 4), (5, 6, 5), (6, 7, 6), (8, 9, 8),
)  # fmt: skip
PATIENCE = 20.0
"""Seconds of one exploration after which no larger bounds are tried."""
FAITHFUL = ActorOptions(**{name: value for name, value in APET.items() if name not in ("heap", "int_range")})
"""As the paper explores and counts: the preset `--apet`."""
SOUND = ActorOptions(order="optimal", spare_actor=True, input_errors=False, bound_concrete=True)
"""The default order over the same inputs and bounds: no execution lost, one case for each input and outcome."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A cell of the table as it is printed."""

    tests: int
    states: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table; `distinct` is how many of its tests differ in input or outcome, where that was counted."""

    subject: str
    bounds: Bounds
    ignoring: Printed
    exploiting: Printed
    distinct: int | None = None

    @property
    def name(self) -> str:
        """As the paper writes it."""
        return f"{self.subject}({','.join('-' if bound is None else str(bound) for bound in self.bounds)})"


SUBJECTS = {
    "Fact": ("fact", "Fact", "ft"),
    "Cons": ("cons", "Consumer", "consumeN"),
    "Prod": ("prod", "Producer", "produceList"),
    "PSort": ("psort", "Feeder", "feed2Times"),
}
"""Name in the table -> file of `examples/actors/`, class, method."""

ROWS = (
    TableRow("Fact", (2, 4, 2), Printed(720, 2430, 944), Printed(270, 1128, 451), 151),
    TableRow("Fact", (3, 4, 2), Printed(1104, 3576, 1425), Printed(432, 1664, 665), 251),
    TableRow("Fact", (2, 3, 2), Printed(72, 720, 286), Printed(54, 564, 222), 31),
    TableRow("Fact", (3, 4, 3), Printed(3416, 11938, 4704), Printed(960, 4094, 1668), 575),
    TableRow("Cons", (2, None, 1), Printed(15, 30, 10), Printed(9, 19, 7), 6),
    TableRow("Cons", (3, None, 1), Printed(159, 334, 118), Printed(33, 75, 26), 10),
    TableRow("Cons", (4, None, 1), Printed(3039, 6639, 2562), Printed(153, 351, 138), 15),
    TableRow("Prod", (2, None, 1), Printed(29, 52, 30), Printed(17, 31, 16), 16),
    TableRow("Prod", (3, None, 1), Printed(398, 819, 745), Printed(82, 169, 140), 64),
    TableRow("Prod", (4, None, 1), Printed(9155, 20679, 30268), Printed(465, 1041, 1393), 273),
    TableRow("PSort", (1, None, 1), Printed(478, 1637, 696), Printed(239, 821, 347)),
    TableRow("PSort", (1, None, 2), Printed(13678, 43341, 19072), Printed(6839, 21673, 9508)),
)
COLUMNS = {"stable": "ignoring", "independent": "exploiting"}
"""The order that explores as a column of the paper does."""


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """One exploration, no cases made of it; when it was capped, the counts are those until then."""

    name: str
    executions: int
    states: int
    seconds: float
    """CPU time, the least of the attempts"""
    capped: bool

    @property
    def rate(self) -> float:
        """States per second."""
        return self.states / max(self.seconds, 1e-6)


@dataclass(frozen=True, slots=True)
class OrderRow:
    """One row of the table explored in one order, up to the cases, which are not replayed."""

    order: str
    cases: int
    executions: int
    """cut ones too"""
    states: int
    probes: int
    """macro-steps made only to learn whether another order leads to something new; not among the states"""
    blocked: int
    """executions given up because they turned out to be equivalent to others"""
    seconds: float
    """CPU time"""
    capped: bool


@cache
def _program(file: str) -> Program:
    program = check_program(read_sources([EXAMPLES / "actors" / f"{file}.abs"]))
    if not isinstance(program, Program):
        raise SystemExit("\n".join(map(str, program)))
    return program


def _subject(name: str) -> tuple[Program, Class, str]:
    file, cls, method = SUBJECTS[name]
    program = _program(file)
    found = program.named_class(cls)
    assert found is not None
    return program, found, method


def _options(actors: ActorOptions, bounds: Bounds, cap: float) -> Options:
    loops, switches, most = bounds
    return Options(
        limits=Limits(loops=loops, time=cap, paths=100_000_000),
        solver=SolverOptions(int_range=APET["int_range"]),
        actors=replace(actors, switches=switches, actors=most),
        heap=APET["heap"],
    )


@contextmanager
def _as_in_a_run() -> Iterator[None]:
    """Garbage is collected as seldom as `generate` does."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def explore(subject: str, bounds: Bounds, cap: float, order: str = "stable") -> SpeedRow:
    """One exploration as the paper's, consumed and forgotten."""
    program, cls, method = _subject(subject)
    exploration = exploration_of(program, _options(replace(FAITHFUL, order=order), bounds, cap))
    start = exploration.start(cls.name, method)
    with _as_in_a_run():
        before = time.process_time()
        executions = sum(1 for _ in exploration.executions(start))
        seconds = time.process_time() - before
    counts = exploration.counts
    return SpeedRow(f"{subject}{bounds}".replace(" ", ""), executions, counts.states, seconds, not counts.complete)


def speeds() -> Iterator[SpeedRow]:
    """Fact with growing bounds, as long as that takes reasonable time."""
    explore("Fact", GROWING[0], PATIENCE)  # compiles what every later exploration finds compiled
    for bounds in GROWING:
        attempts = [explore("Fact", bounds, PATIENCE)]
        while attempts[-1].seconds < PATIENCE / 4 and len(attempts) < 3:
            attempts.append(explore("Fact", bounds, PATIENCE))
        row = min(attempts, key=lambda attempt: attempt.seconds)
        yield row
        if row.capped:
            return


def measure(row: TableRow, order: str, cap: float) -> OrderRow:
    """The row of the table in that order: the paper's two as the paper has them, `optimal` without losing any."""
    program, cls, method = _subject(row.subject)
    actors = SOUND if order == "optimal" else replace(FAITHFUL, order=order)
    suite = ActorSuite(row.name, {})
    with _as_in_a_run():
        before = time.process_time()
        generate_method(program, cls, method, _options(actors, row.bounds, cap), suite)
        seconds = time.process_time() - before
    stats = suite.stats
    return OrderRow(
        order, stats.cases, stats.executions, stats.states, stats.probes, stats.blocked, seconds, not stats.complete
    )


def table(cap: float) -> Iterator[tuple[TableRow, dict[str, OrderRow]]]:
    """Every row in every order."""
    for row in ROWS:
        yield row, {order: measure(row, order, cap) for order in (*COLUMNS, "optimal")}
