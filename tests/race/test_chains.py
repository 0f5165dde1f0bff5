"""Chains of calls are found where what a method returns reaches back to the object."""

from __future__ import annotations

from pathlib import Path

from everypath.race.protocol import RaceRequest
from everypath.race.session import run_race
from tests.race.plain_attempt import inspected, sources

from .chained_classes import Notes, Schedule
from .clean_library_classes import Builder

FOLDER = Path(__file__).parent


def test_the_shortest_chain_that_changes_the_object_and_the_same_with_arguments() -> None:
    found = [source for source in sources(inspected(Schedule)) if "do(" in source]
    assert any(".seconds.do(" in source for source in found)
    assert any(".seconds.tag(" in source for source in found)
    assert all(source.startswith("sut.every(") and source.count(".do(") == 1 for source in found)


def test_what_does_not_reach_back_begins_no_chain() -> None:
    assert not any("upper" in source for source in sources(inspected(Notes)))


def test_steps_with_a_lock_are_chained_as_well() -> None:
    assert any(source.startswith("sut.every().do(") for source in sources(inspected(Builder)))


def test_a_task_that_a_chain_loses_is_found() -> None:
    found = run_race(RaceRequest("chained_classes", "Schedule", root=str(FOLDER), seconds=8.0)).findings
    assert found[0].places == ("Schedule.tasks",)
    assert "every" in {method for finding in found for pair in finding.pairs for method in pair}
