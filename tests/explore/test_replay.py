"""A path is its choice sequence: replaying the sequence gives the same path."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everypath.explore import traces
from everypath.explore.outcomes import Cut
from everypath.explore.search.exploration import Exploration
from everypath.languages.python.frontend import load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.languages.python.subject import method_of
from everypath.options import Limits, Options
from tests.programs import programs

PROGRAMS = ["papers/rem_all.py::List.rem_all", "papers/lcm.py::lcm", "papers/mist.py::mist", "bst.py::Tree.remove"]


def _replays(target: str, options: Options) -> int:
    source = load_target(target)
    (entry,) = source.entries
    exploration = Exploration(PythonSemantics(source.program), options)
    initial, _ = exploration.initial(method_of(source, entry))
    count = 0
    for recorded in exploration.paths(initial):
        again = Exploration(PythonSemantics(source.program), options)
        fresh, _ = again.initial(method_of(source, entry))
        replayed = again.replay(fresh, recorded.choice_sequence())
        assert type(replayed.outcome) is type(recorded.outcome)
        assert replayed.choice_sequence() == recorded.choice_sequence()
        assert traces.signature(replayed) == traces.signature(recorded)
        if not isinstance(recorded.outcome, Cut):
            # A path that was cut is only its choices: its last state shares the rest with the path beside it.
            assert [str(c) for c in replayed.pc.constraints()] == [str(c) for c in recorded.pc.constraints()]
        count += 1
    return count


@pytest.mark.parametrize("heap", ["lazy", "noalias"])
@pytest.mark.parametrize("target", PROGRAMS)
def test_every_path_replays(examples: Path, target: str, heap: str) -> None:
    assert _replays(str(examples / target), Options(heap=heap)) > 1


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(source=programs(), loops=st.integers(0, 2))
def test_random_programs_replay(tmp_path: Path, source: str, loops: int) -> None:
    file = tmp_path / "sample.py"
    file.write_text(source)
    _replays(f"{file}::subject", Options(limits=Limits(loops=loops)))
