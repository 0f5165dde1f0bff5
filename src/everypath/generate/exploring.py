"""Exploring one entry of a loaded program: its paths become cases, or one recorded path is followed again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from everypath.cases.collect import Collector
from everypath.cases.concretise import concretise
from everypath.cases.model import CallCase, CallSuite, Entry, Problem
from everypath.errors import BadInput
from everypath.explore import traces
from everypath.explore.machine import Machine
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.state import State
from everypath.heap.assumptions import Assumption, check, parse_all
from everypath.ir.instructions import NoDefault
from everypath.ir.program import Method, Program
from everypath.ir.types import BOOL, BYTES, FLOAT, INT, NONE, STR, Type, UnionType
from everypath.languages.python.frontend import EntryPoint, Loaded, load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.options import Options

Progress = Callable[[int, int, int], None]


def checked_assumptions(source: Loaded, entry: EntryPoint, assumptions: Sequence[Assumption]) -> tuple[Assumption, ...]:
    """The assumptions matched with the entry's inputs; one that is about none of them is an error."""
    return check(assumptions, source.program, method_of(source, entry), entry.cls, entry.kind == "constructor")


def check_invariant(programs: Sequence[Program], invariant: str | None) -> None:
    """An invariant must be a method that some class has, and that needs nothing but the object."""
    if invariant is None or not programs:
        return
    classes = [cls for program in programs for cls in program.classes.values() if not cls.model and not cls.external]
    methods = {name: method for cls in classes for name, method in cls.methods.items() if method.kind != "static"}
    if invariant not in methods:
        from difflib import get_close_matches

        close = get_close_matches(invariant, methods, 3)
        advice = (
            f"did you mean {' or '.join(close)}?" if close else "name a method that tells whether an object is valid"
        )
        raise BadInput(f"--invariant {invariant}: no class of the targets has such a method; {advice}")
    needed = [
        p.name for p in methods[invariant].params[1:] if isinstance(p.default, NoDefault) and "star" not in p.kind
    ]
    if needed:
        message = (
            f"--invariant {invariant}: it needs an argument for {needed[0]!r}, but an invariant is about one object"
        )
        raise BadInput(message, methods[invariant].span)


def contradictions(entry: EntryPoint) -> list[Problem]:
    """Parameters whose default is of another type than themselves, which is then not tried."""
    found = []
    for param in entry.params:
        default = param.default
        if default is not None and not isinstance(default, (bool, int, float, str, bytes)):
            continue
        options = param.type.options if isinstance(param.type, UnionType) else (param.type,)
        if param.kind in ("normal", "keyword", "positional") and all(map(_PLAIN.__contains__, options)):
            accepted = {kind for option in options for kind in _PLAIN[option]}
            if type(default) not in accepted:
                said = f"is of type {param.type}, but its default is {default!r}; only values of that type are tried"
                message = f"parameter {param.name!r} of {entry.qualname} {said}"
                found.append(Problem("types", entry.span.file, entry.span.line, message))
    return found


_PLAIN: dict[Type, tuple[type, ...]] = {
    INT: (int, bool),
    BOOL: (bool,),
    FLOAT: (float, int, bool),
    STR: (str,),
    BYTES: (bytes,),
    NONE: (type(None),),
}
"""The types of which a plain default may be, with the classes that they accept."""


def exploration_of(source: Loaded, entry: EntryPoint, options: Options, machine: Machine | None = None) -> Exploration:
    """The exploration of one entry; every assumption must be about its inputs."""
    assumptions = checked_assumptions(source, entry, parse_all(options.assume))
    return Exploration(PythonSemantics(source.program), options, assumptions, machine)


def initial(exploration: Exploration, source: Loaded, entry: EntryPoint) -> tuple[State, Call]:
    """The state in which the entry is about to be called, after what importing the program does."""
    constructs = entry.kind == "constructor"
    return exploration.initial(method_of(source, entry), entry.cls, constructs, entry.lazy, source.effects)


def explore_entry(
    source: Loaded, entry: EntryPoint, options: Options, suite: CallSuite, progress: Progress | None = None
) -> None:
    """Collect the cases of one entry into the suite; the counts stay true when it is interrupted."""
    if options.reachable or options.invariant is not None:
        from everypath.generate.reachable_inputs import explore_arranged

        explore_arranged(source, entry, options, suite, progress)
        return
    from everypath.generate.known_inputs import Stopped, go_on
    from everypath.generate.more_iterations import go_deeper

    started = time.monotonic()
    exploration = exploration_of(source, entry, options)
    stopped = Stopped()
    state, call = initial(exploration, source, entry)
    collector = Collector(entry_of(entry, source), call, suite)
    try:
        for last in exploration.paths(state):
            collector.add(last)
            stopped.see(last)
            if progress is not None:
                progress(suite.stats.paths, suite.stats.cases, sum(suite.stats.cut.values()))
        if suite.stats.cut["loop"] and options.select != "all":
            go_deeper(source, entry, options, collector)
        if stopped.first or exploration.machine.fixed:
            go_on(source, entry, options, collector, stopped)
        collector.finish(options.assume)
    finally:
        stats = suite.stats
        stats.states = exploration.machine.states
        stats.concretised = [
            Problem("concretised", span.file, span.line, what) for span, what in sorted(exploration.machine.fixed)
        ] + collector.fixed
        stats.steps = exploration.machine.steps
        stats.infeasible = exploration.machine.infeasible + collector.impossible
        stats.decisions = dict(exploration.decider.counts)
        stats.seconds = time.monotonic() - started


def explore_only(target: str, options: Options, solve: bool = False) -> tuple[int, int, float, dict[str, int]]:
    """Cases, steps, CPU seconds and decisions by layer of exploring one entry; with `solve`, inputs for each path."""
    source = load_target(target, options.types)
    entry = single_entry(source, target)
    exploration = exploration_of(source, entry, options)
    started = time.process_time()
    state, call = initial(exploration, source, entry)
    cases = 0
    for last in exploration.paths(state):
        if isinstance(last.outcome, (Finished, Uncaught)):
            cases += 1
            if solve:
                concretise(last, call)
    return cases, exploration.machine.steps, time.process_time() - started, dict(exploration.decider.counts)


def replay_case(source: Loaded, entry: EntryPoint, options: Options, case: CallCase) -> State:
    """Follow a case's recorded choices through the program as it is now."""
    if options.reachable or options.invariant is not None:
        from everypath.generate.reachable_inputs import replay_arranged

        return replay_arranged(source, entry, options, case)
    if case.choices[:1] == (-1,):
        from everypath.generate.known_inputs import replay_known

        return replay_known(source, entry, options, case)
    if case.choices and case.choices[0] < -1:
        from everypath.generate.more_iterations import replay_deeper

        return replay_deeper(source, entry, options, case)
    exploration = exploration_of(source, entry, options)
    state, _ = initial(exploration, source, entry)
    return exploration.replay(state, case.choices)


def single_entry(source: Loaded, target: str) -> EntryPoint:
    """The one entry that the target names."""
    if len(source.entries) != 1:
        names = ", ".join(e.qualname for e in source.entries) or "none"
        raise BadInput(f"{target} names {len(source.entries)} entries ({names}); name one as FILE::function")
    entry = source.entries[0]
    if entry.problems:
        raise BadInput(entry.problems[0].message, entry.problems[0].span)
    return entry


def method_of(source: Loaded, entry: EntryPoint) -> Method:
    """The entry's body."""
    method = source.program.find_method(entry.cls, entry.method)
    if method is None:
        raise BadInput(f"{entry.qualname} has no body to explore", entry.span)
    return method


def entry_of(entry: EntryPoint, source: Loaded) -> Entry:
    """The entry as test cases name it."""
    outer, _, name = entry.qualname.removesuffix(".setter").rpartition(".")
    cls = None if entry.kind == "function" else outer
    name = name if entry.kind == "setter" else entry.method
    return Entry(entry.module, entry.span.file, cls, name, entry.kind, entry.span.line)


def lines_of(state: State) -> Iterator[tuple[str, int]]:
    """The source lines that a replayed path executed."""
    return iter(traces.lines(state))
