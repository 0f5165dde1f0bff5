"""What CONTRIBUTING tells about search orders and criteria, followed once for real."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from everypath.concurrency.stability import Statics
from everypath.explore import traces
from everypath.explore.actors.criteria import ActorBound, Criterion
from everypath.explore.actors.exploration import ActorExploration
from everypath.explore.actors.world import Task, World
from everypath.explore.outcomes import Cut
from everypath.explore.search.exploration import Exploration
from everypath.explore.search.strategies import Strategy
from everypath.explore.state import State
from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.lower import lower
from everypath.languages.abs.semantics.semantics import AbsSemantics
from everypath.languages.python.frontend import load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.languages.python.subject import method_of
from everypath.options import Options


class ShortestFirst:
    """The path with the fewest choices so far comes first."""

    def __init__(self) -> None:
        self._states: list[State] = []

    def add(self, states: list[State]) -> None:
        self._states.extend(states)

    def select(self) -> State:
        shortest = min(self._states, key=lambda state: len(state.choice_sequence()))
        self._states.remove(shortest)
        return shortest

    def pending(self) -> Iterable[State]:
        return self._states

    def __len__(self) -> int:
        return len(self._states)


def _paths(target: str, strategy: Strategy | None) -> list[State]:
    source = load_target(target)
    (entry,) = source.entries
    exploration = Exploration(PythonSemantics(source.program), Options())
    initial, _ = exploration.initial(method_of(source, entry))
    return list(exploration.paths(initial, strategy))


def test_a_search_order_of_ones_own(examples: Path) -> None:
    target = str(examples / "papers/lcm.py::lcm")
    usual, ours = _paths(target, None), _paths(target, ShortestFirst())
    lengths = [len(state.choice_sequence()) for state in ours]
    assert lengths == sorted(lengths)
    assert set(map(traces.signature, ours)) == set(map(traces.signature, usual))


class NoTaskTwice(Criterion):
    """A method is run once on each processor."""

    cut = Cut("switch")

    def may_take(self, world: World, task: Task) -> bool:
        key = (task.name.cog, task.name.label)
        count = world.places.get(key, 0) + 1
        world.places = {**world.places, key: count}
        return count == 1


def test_a_criterion_of_ones_own(examples: Path) -> None:
    file = examples / "actors" / "fact.abs"
    program = check_program([Source(str(file), file.read_text(encoding="utf-8"))])
    assert isinstance(program, Program)
    # Fact makes workers without end, so that some criterion has to bound them.
    criteria: list[Criterion] = [ActorBound(2), NoTaskTwice()]
    exploration = ActorExploration(
        AbsSemantics(lower(program)), Options(), Statics({}, {}, {}, frozenset()), criteria=criteria
    )
    executions = list(exploration.executions(exploration.start("Fact.Fact", "ft")))
    ends = [execution.state.outcome for execution in executions]
    assert None in ends
    assert NoTaskTwice.cut in ends
    assert {end.kind for end in ends if isinstance(end, Cut)} <= {"switch", "actor", "loop"}
