"""What the papers fix for the heap solver: GOLDEN "Sequential code", last column.

Sources: "A CLP Heap Solver for Test Case Generation" (Figure 2, Examples 2 to 5), "Test Case Generation by
Symbolic Execution" (Examples 2 and 3), and a brute-force enumeration of all heaps for remAll.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from everypath.explore.outcomes import Finished
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.state import State
from everypath.explore.traces import signature
from everypath.generate.run import generate
from everypath.heap import sequences
from everypath.heap.inputs import Inputs
from everypath.heap.solver import SolverHeap
from everypath.heap.values import Unknown
from everypath.ir.program import Program
from everypath.ir.types import INT, ListType
from everypath.languages.python.frontend.hierarchy import PYTHON
from everypath.languages.python.frontend.load import load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.languages.python.subject import method_of
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.options import Limits, Options

COUNTS = [
    ("int_exp.py::int_exp", 1, 3),
    ("mist.py::mist", 1, 4),
    ("m.py::m", 1, 2),
    ("rem_all.py::List.rem_all", 1, 5),
    ("rem_all.py::List.rem_all", 2, 22),
]


@pytest.mark.parametrize(("program", "loops", "cases"), COUNTS)
def test_validated_cases(papers: Path, program: str, loops: int, cases: int) -> None:
    run = generate([str(papers / program)], Options(limits=Limits(loops=loops), heap="solver"))
    (suite,) = run.suites
    assert run.problems == suite.problems == []
    assert len(suite.cases) == suite.stats.paths == cases
    assert all(case.validated for case in suite.cases)


def test_rem_all_on_the_command_line(papers: Path) -> None:
    target = str(papers / "rem_all.py::List.rem_all")
    command = [sys.executable, "-m", "everypath", "generate", target, "--heap", "solver", "--format", "json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert len(json.loads(result.stdout)["cases"]) == 5


def explored(target: str, heap: str = "solver", loops: int = 1) -> tuple[list[State], Call]:
    loaded = load_target(target)
    (entry,) = loaded.entries
    exploration = Exploration(PythonSemantics(loaded.program), Options(heap=heap, limits=Limits(loops=loops)))
    state, call = exploration.initial(method_of(loaded, entry), entry.cls)
    return [s for s in exploration.paths(state) if isinstance(s.outcome, Finished)], call


def test_y_f_is_known_in_both_branches_of_m(papers: Path) -> None:
    states, call = explored(str(papers / "m.py::m"))
    found = set()
    for state in states:
        y = state.heap.resolve(call.values[1])
        found.add(state.pc.value(state.heap.get(y, "f")))
    assert found == {-4, 2}


def test_testing_a_field_tells_the_references_apart(papers: Path) -> None:
    """Example 3: x.f == 1 propagates back to x != y and x != z, and then y.f is 2."""
    states, call = explored(str(papers / "m_field.py::m"))
    (state,) = [s for s in states if isinstance(s.outcome, Finished) and s.outcome.value != 0]
    x, y, z = (state.heap.resolve(v) for v in call.values)
    assert state.heap.same(x, y) is False
    assert state.heap.same(x, z) is False
    assert state.pc.value(state.heap.get(y, "f")) == 2


def test_domain_of_an_array_element() -> None:
    """Example 4: {5, 2, -1}, and {5, 2} once k = i."""
    pc = PathCondition(Decider())
    heap = SolverHeap(Inputs(Program(PYTHON), None, 3))
    heap.attach(pc)
    x = heap.resolve(Unknown("x", ListType(INT)))
    i, j, k = (terms.int_var(name) for name in "ijk")
    for index in (i, j, k):
        assert pc.add(terms.ge(index, 0)) and pc.add(terms.lt(index, heap.cells[x].length))
    for index, value in ((k, -1), (i, 2), (j, 5)):
        sequences.put(heap, pc, x, index, value, False)
    read = sequences.get(heap, pc, x, k, False)
    assert pc.domain(read) == {5, 2, -1}
    pc.assume(terms.eq(k, i))
    assert pc.domain(read) == {5, 2}


def test_structures_that_share_nothing(papers: Path) -> None:
    """Example 5: with nosharing(x, y) the then-branch is infeasible."""
    target = str(papers / "sharing.py::share")
    everything = generate([target], Options(heap="solver"))
    assert len(everything.cases) == 3
    apart = generate([target], Options(heap="solver", assume=("nosharing(x, y)",)))
    assert len(apart.cases) == 2
    assert apart.suites[0].stats.infeasible == 1
    assert not any(case.expected.outcome.value.value == 2 for case in apart.cases)  # type: ignore[union-attr]


@pytest.mark.parametrize("loops", [1, 2, 3])
def test_rem_all_has_the_traces_of_enumeration(papers: Path, loops: int) -> None:
    target = str(papers / "rem_all.py::List.rem_all")
    mine = [signature(s) for s in explored(target, "solver", loops)[0]]
    lazy = {signature(s) for s in explored(target, "lazy", loops)[0]}
    assert len(mine) == len(set(mine))
    assert set(mine) == lazy


def test_an_undeclared_attribute_is_seen_through_both_names(tmp_path: Path) -> None:
    """Whether the object has it depends on aliasing alone."""
    path = tmp_path / "sample.py"
    path.write_text(
        "class Node:\n    def __init__(self, v: int) -> None:\n        self.v = v\n"
        "def mark(a: Node, b: Node) -> int:\n    a.extra = 1\n    return b.extra\n"
    )
    run = generate([f"{path}::mark"], Options(heap="solver"))
    assert len(run.cases) == 2
    assert all(case.validated for case in run.cases)
