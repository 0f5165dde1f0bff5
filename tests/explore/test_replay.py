"""A path is its choice sequence: replaying the sequence gives the same path."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.explore import traces
from everypath.explore.outcomes import Cut
from everypath.explore.search.exploration import Exploration
from everypath.languages.python.frontend import load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.languages.python.subject import method_of
from everypath.options import Limits, Options
from tests.fuzz.programs import program
from tests.fuzz.rich import RICH
from tests.fuzz.statements import ORDINARY

PROGRAMS = ["papers/rem_all.py::List.rem_all", "papers/lcm.py::lcm", "papers/mist.py::mist", "bst.py::Tree.remove"]


def _replays(target: str, options: Options) -> int:
    source = load_target(target)
    (entry,) = source.entries
    exploration = Exploration(PythonSemantics(source.program), options)
    initial, _ = exploration.initial(method_of(source, entry))
    count = 0
    for recorded in exploration.paths(initial):
        if isinstance(recorded.outcome, Cut) and recorded.outcome.kind == "time":
            continue
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


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_replay(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "sample.py"
    file.write_text(program(seed, ORDINARY).source, encoding="utf-8")
    _replays(f"{file}::f", Options(limits=Limits(loops=seed % 3, time=3, paths=200)))


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_with_more_of_the_language_replay(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "sample.py"
    file.write_text(program(seed, RICH).source, encoding="utf-8")
    # The heap solver learns from the solutions that a search happens to find, so that its conditions may vary.
    _replays(f"{file}::f", Options(limits=Limits(loops=seed % 3, time=3, paths=200), heap="lazy"))
