"""Counts that the papers fix for sequential code: GOLDEN "Sequential code", columns without aliasing and lazy.

Sources: "Test Case Generation by Symbolic Execution" (Figures 1, 3, 6, 10, 13, Tables 1 and 4, Examples 2
and 10), and an independent constraint-logic run for the larger bounds of remAll.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from everypath.generate.exploring import explore_only
from everypath.generate.run import generate
from everypath.options import Limits, Options

COUNTS = [
    ("int_exp.py::int_exp", 1, "noalias", 3),
    ("int_exp.py::int_exp", 1, "lazy", 3),
    ("mist.py::mist", 1, "noalias", 4),
    ("mist.py::mist", 1, "lazy", 5),
    ("m.py::m", 1, "noalias", 1),
    ("m.py::m", 1, "lazy", 5),
    ("rem_all.py::List.rem_all", 1, "noalias", 5),
    ("rem_all.py::List.rem_all", 2, "noalias", 22),
    ("rem_all.py::List.rem_all", 3, "noalias", 142),
    ("rem_all.py::List.rem_all", 1, "lazy", 7),
    ("rem_all.py::List.rem_all", 2, "lazy", 38),
    ("rem_all.py::List.rem_all", 3, "lazy", 282),
    ("rational.py::Rational.simplify", 1, "noalias", 5),
    ("lcm.py::lcm", 1, "noalias", 9),
    ("lcm.py::lcm", 1, "lazy", 9),
]


@pytest.mark.parametrize(("program", "loops", "heap", "cases"), COUNTS)
def test_validated_cases(papers: Path, program: str, loops: int, heap: str, cases: int) -> None:
    run = generate([str(papers / program)], Options(limits=Limits(loops=loops), heap=heap))
    assert run.problems == []
    (suite,) = run.suites
    assert suite.problems == []
    assert len(suite.cases) == cases
    assert all(case.validated for case in suite.cases)
    assert suite.stats.duplicates == 0


@pytest.mark.parametrize(("loops", "heap", "cases"), [(4, "noalias", 1276), (5, "noalias", 15031), (4, "lazy", 2795)])
def test_rem_all_explored_deeper(papers: Path, loops: int, heap: str, cases: int) -> None:
    options = Options(limits=Limits(loops=loops), heap=heap)
    assert explore_only(str(papers / "rem_all.py::List.rem_all"), options)[0] == cases


def test_int_exp_on_the_command_line(papers: Path) -> None:
    target = str(papers / "int_exp.py::int_exp")
    command = [sys.executable, "-m", "everypath", "generate", target, "--loops", "1", "--format", "json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    printed = json.loads(result.stdout)
    assert result.returncode == 0
    assert len(printed["cases"]) == 3
    assert printed["stats"]["cut"]["loop"] == 1


def test_rem_all_cases_6_and_7_alias(papers: Path) -> None:
    """Table 4: in case 6 the argument is the list itself, in case 7 the two lists share their node."""
    run = generate([str(papers / "rem_all.py::List.rem_all")], Options(heap="lazy"))
    conditions = [case.condition for case in run.cases]
    assert any("self is l" in c or "l is self" in c for c in conditions)
    assert any("l.first is self.first" in c or "self.first is l.first" in c for c in conditions)
