"""The related methods of `sumFacts` and `p`: GOLDEN "Actors", from section 4.3 of "Test Case Generation by Symbolic
Execution"."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.languages.abs.frontend.check import check_program, read_sources
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.frontend.related import explained, related
from tests.conftest import ROOT

ACTORS = ROOT / "examples" / "actors"


def program(name: str) -> Program:
    found = check_program(read_sources([Path(ACTORS / name)]))
    assert isinstance(found, Program), found
    return found


def test_each_pruning_of_sum_facts() -> None:
    assert related(program("sum_facts.abs"), "A", "sumFacts") == (
        {"sumFacts", "set", "setN", "setFt"},
        {"sumFacts", "setN", "setFt"},
        {"sumFacts", "setFt"},
    )


def test_what_show_prints_of_sum_facts() -> None:
    assert explained(program("sum_facts.abs"), "A", "sumFacts").text() == (
        "SumFacts.A.sumFacts: tasks of the same object that may change what it does\n"
        "\n"
        "  methods of A: sumFacts, fact, setN, setFt, set\n"
        "\n"
        "  pruning 1: methods that write a field, also through others\n"
        "    sumFacts, setN, setFt, set\n"
        "    - fact: neither it nor what it calls writes a field\n"
        "\n"
        "  pruning 2: methods that write a field themselves\n"
        "    sumFacts, setN, setFt\n"
        "    - set: writes only through setFt, setN, which may run without it\n"
        "\n"
        "  pruning 3: methods that write what sumFacts uses before and reads after an await: ft\n"
        "    sumFacts, setFt\n"
        "    - setN: writes n: sumFacts does not read it after an await\n"
    )


@pytest.mark.parametrize(
    ("method", "last"),
    [("p", {"p", "set", "setF"}), ("set", set()), ("value", set())],
)
def test_the_methods_that_may_change_what_p_returns(method: str, last: set[str]) -> None:
    assert related(program("queued.abs"), "C", method)[2] == last
