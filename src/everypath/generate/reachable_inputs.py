"""Exploring an entry whose input objects are made by calls (`--reachable`) or fulfil an invariant (`--invariant`)."""

from __future__ import annotations

import time
from collections.abc import Iterator

from everypath.cases.model import CallCase, CallSuite, Problem
from everypath.cases.reachable import ReachableCollector
from everypath.errors import Internal, Unsupported
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.search.recipes import MOST_CALLS, Fresh, Ingredient, Recipes
from everypath.explore.state import State
from everypath.generate.exploring import Progress, entry_of, exploration_of, method_of
from everypath.ir.types import ClassType, Type
from everypath.languages.python.frontend import EntryPoint, Loaded
from everypath.languages.python.semantics.arranging import Made, arrange
from everypath.options import Options
from everypath.records import replace

_MOST_RECIPES = 400
"""Ways to make the inputs of one entry that are tried."""

Way = tuple[Ingredient | None, ...]
"""how each parameter is made; None for one that is no input"""


def explore_arranged(
    source: Loaded, entry: EntryPoint, options: Options, suite: CallSuite, progress: Progress | None = None
) -> None:
    """Collect the cases of one entry into the suite, the inputs with the fewest calls first."""
    started = time.monotonic()
    deadline = started + options.limits.time
    collector: ReachableCollector | None = None
    stats = suite.stats
    try:
        for number, way in enumerate(_ways(source, entry, options)):
            left = deadline - time.monotonic()
            if number and (left <= 0 or number >= _MOST_RECIPES):
                stats.cut["time"] += 1
                what = "the time for exploring is over; raise --time" if left <= 0 else f"only {number} ways are tried"
                message = f"{entry.qualname}: {what} (there are more ways to make its inputs)"
                suite.problems.append(Problem("cut", entry.span.file, entry.span.line, message))
                break
            limits = replace(options.limits, time=max(left, 0.001))
            exploration = exploration_of(source, entry, replace(options, limits=limits))
            state, call, made = _arranged(exploration, source, entry, options, way)
            if collector is None:
                collector = ReachableCollector(entry_of(entry, source), call, suite)
            collector.call, collector.made, collector.round = call, made, number
            try:
                for last in exploration.paths(state):
                    collector.add(last)
                    if progress is not None:
                        progress(stats.paths, stats.cases, sum(stats.cut.values()))
            finally:
                _count(suite, exploration, collector)
    except Unsupported as problem:
        span = problem.span if problem.span.line else entry.span
        stats.unsupported.append(Problem("unsupported", span.file, span.line, f"{entry.qualname}: {problem.message}"))
    finally:
        stats.seconds = time.monotonic() - started
    if collector is not None:
        invariant = () if options.invariant is None else (f"{options.invariant}()",)
        collector.finish((*options.assume, *invariant))


def replay_arranged(source: Loaded, entry: EntryPoint, options: Options, case: CallCase) -> State:
    """Follow a case's recorded choices, after the calls that make its inputs."""
    recorded = [(f"{step.module}.{step.cls}", step.method) for step in case.inputs.steps]
    for way in _ways(source, entry, options):
        exploration = exploration_of(source, entry, options)
        state, _, made = _arranged(exploration, source, entry, options, way)
        steps = [(s.cls, "" if s.constructs or s.method is None else s.method.name) for s in made.steps]
        if steps == recorded:
            try:
                return exploration.replay(state, case.choices)
            except Internal:
                continue
    raise Internal("the recorded inputs can no longer be made; was the code changed?", entry.span)


def _ways(source: Loaded, entry: EntryPoint, options: Options) -> Iterator[Way]:
    """How the inputs of an entry are made: each in its own way, or all unknown."""
    types = _types(source, entry)
    wanted = [type for type in types if type is not None]
    inputs = exploration_of(source, entry, options).inputs
    recipes = Recipes(source.program, frozenset((*inputs.enumerations, *inputs.records)))
    if not options.reachable or not recipes.makes_objects(wanted):
        yield tuple(None if type is None else Fresh(type) for type in types)
        return
    for calls in range(MOST_CALLS + 1):
        for made in recipes.of(wanted, calls):
            rest = iter(made)
            yield tuple(None if type is None else next(rest) for type in types)


def _types(source: Loaded, entry: EntryPoint) -> list[Type | None]:
    method = method_of(source, entry)
    types: list[Type | None] = []
    for number, param in enumerate(method.params):
        if number or method.kind == "static":
            types.append(param.type)
        elif entry.kind == "constructor" or method.kind == "class":
            types.append(None)
        else:
            types.append(ClassType(entry.cls))
    return types


def _arranged(
    exploration: Exploration, source: Loaded, entry: EntryPoint, options: Options, way: Way
) -> tuple[State, Call, Made]:
    return arrange(
        exploration,
        method_of(source, entry),
        entry.cls,
        way,
        constructs=entry.kind == "constructor",
        lazy=entry.lazy,
        before=source.effects,
        invariant=options.invariant,
    )


def _count(suite: CallSuite, exploration: Exploration, collector: ReachableCollector) -> None:
    """Add what one way of making the inputs cost to the counts of the entry."""
    stats, machine = suite.stats, exploration.machine
    stats.states += machine.states
    stats.steps += machine.steps
    stats.infeasible += machine.infeasible + collector.impossible + collector.dropped
    collector.impossible = collector.dropped = 0
    fixed = [Problem("concretised", span.file, span.line, what) for span, what in sorted(machine.fixed)]
    stats.concretised += [problem for problem in fixed if problem not in stats.concretised]
    for layer, count in exploration.decider.counts.items():
        stats.decisions[layer] = stats.decisions.get(layer, 0) + count
