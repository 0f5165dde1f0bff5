"""Runs natives along all their forks, and says what a value is once the inputs are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import everypath.languages.python.natives.every  # noqa: F401 - fills the table
from everypath.errors import LimitReached, Unsupported
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import Fixed, Fork, decide
from everypath.heap.inputs import Inputs
from everypath.heap.solver import make_heap
from everypath.heap.values import DictCell, InitialDict, InitialList, ListCell, OpenList, RangeValue, Ref, Unknown
from everypath.ir.program import Program
from everypath.ir.types import Type
from everypath.languages.python.frontend.hierarchy import PYTHON, exception_classes
from everypath.languages.python.semantics.inputs import PYTHON_INPUTS
from everypath.languages.python.semantics.registry import NATIVES
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.logic.terms import Term, evaluate, variables

MOST_PATHS = 2000


@dataclass
class Path:
    """One way through a native: the state at its end and what happened."""

    state: State
    value: Any = None
    fault: tuple[str, tuple[Any, ...]] | None = None
    stopped: str = ""
    fixed: bool = False
    """whether only some values of the inputs take it"""

    def outcome(self, model: dict[Any, Any]) -> Any:
        """The result with the inputs known: ("value", v) or ("error", class, arguments)."""
        if self.fault is not None:
            return ("error", self.fault[0], tuple(real(self.state, a, model) for a in self.fault[1]))
        return ("value", real(self.state, self.value, model))

    def accepts(self, model: dict[Any, Any]) -> bool:
        """Whether inputs with these values take this path."""
        return all(evaluate(c, model) for c in self.state.pc.constraints())


def new_state(lengths: int = 3, program: Program | None = None) -> State:
    """A state with nothing in it."""
    program = program or Program(PYTHON, exception_classes())
    return State(make_heap("lazy", Inputs(program, None, lengths, knowledge=PYTHON_INPUTS)), PathCondition(Decider()))


def follow(st: State, run: Callable[[State], Any]) -> list[Path]:
    """Every path through `run`, which is executed from the start again after each fork."""
    paths: list[Path] = []
    agenda = [(st, False)]
    while agenda:
        state, fixed = agenda.pop()
        try:
            paths.append(Path(state, run(state), fixed=fixed))
        except Fork as fork:
            for alternative in reversed(fork.alternatives):
                copy = state.copy()
                try:
                    if alternative.apply(copy.heap, copy.pc):
                        agenda.append((copy, fixed or isinstance(fork, Fixed)))
                except LimitReached as problem:
                    paths.append(Path(copy, stopped=str(problem)))
        except Fault as fault:
            paths.append(Path(state, fault=(fault.cls, fault.arguments), fixed=fixed))
        except (Unsupported, LimitReached) as problem:
            paths.append(Path(state, stopped=str(problem)))
        assert len(paths) + len(agenda) < MOST_PATHS
    return paths


def call(name: str, /, *args: Any, **keywords: Any) -> Callable[[State], Any]:
    """A run of one native."""

    def run(st: State) -> Any:
        return NATIVES[name](st, *args, **keywords)

    return run


def iterate(st: State, iterable: Any, most: int = 4) -> list[Path]:
    """All runs of a loop over the iterable that end after at most so many elements."""
    finished: list[Path] = []
    agenda: list[tuple[State, Any, tuple[Any, ...]]] = []
    for path in follow(st, call("iter", iterable)):
        if path.fault or path.stopped:
            finished.append(path)
        else:
            agenda.append((path.state, path.value, ()))
    while agenda:
        state, it, taken = agenda.pop()
        for asked in follow(state, lambda s, it=it: decide(s.pc, NATIVES["has_next"](s, it))):
            if asked.fault or asked.stopped:
                finished.append(asked)
            elif not asked.value:
                finished.append(Path(asked.state, taken))
            elif len(taken) < most:
                for step in follow(asked.state, call("next", it)):
                    if step.fault or step.stopped:
                        finished.append(step)
                    else:
                        agenda.append((step.state, it, (*taken, step.value)))
    return finished


def unknown(type: Type, name: str = "x") -> Unknown:
    """An input that nothing has looked at."""
    return Unknown(name, type)


def plain(st: State, value: Any) -> Any:
    """A value of the engine for a plain Python object."""
    if isinstance(value, list):
        return st.heap.new_object("list", ListCell(tuple(plain(st, v) for v in value)))
    if isinstance(value, set):
        return st.heap.new_object("set", DictCell(tuple((plain(st, v), True) for v in value), kind="set"))
    if isinstance(value, dict):
        pairs = tuple((plain(st, k), plain(st, v)) for k, v in value.items())
        return st.heap.new_object("dict", DictCell(pairs))
    if isinstance(value, tuple):
        return tuple(plain(st, v) for v in value)
    if isinstance(value, range):
        return RangeValue(value.start, value.stop, value.step)
    return value


def real(st: State, value: Any, model: dict[Any, Any]) -> Any:
    """The plain Python object that a value is once the inputs are known."""
    if isinstance(value, Unknown):
        value = st.heap.bind[value]
    if isinstance(value, Term):
        return evaluate(value, model)
    if isinstance(value, tuple):
        return tuple(real(st, v, model) for v in value)
    if isinstance(value, RangeValue):
        return range(*(real(st, v, model) for v in (value.start, value.stop, value.step)))
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, ListCell):
            assert evaluate(cell.length, model) == len(cell.items)
            return [real(st, v, model) for v in cell.items]
        if isinstance(cell, OpenList):
            return _filled(st, evaluate(cell.length, model), cell.known, model)
        if isinstance(cell, DictCell):
            if cell.kind == "set":
                return {real(st, k, model) for k, _ in cell.entries}
            return {real(st, k, model): real(st, v, model) for k, v in cell.entries}
    return value


def initial(st: State, value: Any, model: dict[Any, Any]) -> Any:
    """The plain Python object that an input was before anything ran."""
    if isinstance(value, Unknown):
        value = st.heap.bind.get(value)
    if not isinstance(value, Ref):
        return real(st, value, model)
    first = st.heap.first[value]
    if isinstance(first, InitialList):
        return _filled(st, evaluate(first.length, model), first.entries, model)
    assert isinstance(first, InitialDict)
    if first.kind == "set":
        return {real(st, k, model) for k, _ in first.entries}
    return {real(st, k, model): real(st, v, model) for k, v in first.entries}


def _filled(st: State, length: Any, entries: Any, model: dict[Any, Any]) -> list[Any]:
    items: list[Any] = [0] * length
    for index, item in entries:
        items[evaluate(index, model)] = real(st, item, model)
    return items


def expected(function: Callable[..., Any], *args: Any) -> Any:
    """What CPython does, in the form of `Path.outcome`."""
    try:
        return ("value", function(*args))
    except Exception as error:
        return ("error", type(error).__name__, error.args)


def check_values(
    run: Callable[[State], Any],
    function: Callable[..., Any],
    inputs: list[Term],
    samples: list[tuple[Any, ...]],
    lengths: int = 3,
) -> list[Path]:
    """Each sample takes exactly one path, and that path predicts what CPython does, unless it says it stopped.

    Where values are fixed, a sample may take none.
    """
    paths = follow(new_state(lengths), run)
    for sample in samples:
        model = dict(zip(inputs, sample))
        taken = [path for path in paths if path.accepts(model)]
        if not taken and any(path.fixed for path in paths):
            continue
        assert len(taken) == 1, (sample, len(taken))
        if not taken[0].stopped:
            assert taken[0].outcome(model) == expected(function, *sample), sample
    check_models(paths, function, inputs)
    return paths


def check_models(paths: list[Path], function: Callable[..., Any], inputs: list[Any]) -> None:
    """A model of each path makes CPython do what the path predicts."""
    for path in paths:
        if path.stopped:
            continue
        used = {v for c in path.state.pc.constraints() for v in variables(c)}
        model = path.state.pc.model(sorted(used, key=lambda v: v.index))
        args = [initial(path.state, value, model) for value in inputs]
        assert path.outcome(model) == expected(function, *args), args
