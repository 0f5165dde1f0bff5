"""Compares what is explored symbolically with all concrete runs of a program from sampled inputs."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator

from everypath.cases.actor_cases import ActorCollector
from everypath.cases.actors import (
    ActorInputs,
    ActorReference,
    ActorState,
    ActorSuite,
    DataValue,
    FutureReference,
    Plain,
    Task,
    Value,
)
from everypath.cases.model import Entry
from everypath.concurrency.executions import Execution
from everypath.concurrency.executions import Limits as SearchLimits
from everypath.concurrency.orders import Order, explore
from everypath.explore.actors.exploration import ActorExploration, Start
from everypath.explore.outcomes import Cut
from everypath.explore.state import State
from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.generation import exploration_of
from everypath.languages.abs.runtime.machine import Machine, deep_calls
from everypath.languages.abs.runtime.replay import machine_of, state_for
from everypath.languages.abs.runtime.system import ActorSystem
from everypath.languages.abs.validation import validate
from everypath.options import ActorOptions, Limits, Options
from everypath.records import dataclass
from tests.concurrency.traces import normal_form
from tests.explore.actors.outcomes import Matched, Mismatch, concrete
from tests.explore.actors.writing import Written

ORDERS = ("all", "stable", "independent", "optimal")
LOOPS = 3
"""More than any loop over the sampled inputs."""
MOST = 400
"""Executions; a program with more is left to others."""
SECONDS = 2.0
LIBRARY = "ABS.StdLib."


def checked(text: str) -> Program:
    """The program of a text."""
    found = check_program([Source("a.abs", text)])
    assert isinstance(found, Program), "\n".join(map(str, found))
    return found


def options(order: str, heap: str, **bounds: int) -> Options:
    """Options for an exploration that is meant to miss nothing."""
    return Options(
        limits=Limits(loops=LOOPS, paths=MOST, time=SECONDS), actors=ActorOptions(order=order, **bounds), heap=heap
    )


@dataclass(frozen=True, slots=True)
class Explored:
    """All executions of a method that ended by themselves."""

    exploration: ActorExploration
    start: Start
    ended: tuple[Execution[State], ...]
    whole: bool
    """whether nothing was left out but loops with more iterations"""

    def matching(self, inputs: ActorInputs) -> Iterator[tuple[Execution[State], Hashable]]:
        """The executions for some inputs, and how they end for them."""
        for execution in self.ended:
            try:
                matched = Matched(self.exploration, self.start, execution.state, inputs)
            except Mismatch:
                continue
            yield execution, matched.outcome()


def explored(program: Program, cls: str, method: str, chosen: Options) -> Explored:
    """Explore one method of a program."""
    exploration = exploration_of(program, chosen)
    start = exploration.start(cls, method)
    ended, whole = [], True
    for execution in exploration.executions(start):
        if execution.ended is None:
            ended.append(execution)
        elif not isinstance(execution.ended, Cut) or execution.ended.kind != "loop":
            whole = False
    return Explored(exploration, start, tuple(ended), whole and exploration.counts.complete)


class Sampler:
    """Makes inputs of a method: small values, references to nothing, to itself and to others."""

    def __init__(self, written: Written, seed: int, aliased: bool) -> None:
        self._written = written
        self._choose = random.Random(seed)
        self._aliased = aliased
        self._futures: dict[str, Value] = {}
        self._left: list[str] = []

    def inputs(self, cls: str, method: str) -> ActorInputs:
        """Inputs of one call; without aliases, each actor is referred to at most once."""
        choose, self._futures = self._choose, {}
        others = [f"other{number}" for number in range(choose.randint(1, 2))]
        classes = dict(self._written.classes)
        names = {"this": cls, **{other: choose.choice(list(classes)) for other in others}}
        self._left = [*names] if self._aliased else others
        actors = []
        arguments: tuple[tuple[str, Value], ...] = ()
        for name, made in names.items():
            if name == "this":
                signature = next(s for s in self._written.signatures if s.name == method)
                arguments = tuple((n, self._value(type)) for type, n in signature.parameters)
            fields = tuple((field, self._value(type)) for type, field in classes[made])
            actors.append(ActorState(name, made, name, fields))
        return ActorInputs(tuple(actors), (Task("", "this", method, arguments),), tuple(self._futures.items()))

    def _value(self, type: str, depth: int = 0) -> Value:
        choose = self._choose
        match type:
            case "Int":
                return Plain(choose.randint(-1, 2))
            case "Bool":
                return Plain(choose.random() < 0.5)
            case "List<Int>":
                made = DataValue(f"{LIBRARY}Nil")
                for _ in range(choose.randint(0, 2)):
                    made = DataValue(f"{LIBRARY}Cons", (self._value("Int"), made))
                return made
            case "Maybe<Int>":
                if choose.random() < 0.5:
                    return DataValue(f"{LIBRARY}Nothing")
                return DataValue(f"{LIBRARY}Just", (self._value("Int"),))
            case "Shape":
                kind = choose.randint(0, 2 if depth < 2 else 1)
                if kind == 0:
                    return DataValue("M.Dot")
                if kind == 1:
                    return DataValue("M.Box", (self._value("Int"),))
                return DataValue("M.Both", (self._value("Shape", depth + 1), self._value("Int")))
            case "Fut<Int>":
                name = f"future{len(self._futures)}"
                self._futures[name] = self._value("Int")
                return FutureReference(name)
        if not self._left or choose.random() < 0.15:
            return Plain(None)
        chosen = choose.choice(self._left)
        if not self._aliased:
            self._left.remove(chosen)
        return ActorReference(chosen)


def runs(machine: Machine, inputs: ActorInputs) -> tuple[dict[Hashable, tuple[str, ...]], bool]:
    """The outcomes of all concrete runs, each with a schedule; and whether all runs were made."""
    state, tasks = state_for(machine, inputs)
    root = next(iter(tasks.values()))
    found: dict[Hashable, tuple[str, ...]] = {}
    count = 0
    with deep_calls():
        for execution in explore(ActorSystem(machine), state, Order.ALL, limits=SearchLimits(executions=MOST)):
            count += 1
            assert execution.ended is None
            found.setdefault(concrete(execution.state, root), tuple(c.move.task for c in execution.schedule))
    return found, count < MOST


class Different(AssertionError):
    """What is explored and what is run differ."""


def compare(written: Written, cls: str, method: str, heap: str, seed: int, samples: int = 6) -> int:
    """Check one method of a program in all orders; how many runs were compared."""
    program = checked(written.text)
    known: dict[str, Explored] = {}
    for order in ORDERS:
        known[order] = explored(program, cls, method, options(order, heap))
        if not known[order].whole:
            return 0
    for order in ("all", "optimal"):
        validated(program, cls, method, known[order], f"{order}/{heap}")
    machine = machine_of(program)
    sampler = Sampler(written, seed, heap != "noalias")
    compared = 0
    for _ in range(samples):
        inputs = sampler.inputs(cls, method)
        reached, everything = runs(machine, inputs)
        matching = {order: list(each.matching(inputs)) for order, each in known.items()}
        for order, executions in matching.items():
            predicted = {outcome for _, outcome in executions}
            for outcome in reached.keys() - predicted:
                raise Different(f"{order}/{heap}: not predicted for {inputs}: {outcome}\n  by {reached[outcome]}")
            if everything:
                for outcome in predicted - reached.keys():
                    raise Different(f"{order}/{heap}: predicted but not reached for {inputs}: {outcome}")
        forms = {normal_form(execution.events) for execution, _ in matching["all"]}
        if len(matching["optimal"]) != len(forms):
            raise Different(f"{heap}: {len(matching['optimal'])} executions, {len(forms)} classes for {inputs}")
        compared += len(reached)
    blocked = known["optimal"].exploration.counts.blocked
    if blocked and not any(each.exploration.counts.ends for each in known.values()):
        raise Different(f"{heap}: optimal gave up {blocked} executions")
    return compared


def validated(program: Program, cls: str, method: str, known: Explored, what: str) -> None:
    """Every case of the method is confirmed by its replay."""
    suite = ActorSuite("", {})
    module, _, name = cls.rpartition(".")
    collector = ActorCollector(known.exploration, Entry(module, "a.abs", name, method, "method"), suite, frozenset())
    for execution in known.ended:
        collector.add(known.start, execution)
    for case in suite.cases:
        problem = validate(program, case)
        if isinstance(problem, str):
            raise Different(f"{what}: {case.inputs}\n  {[turn.task for turn in case.schedule]}\n  {problem}")
    if suite.stats.unsupported or suite.problems:
        raise Different(f"{what}: {suite.stats.unsupported} {suite.problems}")
