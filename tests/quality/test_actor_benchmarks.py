"""The benchmark of actor programs measures what it says: the rows that the golden tests check, in the same orders."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.golden.test_actor_table import APET, ROWS


@pytest.fixture
def actors(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("actors")


def test_the_rows_are_those_of_the_golden_tests(actors: ModuleType) -> None:
    printed = [
        (
            actors.SUBJECTS[row.subject],
            row.bounds,
            (row.ignoring.tests, row.ignoring.states),
            (row.exploiting.tests, row.exploiting.states),
            row.distinct,
        )
        for row in actors.ROWS
    ]
    assert printed == [(*row[:2], row[2][:2], row[3][:2], row[4]) for row in ROWS]
    assert {name: getattr(actors.FAITHFUL, name) for name in APET.__slots__ if name != "order"} == {
        name: getattr(APET, name) for name in APET.__slots__ if name != "order"
    }


def test_a_row_is_explored_in_every_order(actors: ModuleType) -> None:
    row = next(row for row in actors.ROWS if row.name == "Cons(3,-,1)")
    runs = {order: actors.measure(row, order, 60.0) for order in ("stable", "independent", "optimal")}
    assert [(run.cases, run.states) for run in runs.values()][:2] == [(159, 334), (33, 75)]
    assert runs["optimal"].cases == row.distinct and runs["optimal"].states < 75
    assert not any(run.capped for run in runs.values())


def test_speed_is_measured_without_making_cases(actors: ModuleType) -> None:
    row = actors.explore("Fact", (2, 3, 2), 60.0)
    assert (row.name, row.states, row.executions, row.capped) == ("Fact(2,3,2)", 720, 433, False)
    assert any(f"Fact{bounds}".replace(" ", "") == actors.PRINTED for bounds in actors.GROWING)
