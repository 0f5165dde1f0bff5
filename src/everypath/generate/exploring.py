"""Exploring one entry of a loaded program: its paths become cases, or one recorded path is followed again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from everypath.cases.collect import Collector
from everypath.cases.concretise import concretise
from everypath.cases.model import CallCase, CallSuite, Problem
from everypath.errors import BadInput, Unsupported
from everypath.explore import traces
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.explore.search.freedom import Freedom
from everypath.explore.search.starts import Begun, Found, begin, replay
from everypath.explore.search.subject import Subject
from everypath.explore.search.uncovered import Stopped, with_known_inputs, with_more_iterations, with_other_types
from everypath.explore.state import State
from everypath.ir.types import BOOL, BYTES, FLOAT, INT, NONE, STR, Type, UnionType
from everypath.languages.base import EntryPoint, Loaded
from everypath.languages.every import language_of
from everypath.logic.clock import now
from everypath.options import POINTS, Options
from everypath.paths import Guess, KnownInputs, OpenInputs, Start, bounds_of
from everypath.records import replace

if TYPE_CHECKING:
    # Few runs go on from an earlier one.
    from everypath.generate.before import Before
    from everypath.generate.parking import Slot

_MOST_RECIPES = 400
"""The most ways to make the inputs of one entry that are tried."""
_FIRST = 0.75
"""The share of an entry's time for arbitrary inputs; the rest is for finding what they have left out."""
_SUMMARIES = "summaries"
"""Below the folder of the store."""
Progress = Callable[[int, int, int], None]


def contradictions(entry: EntryPoint) -> list[Problem]:
    """A problem for each parameter whose default is not of its declared type, and so is not tried."""
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
"""The types that a plain default may have, with the classes that they accept."""


def explore_entry(
    source: Loaded,
    entry: EntryPoint,
    options: Options,
    suite: CallSuite,
    progress: Progress | None = None,
    before: Before | None = None,
    slot: Slot | None = None,
) -> None:
    """Collect the cases of one entry into the suite; the counts are right even after an interrupt.

    Where there was a search `before`, this one goes on from its frontier, or else starts anew, and finds what it lacks.
    A `slot` has the states of an earlier search of this process, and takes those of this one.
    """
    if slot is not None:
        # Kept states know no other program than their own.
        source, entry = slot.program(source, entry, options)
    subject = source.subject(entry)
    if not options.compositional and options.particular:
        # What called functions do matters only as far as it leads somewhere.
        options = replace(options, compositional="deep")
    suite.branches = tuple(sorted(traces.branches_of(subject.program, subject.method)))
    if options.compositional and options.store:
        _keep_summaries(subject, options.store)
    collector = Collector(
        entry.case_entry(), suite, source.describer(), freedom=Freedom(subject.semantics, subject.offers)
    )
    if before is not None:
        collector.known = before.keys
    show = _silent if progress is None else progress
    started = now()
    if options.select.startswith(POINTS):
        from everypath.generate.guided import has_points

        if not has_points(subject, entry, options, suite):
            return
    try:
        if options.reachable or options.invariant is not None:
            _explore_reachable(subject, entry, options, collector, show, before)
        else:

            def explore(guess: Guess, options: Options, collector: Collector) -> None:
                own = slot if slot is not None and slot.suits(options, guess) else None
                _explore_open(subject.guessing(guess), entry, options, collector, show, guess, before, own)

            guesses = before.guesses if before is not None else ()
            for guess in guesses or ((),):
                explore(guess, options, collector)
            if collector.refuted and not guesses:
                # Few functions are refused a guess.
                from everypath.generate.guessing import explore_other_guesses

                explore_other_guesses(explore, entry, options, collector, started)
    finally:
        suite.stats.seconds = now() - started


def _keep_summaries(subject: Subject, store: str) -> None:
    """Let later runs have the summaries of this one, and this one those of earlier runs."""
    # Few runs have any.
    from everypath.explore.search.summaries.composing import keep_on, shelf_of
    from everypath.explore.search.summaries.shelf import Folder
    from everypath.generate.kept import Contents

    if shelf_of(subject.semantics) is None:
        folder, by_operation = Path(store) / _SUMMARIES, subject.semantics.runs_by_operation
        keep_on(subject.semantics, Folder(folder, Contents().surroundings(), by_operation))


def _silent(paths: int, cases: int, cuts: int) -> None:
    pass


def _explore_open(
    subject: Subject,
    entry: EntryPoint,
    options: Options,
    collector: Collector,
    progress: Progress,
    guess: Guess,
    before: Before | None,
    slot: Slot | None = None,
) -> None:
    """Explore arbitrary inputs first, then look for branches that bounds and fixed values have left out."""
    suite, stats = collector.suite, collector.suite.stats

    def add(found: Found) -> None:
        """Keep the guess with the path, which cannot be followed again without it."""
        assert isinstance(found.start, (OpenInputs, KnownInputs))
        if options.criteria and not _is_wanted(options, found):
            suite.stats.left_out += 1
            return
        collector.add(replace(found, start=replace(found.start, guess=guess)) if guess else found)

    def within(seconds: float) -> Options:
        return replace(options, limits=replace(options.limits, time=seconds))

    deadline = now() + options.limits.time
    first = within(_FIRST * options.limits.time)
    begun = None if slot is None else slot.again(first)
    begun = begun or begin(subject, first, OpenInputs(bounds_of(options.limits)))
    if slot is not None:
        slot.begin(begun)
        collector.leaves.keeps = True
    machine = begun.exploration.machine
    stopped = Stopped()
    # A selection that says exactly what it wants is not served by other branches.
    any_branch = not options.particular and (before is None or before.enough is None)
    old = () if before is None else before.cases
    try:
        for found in _added(subject, options, begun, collector, add, before, OpenInputs(guess=guess), slot):
            stopped.see(found.state)
            progress(stats.paths, stats.cases, sum(stats.cut.values()))
        if any_branch:
            fixed = stopped.first or machine.fixed
            kept = stopped.states if fixed else None
            _look_again(subject, entry, lambda: within(deadline - now()), collector, add, kept, old)
        if any(case.unreached is not None for case in suite.cases):
            # Few functions have such errors, and what looks for calls is much to load.
            from everypath.generate.reaching import reach_errors

            reach_errors(subject, within(deadline - now()), collector, guess)
        collector.finish((*options.assume, *(each.text for each in entry.requires)))
        if slot is not None:
            slot.leave(suite.frontier, collector.leaves, before)
    finally:
        _count(collector, begun.exploration)


def _look_again(
    subject: Subject,
    entry: EntryPoint,
    left: Callable[[], Options],
    collector: Collector,
    add: Callable[[Found], None],
    stopped: list[State] | None,
    old: Sequence[CallCase],
) -> None:
    """Look for branches that were left out; known inputs are tried where paths were `stopped`, or values fixed."""
    suite, options = collector.suite, left()
    if suite.stats.cut["loop"] and options.guided:
        for found in with_more_iterations(subject, options, _covered(suite.cases, old)):
            add(found)
    for found in with_other_types(subject, left(), _covered(suite.cases, old)) if subject.others else ():
        add(found)
    if stopped is not None:
        covered, there = _covered(suite.cases, old), old or suite.cases
        for found in with_known_inputs(subject, left(), stopped, covered, there):
            cases = len(suite.cases)
            add(found)
            if len(suite.cases) > cases:
                _tell_known(collector, entry)


def _is_wanted(options: Options, found: Found) -> bool:
    """Whether the project's own criteria want a path; what has no end is counted whatever they say."""
    from everypath.explore.search.criteria import wanted

    return not isinstance(found.state.outcome, (Finished, Uncaught)) or wanted(options.criteria, found.state)


def _added(
    subject: Subject,
    options: Options,
    begun: Begun,
    collector: Collector,
    add: Callable[[Found], None],
    before: Before | None,
    start: Start,
    slot: Slot | None = None,
) -> Iterator[Found]:
    """All paths, or those that the selection wants, or those that an earlier search has left; each has been added."""
    collector.leaves.begin(begun.start)
    leaves = None if before is None else before.leaves(start)
    if before is not None and leaves is not None:
        kept = {} if slot is None else slot.waiting(leaves, options.limits.loops)
        yield from before.continued(begun, leaves, collector, add, kept)
        return
    if options.guided:
        # What guides a search is much to load.
        from everypath.generate.guided import guided_paths

        yield from guided_paths(subject, options, begun, collector, add)
        return
    for found in begun.paths():
        add(found)
        yield found


def _covered(*cases: Iterable[CallCase]) -> set[str]:
    return {taken for case in chain(*cases) for taken in case.covers}


def _tell_known(collector: Collector, entry: EntryPoint) -> None:
    what = f"{entry.qualname}: known inputs are tried where paths were stopped or values fixed"
    problem = Problem("concretised", entry.span.file, entry.span.line, what)
    if problem not in collector.fixed:
        collector.fixed.append(problem)


def _explore_reachable(
    subject: Subject,
    entry: EntryPoint,
    options: Options,
    collector: Collector,
    progress: Progress,
    before: Before | None,
) -> None:
    """Explore inputs that are made by calls, or that satisfy an invariant."""
    # Few runs ask for them, and finding the calls is much to load.
    from everypath.explore.search.arranging import reachable_starts

    suite, stats, span = collector.suite, collector.suite.stats, entry.span
    deadline = now() + options.limits.time
    try:
        for number, start in enumerate(reachable_starts(subject, options)):
            left = deadline - now()
            if number and (left <= 0 or number >= _MOST_RECIPES):
                stats.cut["time"] += 1
                what = "the time for exploring is over; raise --time" if left <= 0 else f"only {number} ways are tried"
                message = f"{entry.qualname}: {what} (there are more ways to make its inputs)"
                suite.problems.append(Problem("cut", span.file, span.line, message))
                break
            limits = replace(options.limits, time=max(left, 0.001))
            begun = begin(subject, replace(options, limits=limits), start)
            try:
                for _ in _added(subject, options, begun, collector, collector.add, before, start):
                    progress(stats.paths, stats.cases, sum(stats.cut.values()))
            finally:
                _count(collector, begun.exploration)
    except Unsupported as problem:
        place = problem.span if problem.span.line else span
        message = f"{entry.qualname}: {problem.message}"
        stats.unsupported.append(Problem("unsupported", place.file, place.line, message))
    invariant = () if options.invariant is None else (f"{options.invariant}()",)
    collector.finish((*options.assume, *(each.text for each in entry.requires), *invariant))


def _count(collector: Collector, exploration: Exploration) -> None:
    """Add the cost of exploring from one start to the counts of the entry."""
    stats, machine = collector.suite.stats, exploration.machine
    stats.states += machine.states
    stats.steps += machine.steps
    stats.infeasible += machine.infeasible + collector.impossible
    collector.impossible = 0
    fixed = [Problem("concretised", span.file, span.line, what) for span, what in sorted(machine.fixed)]
    stats.concretised += [problem for problem in (*fixed, *collector.fixed) if problem not in stats.concretised]
    for layer, count in exploration.decider.counts.items():
        stats.decisions[layer] = stats.decisions.get(layer, 0) + count


def explore_only(target: str, options: Options, solve: bool = False) -> tuple[int, int, float, dict[str, int]]:
    """Cases, steps, CPU seconds and decisions by layer for one entry; with `solve`, each path is solved for inputs."""
    source = language_of(target).loader(options)(target)
    subject = source.subject(single_entry(source, target))
    started = time.process_time()
    begun = begin(subject, options, OpenInputs(bounds_of(options.limits)))
    describer = source.describer()
    cases = 0
    for found in begun.paths():
        if isinstance(found.state.outcome, (Finished, Uncaught)):
            cases += 1
            if solve:
                concretise(found.state, found.call, describer)
    exploration = begun.exploration
    return cases, exploration.machine.steps, time.process_time() - started, dict(exploration.decider.counts)


def replay_case(source: Loaded, entry: EntryPoint, options: Options, case: CallCase) -> State:
    """Follow the path of a case through the program as it is now."""
    return replay(source.subject(entry), options, case.path).state


def single_entry(source: Loaded, target: str) -> EntryPoint:
    """The only entry that the target names."""
    if len(source.entries) != 1:
        names = ", ".join(e.qualname for e in source.entries) or "none"
        raise BadInput(f"{target} names {len(source.entries)} entries ({names}); name one as FILE::function")
    entry = source.entries[0]
    if entry.problems:
        raise BadInput(entry.problems[0].message, entry.problems[0].span)
    return entry


def lines_of(state: State) -> Iterator[tuple[str, int]]:
    """The source lines that a replayed path executed."""
    return iter(traces.lines(state))
