"""Goes on with known inputs where a bound, or values that had to be fixed, left branches of an entry out.

The bound on loops counts iterations that a symbolic condition decides. On known inputs nothing is symbolic, so such a
path reaches its end; it is kept where it takes what no other case does, and the result says that its inputs were fixed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from everypath.cases.collect import Collector
from everypath.cases.model import (
    CallCase,
    Inputs,
    Literal,
    MappingState,
    ObjectState,
    Pointer,
    Problem,
    SequenceState,
    TupleValue,
)
from everypath.errors import SolverUnknown
from everypath.explore.machine import Machine
from everypath.explore.outcomes import Cut, Finished, Uncaught
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.state import Chain, State
from everypath.generate.branches import branches_of, branches_taken
from everypath.generate.exploring import exploration_of, initial, method_of
from everypath.heap.values import Value
from everypath.languages.python.frontend import EntryPoint, Loaded
from everypath.languages.python.semantics.seeds import Known, defaults_of, mixtures, shown, small, solved, varied
from everypath.logic.condition import Infeasible
from everypath.options import Options
from everypath.records import replace

KNOWN = -1
"""The first choice of a path whose plain inputs were known from the start."""
_SEEDS = 3
_ENDS = 20
"""How many of the paths that were stopped first, and last, are looked at."""
_SHARE = 0.25
"""The part of the time for exploring that may be added."""


class Stopped:
    """Some of the paths that a bound stopped."""

    def __init__(self) -> None:
        self.first: list[State] = []
        self.last: list[State] = []

    def see(self, state: State) -> None:
        """Keep the state if its path was stopped."""
        if isinstance(state.outcome, Cut) and state.outcome.kind in ("loop", "time"):
            if len(self.first) < _ENDS:
                self.first.append(state)
            else:
                self.last.append(state)
                del self.last[:-_ENDS]


def go_on(source: Loaded, entry: EntryPoint, options: Options, collector: Collector, stopped: Stopped) -> None:
    """Follow known inputs where a branch of the entry is in no case."""
    covered = {taken for case in collector.suite.cases for taken in case.covers}
    wanted = branches_of(source, entry)
    if collector.suite.cases and wanted <= covered:
        return
    deadline = time.monotonic() + _SHARE * options.limits.time
    machine: Machine | None = None
    for known in _seeds(source, entry, [*stopped.first, *stopped.last], covered):
        left = deadline - time.monotonic()
        if left <= 0 or (collector.suite.cases and wanted <= covered):
            return
        limited = replace(options, limits=replace(options.limits, time=left))
        exploration, state, call = _known(source, entry, limited, known, machine)
        machine = exploration.machine
        collector.call, collector.round = call, collector.round + 1
        for last in exploration.paths(state):
            if not isinstance(last.outcome, (Finished, Uncaught)):
                continue
            new = set(branches_taken(last)) - covered
            if new or not collector.suite.cases:
                before = len(collector.suite.cases)
                last.choices = _marked(last)
                collector.add(last)
                covered |= new
                if len(collector.suite.cases) > before:
                    _tell(collector, entry)


def replay_known(source: Loaded, entry: EntryPoint, options: Options, case: CallCase) -> State:
    """Follow a case whose plain inputs were known from the start."""
    exploration, state, _ = _known(source, entry, options, solved(dict(_literals(case.inputs))))
    return exploration.replay(state, case.choices[1:])


def _known(
    source: Loaded, entry: EntryPoint, options: Options, known: Known, machine: Machine | None = None
) -> tuple[Exploration, State, Call]:
    exploration = exploration_of(source, entry, options, machine)
    exploration.inputs.known = known
    return exploration, *initial(exploration, source, entry)


def _marked(state: State) -> Chain:
    """The choices with the mark of known inputs in front of them."""
    chain: Chain = (KNOWN, None)
    for choice in state.choice_sequence():
        chain = (choice, chain)
    return chain


def _tell(collector: Collector, entry: EntryPoint) -> None:
    what = f"{entry.qualname}: known inputs are tried where paths were stopped or values fixed"
    problem = Problem("concretised", entry.span.file, entry.span.line, what)
    if problem not in collector.fixed:
        collector.fixed.append(problem)


def _seeds(source: Loaded, entry: EntryPoint, states: list[State], covered: set[str]) -> Iterator[Known]:
    """Inputs that docstrings show, small ones, those of stopped paths that came to new branches, and mixtures."""
    method = method_of(source, entry)
    defaults = defaults_of(method)
    yield from (shown(example, defaults) for example in entry.examples)
    yield from small(defaults)
    ranked = sorted(range(len(states)), key=lambda at: (-len(set(branches_taken(states[at])) - covered), at))
    found: list[dict[str, Value]] = []
    for at in ranked:
        try:
            model = states[at].pc.model()
        except (SolverUnknown, Infeasible):
            continue
        values = {variable.name: value for variable, value in model.items()}
        if values not in found:
            found.append(values)
            yield solved(values)
        if len(found) == _SEEDS:
            break
    yield from varied(entry.examples, source.program, method)
    yield from mixtures(source.program, method)


def _literals(inputs: Inputs) -> Iterable[tuple[str, Value]]:
    """The plain values among the inputs, by the names that they have while exploring."""
    values = [(name, value) for name, value, _ in inputs.arguments]
    agenda = [*values, *([("self", inputs.receiver)] if inputs.receiver is not None else [])]
    visited: set[str] = set()
    while agenda:
        name, value = agenda.pop()
        if isinstance(value, Literal):
            yield name, value.value
        elif isinstance(value, TupleValue):
            agenda += [(f"{name}[{at}]", item) for at, item in enumerate(value.items)]
        elif isinstance(value, Pointer) and value.id not in visited:
            visited.add(value.id)
            match inputs.heap.get(value.id):
                case ObjectState(fields=fields):
                    agenda += [(f"{name}.{field}", content) for field, content in fields]
                case SequenceState(items=items):
                    agenda += [(f"{name}[{at}]", item) for at, item in enumerate(items)]
                case MappingState(entries=entries):
                    for key, content in entries:
                        if isinstance(key, Literal):
                            agenda.append((f"{name}[{key.value!r}]", content))
