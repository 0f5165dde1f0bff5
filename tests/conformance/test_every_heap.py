"""What every heap and every strategy must agree on."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.explore import traces
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.generate.run import generate
from everypath.languages.python.frontend import load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.languages.python.subject import method_of
from everypath.options import HEAPS, STRATEGIES, Limits, Options

TARGETS = ["papers/rem_all.py::List.rem_all", "papers/lcm.py::lcm", "bst.py::Tree.insert", "sorted_list.py::merge"]


def _signatures(target: str, options: Options) -> list[object]:
    source = load_target(target)
    (entry,) = source.entries
    exploration = Exploration(PythonSemantics(source.program), options)
    state, _ = exploration.initial(method_of(source, entry))
    return [
        (traces.signature(last), last.choice_sequence())
        for last in exploration.paths(state)
        if isinstance(last.outcome, Finished | Uncaught)
    ]


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize("target", TARGETS)
def test_every_strategy_finds_the_same_paths(examples: Path, target: str, heap: str) -> None:
    found = [set(_signatures(str(examples / target), Options(heap=heap, strategy=s))) for s in STRATEGIES]
    assert all(other == found[0] for other in found)


@pytest.mark.parametrize("target", TARGETS)
def test_no_path_without_aliasing_is_lost_with_it(examples: Path, target: str) -> None:
    alone = {s for s, _ in _signatures(str(examples / target), Options(heap="noalias"))}
    lazy = {s for s, _ in _signatures(str(examples / target), Options(heap="lazy"))}
    assert alone <= lazy


@pytest.mark.parametrize("layers", [("smt",), ("bounds", "smt"), ("witness", "smt"), ("bounds", "witness", "smt")])
def test_every_choice_of_layers_finds_the_same_paths(examples: Path, layers: tuple[str, ...]) -> None:
    from everypath.options import SolverOptions

    target = str(examples / "papers/rem_all.py::List.rem_all")
    reference = set(_signatures(target, Options(limits=Limits(loops=2))))
    assert set(_signatures(target, Options(limits=Limits(loops=2), solver=SolverOptions(layers=layers)))) == reference


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize("target", ["account.py", "inventory.py", "shapes.py", "intervals.py", "bounded_stack.py"])
def test_every_case_is_validated_and_different(examples: Path, target: str, heap: str) -> None:
    run = generate([str(examples / target)], Options(heap=heap))
    assert [p for suite in run.suites for p in suite.problems] == []
    assert run.cases and all(case.validated for case in run.cases)
    for suite in run.suites:
        inputs = [repr((case.inputs, case.trace)) for case in suite.cases]
        assert len(set(inputs)) == len(inputs)
