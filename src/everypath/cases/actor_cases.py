"""Collects the executions of one method into a suite: one case for each input and outcome, every end counted.

Many orders of messages lead to the same outcome. They are recognised in two steps: by comparing symbolic inputs and
outcomes, which is cheap, and by comparing the finished cases. Solutions of earlier executions are tried before the
solver is asked, because cases about the same input can be compared: that shows which results depend on the order.
"""

from __future__ import annotations

from collections.abc import Hashable

from everypath.cases.actor_values import Concretiser
from everypath.cases.actor_wording import nothing_ended
from everypath.cases.actors import (
    ActorCase,
    ActorExpected,
    ActorInputs,
    ActorSuite,
    Deadlock,
    Failure,
    Plain,
    Task,
    Turn,
)
from everypath.cases.conditions import describe
from everypath.cases.keys import digest
from everypath.cases.model import Entry, Problem, Step
from everypath.concurrency.executions import Execution, TooLong
from everypath.concurrency.names import TaskName
from everypath.errors import NOWHERE, SolverUnknown, Span, Unsupported
from everypath.explore import traces
from everypath.explore.actors.exploration import ActorExploration, Start
from everypath.explore.actors.world import Failure as TaskFailure
from everypath.explore.actors.world import World, world_of
from everypath.explore.outcomes import Cut, NotSupported, Undecided
from everypath.explore.state import State, unchain
from everypath.explore.traces import branches_taken
from everypath.heap.values import Data, Future, Rational, Ref, Unknown
from everypath.heap.values import Value as Symbolic
from everypath.logic import terms
from everypath.logic.terms import Model
from everypath.records import replace

ASSERTION = "AssertionFailException"
TRIED = 30
"""How many solutions of earlier executions are tried; the newest first."""


class ActorCollector:
    """Takes executions and keeps one case for each input and outcome: the one with the shortest schedule."""

    def __init__(self, exploration: ActorExploration, entry: Entry, suite: ActorSuite, files: frozenset[str]) -> None:
        self._exploration = exploration
        self._entry = entry
        self._suite = suite
        self._files = files
        """the user's own sources; what the standard library executes does not belong to a trace"""
        self._seen: dict[Hashable, int] = {}
        self._rendered: dict[Hashable, int] = {}
        self._models: dict[Hashable, list[Model]] = {}
        """the objects and data that the inputs consist of -> the solutions that were used for them"""

    def add(self, start: Start, execution: Execution[State]) -> int | None:
        """Count how the execution ended; a finished one becomes a case, unless there is an equal one.

        The number of its case is returned, if it has one.
        """
        stats = self._suite.stats
        ended = execution.ended if execution.ended is not None else execution.outcome
        match ended:
            case "finished" | "deadlock":
                stats.paths += 1
                return self._finished(start, execution)
            case Cut(kind=kind, message=message):
                stats.cut[kind] = stats.cut.get(kind, 0) + 1
                if kind in ("depth", "time", "operation", "memory"):
                    self._suite.report(Problem("cut", self._entry.file, self._entry.line, message or _advice(kind)))
            case TooLong():
                stats.cut["depth"] += 1
            case NotSupported(span=span, message=message):
                self._suite.report(Problem("unsupported", *self._place(execution.state, span), message))
            case Undecided(span=span, message=message):
                stats.unknown += 1
                self._suite.report(Problem("unknown", *self._place(execution.state, span), message))
            case _:
                raise AssertionError(f"an execution ended with {ended!r}")
        return None

    def finish(self, complete: bool) -> None:
        """Report what was left out because the time was over, and which bound kept everything from ending."""
        stats, entry = self._suite.stats, self._entry
        if not complete:
            stats.cut["time"] += 1
            message = f"{entry.qualified}: the time for exploring is over; raise --time to go on"
            self._suite.report(Problem("cut", entry.file, entry.line, message))
        if not stats.paths and any(stats.cut.values()):
            self._suite.report(nothing_ended(entry, stats))

    def _place(self, state: State, span: Span) -> tuple[str, int]:
        """Where in the user's sources it was; for what the standard library does, the line that led there."""
        if span.file in self._files:
            return span.file, span.line
        trace = state.trace
        while trace is not None:
            mark, trace = trace
            own = getattr(mark, "span", NOWHERE)
            if own.file in self._files:
                return own.file, own.line
        return self._entry.file, self._entry.line

    def _finished(self, start: Start, execution: Execution[State]) -> int | None:
        state = execution.state
        # The cheap comparison comes first. With --every-order there is no key, and each execution becomes a case.
        key = None
        if not self._exploration.options.actors.every_order:
            key = (tuple(queued.name.label for queued in start.queued), input_key(state), output_key(state))
            known = self._seen.get(key)
            if known is not None:
                return self._again(known, execution)
        try:
            case = self._case(start, execution)
        except Unsupported as problem:
            span = problem.span if problem.span.line else state.span()
            self._suite.report(Problem("unsupported", *self._place(state, span), problem.message))
            return None
        except SolverUnknown as problem:
            self._suite.stats.unknown += 1
            self._suite.report(Problem("unknown", self._entry.file, self._entry.line, problem.message))
            return None
        if key is not None:
            # Different conditions may still have been solved with the same input, and then the cases are equal.
            rendered = (case.inputs, case.expected)
            at = self._rendered.get(rendered)
            if at is not None:
                self._seen[key] = at
                return self._again(at, execution)
            self._seen[key] = self._rendered[rendered] = len(self._suite.cases)
            case = replace(case, key=digest(key))
        self._suite.cases.append(case)
        self._suite.stats.cases += 1
        return len(self._suite.cases) - 1

    def _again(self, at: int, execution: Execution[State]) -> int:
        """Keep the shorter of two schedules with the same input and outcome: it is easier to read."""
        self._suite.stats.duplicates += 1
        case = self._suite.cases[at]
        if len(execution.events) < len(case.schedule):
            state = execution.state
            case = replace(
                case,
                schedule=self.schedule(execution),
                trace=self._trace(state),
                covers=self._covers(state),
                choices=state.choice_sequence(),
            )
        self._suite.cases[at] = replace(case, executions=case.executions + 1)
        return at

    def _case(self, start: Start, execution: Execution[State]) -> ActorCase:
        state = execution.state
        world = world_of(state)
        # Inputs of the same shape: any of their solutions may be a solution here, and an input in common is what makes
        # the outcomes of two orders comparable.
        shape = (tuple(queued.name.label for queued in start.queued), *input_key(state)[1:])
        models = self._models.setdefault(shape, [])
        known = next((model for model in reversed(models[-TRIED:]) if _solves(model, state)), None)
        values = Concretiser(self._exploration.program, self._exploration.actors, state, known)
        values.first(start.this)
        tasks = tuple(
            Task(
                str(queued.name),
                str(self._exploration.actors.name(start.this)),
                queued.name.label,
                tuple((name, values.value(value)) for name, value in queued.arguments),
            )
            for queued in start.queued
        )
        expected = self._expected(start.queued[0].name, values, world)
        if known is None:
            models.append(values.model)
        draws = tuple((str(task), tuple(map(values.number, drawn))) for task, drawn in world.draws.items())
        inputs = ActorInputs(tuple(values.initial.values()), tasks, tuple(values.futures.items()), draws)
        return ActorCase(
            id=f"{self._entry.module}::{self._entry.qualified}#{len(self._suite.cases) + 1}",
            entry=self._entry,
            inputs=inputs,
            expected=expected,
            schedule=self.schedule(execution),
            condition=tuple(describe(state)),
            trace=self._trace(state),
            covers=self._covers(state),
            start=start.tasks,
            choices=state.choice_sequence(),
        )

    def _expected(self, root: TaskName, values: Concretiser, world: World) -> ActorExpected:
        result = world.results.get(root)
        missing = root not in world.results or isinstance(result, TaskFailure)
        failures = tuple(
            Failure(
                str(name),
                values.value(failure.exception),
                failure.span.file,
                failure.span.line,
                failure.exception.constructor.endswith(ASSERTION),
            )
            for name, failure in world.failed.items()
        )
        value = None if missing or isinstance(result, TaskFailure) else values.value(result)
        ends = [values.last(ref) for ref in world.met]
        for name in list(values.initial):
            if all(end.name != name for end in ends):
                # Nobody has sent it anything, so it is as it was.
                ends.append(values.initial[name])
        text = "".join(str(p.value) for p in map(values.value, unchain(world.output)) if isinstance(p, Plain))
        deadlock = Deadlock((), ()) if world.tasks else None
        return ActorExpected(value, tuple(ends), failures, deadlock, text)

    def _trace(self, state: State) -> tuple[Step, ...]:
        return tuple(Step(file, line) for file, line in traces.lines(state) if file in self._files)

    def _covers(self, state: State) -> tuple[str, ...]:
        arcs = dict.fromkeys(branches_taken(state))
        return tuple(arc for arc in arcs if arc.rpartition("->")[0].rpartition(":")[0] in self._files)

    def schedule(self, execution: Execution[State]) -> tuple[Turn, ...]:
        """Who makes each step of an execution."""
        system = self._exploration.system
        return tuple(
            Turn(event.task, event.move.processor, system.task(event.move).label) for event in execution.events
        )


def _solves(model: Model, state: State) -> bool:
    """Whether another execution's inputs are also inputs of this one, so that their outcomes can be compared."""
    return all(terms.evaluate(constraint, model) for constraint in state.pc.constraints())


def _advice(kind: str) -> str:
    if kind == "time":
        return "the time for exploring is over; raise --time to go on"
    return "an execution is too long; if that is no endless loop, raise --depth"


def input_key(state: State) -> tuple[Hashable, ...]:
    """A key that is equal if two executions are known to be about the same inputs."""
    heap = state.heap
    bound = frozenset((unknown.name, _key(state, value)) for unknown, value in heap.bind.items())
    narrowed = frozenset(
        (unknown.name, options) for unknown, options in heap.narrowed.items() if unknown not in heap.bind
    )
    classes = frozenset((ref.name, k.bound, k.excluded, k.exact) for ref, k in heap.bounds.items())
    return frozenset(state.pc.constraints()), bound, narrowed, classes


def output_key(state: State) -> Hashable:
    """A key that is equal if two executions end alike: fields, result, failures nobody received, output, tasks left."""
    world = world_of(state)
    fields = state.heap.fields
    name = world.actors.name
    actors = frozenset(
        (name(ref), frozenset((field, _key(state, value)) for field, value in fields(ref).items())) for ref in world.met
    )
    root = next((task for task in world.results if task.parent is None and task.index == 0), None)
    result = _key(state, world.results[root]) if root is not None else None
    failed = frozenset((task, _key(state, failure.exception)) for task, failure in world.failed.items())
    output = tuple(_key(state, text) for text in unchain(world.output))
    return actors, result, failed, output, frozenset(world.tasks)


def _key(state: State, value: Symbolic | TaskFailure) -> Hashable:
    """A key of a value that is equal if a program cannot tell two values apart; equal terms are one object."""
    if isinstance(value, Unknown):
        bound = state.heap.bind.get(value, value)
        return ("unknown", value.name) if bound is value else _key(state, bound)
    if isinstance(value, Data):
        return (value.constructor, *(_key(state, argument) for argument in value.arguments))
    if isinstance(value, Rational):
        return ("rational", _key(state, value.top), _key(state, value.bottom))
    if isinstance(value, Ref):
        return ("actor", value.name)
    if isinstance(value, Future):
        return ("future", value.task)
    if isinstance(value, TaskFailure):
        return ("failure", _key(state, value.exception))
    return (value.__class__, value)
