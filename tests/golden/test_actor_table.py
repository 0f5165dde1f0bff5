"""Table 1 of "Test Case Generation of Actor Systems", and the figures for `sumFacts` of the earlier paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.actors import ActorSuite, Plain
from everypath.languages.abs.frontend.check import check_program, read_sources
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.generation import generate_method
from everypath.options import ActorOptions, Limits, Options, SolverOptions
from everypath.records import replace
from tests.conftest import ROOT

APET = ActorOptions(
    every_order=True,
    spare_actor=True,
    input_errors=False,
    bound_concrete=True,
    bound_references=True,
    oldest_first=True,
    static_independence=True,
)
FACT = ("fact", "Fact", "ft")
CONS = ("cons", "Consumer", "consumeN")
PROD = ("prod", "Producer", "produceList")
PSORT = ("psort", "Feeder", "feed2Times")
Cell = tuple[int, int, tuple[int, int, int]]
"""tests, states, cuts by loop, task switches and actors"""
Row = tuple[tuple[str, str, str], tuple[int, int | None, int], Cell, Cell, int | None]
ROWS: list[Row] = [
    (FACT, (2, 4, 2), (720, 2430, (59, 0, 278)), (270, 1128, (41, 0, 128)), 151),
    (FACT, (3, 4, 2), (1104, 3576, (52, 0, 395)), (432, 1664, (38, 0, 171)), 251),
    (FACT, (2, 3, 2), (72, 720, (59, 204, 98)), (54, 564, (41, 120, 80)), 31),
    (FACT, (3, 4, 3), (3416, 11938, (63, 0, 896)), (960, 4094, (49, 0, 282)), 575),
    (CONS, (2, None, 1), (15, 30, (1, 0, 0)), (9, 19, (1, 0, 0)), 6),
    (CONS, (3, None, 1), (159, 334, (1, 0, 0)), (33, 75, (1, 0, 0)), 10),
    (CONS, (4, None, 1), (3039, 6639, (1, 0, 0)), (153, 351, (1, 0, 0)), 15),
    (PROD, (2, None, 1), (29, 52, (10, 0, 0)), (17, 31, (6, 0, 0)), 16),
    (PROD, (3, None, 1), (398, 819, (100, 0, 0)), (82, 169, (21, 0, 0)), 64),
    (PROD, (4, None, 1), (9155, 20679, (1636, 0, 0)), (465, 1041, (85, 0, 0)), 273),
    (PSORT, (1, None, 1), (478, 1637, (2, 0, 172)), (239, 821, (2, 0, 86)), None),
    (PSORT, (1, None, 2), (13678, 43341, (2, 0, 4148)), (6839, 21673, (2, 0, 2074)), None),
]
LARGE = 20_000
"""Rows with so many states are for the slow suite."""


def _named(row: Row) -> str:
    (program, _, _), bounds, *_ = row
    return f"{program}{bounds}"


def _marked(column: int) -> list[object]:
    rows: list[object] = []
    for row in ROWS:
        cell = row[column]
        assert isinstance(cell, tuple)
        large = cell[1] > LARGE
        rows.append(pytest.param(row, id=_named(row), marks=[pytest.mark.slow] if large else []))
    return rows


def _program(name: str) -> Program:
    program = check_program(read_sources([ROOT / "examples" / "actors" / f"{name}.abs"]))
    assert isinstance(program, Program)
    return program


def _explored(row: Row, actors: ActorOptions) -> ActorSuite:
    (name, cls, method), (loops, switches, most), *_ = row
    options = Options(
        limits=Limits(loops=loops, time=600, paths=1_000_000),
        solver=SolverOptions(int_range=(-10, 10)),
        actors=replace(actors, switches=switches, actors=most),
        heap="noalias",
    )
    return _generated(name, cls, method, options)


def _generated(name: str, cls: str, method: str, options: Options) -> ActorSuite:
    program = _program(name)
    found = program.named_class(cls)
    assert found is not None
    suite = ActorSuite(str(Path(name)), {})
    generate_method(program, found, method, options, suite)
    return suite


def _cell(suite: ActorSuite) -> Cell:
    cut = suite.stats.cut
    return suite.stats.cases, suite.stats.states, (cut["loop"], cut["switch"], cut["actor"])


@pytest.mark.parametrize("row", _marked(2))
def test_ignoring_task_independence(row: Row) -> None:
    assert _cell(_explored(row, replace(APET, order="stable"))) == row[2]


@pytest.mark.parametrize("row", _marked(3))
def test_exploiting_task_independence(row: Row) -> None:
    assert _cell(_explored(row, replace(APET, order="independent"))) == row[3]


@pytest.mark.parametrize("row", _marked(3))
def test_one_case_for_each_input_and_output(row: Row) -> None:
    """The order `optimal` gives the last column, exploring less than the paper's best."""
    sound = ActorOptions(order="optimal", spare_actor=True, input_errors=False, bound_concrete=True)
    cases, states, _ = _cell(_explored(row, sound))
    assert cases <= row[3][0]
    assert states < row[3][1]
    assert row[4] is None or cases == row[4]


def test_sum_of_factorials() -> None:
    """Example 2 of "Towards Testing Concurrent Objects in CLP": two cases, without a switch and with one of each."""
    actors = ActorOptions(switches=2, order="round-robin", policies=(("A", "fifo"),), poll=True, input_errors=False)
    suite = _generated("sum_facts", "A", "sumFacts", Options(limits=Limits(loops=1), actors=actors, heap="noalias"))
    assert sorted(_switches(case.schedule) for case in suite.cases) == [(0,), (1, 1)]


def test_sum_of_factorials_in_every_order() -> None:
    """Every ready task tried: one case more, in which `ft` and `n` are 1; and that which waits for another `ft`."""
    actors = ActorOptions(switches=2, order="all", input_errors=False)
    suite = _generated("sum_facts", "A", "sumFacts", Options(limits=Limits(loops=1), actors=actors, heap="noalias"))
    finished = [case for case in suite.cases if case.expected.deadlock is None]
    assert len(finished) == 3
    fields = [dict(case.inputs.actors[0].fields) for case in finished]
    assert {"n": Plain(1), "ft": Plain(1)} in fields
    assert len(suite.cases) == 4


def _switches(schedule: tuple[object, ...]) -> tuple[int, ...]:
    """The tasks that each actor took from its queue, the call under test not counted."""
    counts: dict[str, int] = {"this": -1}
    for turn in schedule:
        counts[turn.actor] = counts.get(turn.actor, 0) + 1  # type: ignore[attr-defined]
    return tuple(counts.values())
