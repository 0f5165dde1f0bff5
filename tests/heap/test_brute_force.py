"""Every small concrete heap, tried out for real: whatever the program does on one of them is among the paths found."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from tests.heap.engine import Behaviour, explore, load, predicted
from tests.heap.enumeration import Sampled, Systematic, run_all
from tests.heap.list_programs import list_programs
from tests.heap.programs import Program, heap_programs

CHECKED = "solver"
MOST_PATHS = 3_000
MOST_RUNS = 1_500
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


def _shown(program: Program, behaviour: Behaviour, inputs: str) -> str:
    events, end = behaviour
    steps = [" ".join(map(str, event)) for event in events]
    return "\n".join(["", program.listing(), "no path does this:", *(f"    {s}" for s in [*steps, end]), inputs])


def _complete(program: Program, tally: Counter[str], sampled: bool) -> None:
    paths = explore(load(program), CHECKED, MOST_PATHS)
    if paths.incomplete:
        tally[f"skipped: {paths.incomplete}"] += 1
        return
    found = {predicted(state) for state in paths.states}
    happened = set()
    for chooser in (Sampled(MOST_RUNS),) if sampled else (Systematic(MOST_RUNS), Sampled(MOST_RUNS // 3)):
        for behaviour, inputs in run_all(program, chooser):
            assert behaviour in found, _shown(program, behaviour, inputs)
            happened.add(behaviour)
            tally["runs"] += 1
    tally["compared"] += 1
    tally["paths"] += len(found)
    tally["paths that some small heap takes"] += len(happened)


def _run(programs: SearchStrategy[Program], count: int, sampled: bool) -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=count, deadline=None, phases=_PHASES, suppress_health_check=list(HealthCheck))
    @given(programs)
    def holds(program: Program) -> None:
        _complete(program, tally, sampled)

    holds()
    skipped = sum(n for reason, n in tally.items() if reason.startswith("skipped"))
    assert tally["compared"] >= 3 * skipped, tally
    # An enumeration that misses most of what is possible would prove little.
    assert 2 * tally["paths that some small heap takes"] > tally["paths"], tally
    print(dict(tally))


def test_no_small_heap_takes_an_unknown_path() -> None:
    _run(heap_programs(depth=1, parameters=3, statements=3), 30, sampled=False)


def test_no_short_list_takes_an_unknown_path() -> None:
    _run(list_programs(depth=1, statements=3), 15, sampled=True)


@pytest.mark.slow
def test_no_small_heap_takes_an_unknown_path_through_many_programs() -> None:
    _run(heap_programs(parameters=3), 600, sampled=False)


@pytest.mark.slow
def test_no_short_list_takes_an_unknown_path_through_many_programs() -> None:
    _run(list_programs(depth=2), 300, sampled=True)
