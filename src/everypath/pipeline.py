"""The only module that knows every stage: source -> program -> paths -> cases -> validated files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from everypath.emit import pytest_writer
from everypath.errors import BadInput, Span
from everypath.explore import traces
from everypath.explore.explorer import Call, Exploration
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.state import State
from everypath.frontends.python import EntryPoint, Loaded, load_target
from everypath.heap.assumptions import Assumption, check, parse_all
from everypath.ir.program import Method
from everypath.options import Options
from everypath.records import asdict, dataclass, field, replace
from everypath.suite.collect import Collector
from everypath.suite.defaults import build_plans
from everypath.suite.model import Entry, Problem, Suite, TestCase
from everypath.suite.naming import name_cases
from everypath.validate.agreement import Statements, disagreement
from everypath.validate.cases import validate
from everypath.validate.process import discard
from everypath.validate.runner import Setting, announce
from everypath.validate.sequence import rehearsal_setting, settle
from everypath.validate.verdict import REFUSED, Verdict

Progress = Callable[[int, int, int], None]
_Key = tuple[str, str]
"""module and qualified name of an entry"""
_T = TypeVar("_T")
_BATCH = 200
"""Cases that are run in one process of their own."""


@dataclass(slots=True)
class Run:
    """The result of generating for some targets."""

    suites: list[Suite] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    variants: dict[str, int] = field(default_factory=dict)
    """case id -> how its inputs are built in the emitted test"""
    scripts: dict[str, str] = field(default_factory=dict)
    """case id -> the script that validated it"""
    interrupted: bool = False
    defective: bool = False
    """whether some entry could not be finished because of a defect of ours"""
    unusable: set[str] = field(default_factory=set)
    """import names of modules that cannot be imported"""
    modules: dict[str, list[Suite]] = field(default_factory=dict)
    """import name -> suites, in order"""
    roots: dict[str, Path] = field(default_factory=dict)
    """import name -> folder that Python must search to find it"""
    restored: set[str] = field(default_factory=set)
    """import names whose tests change state that must be put back after each"""
    on_interrupt: Callable[[int], None] | None = None
    """hears how many cases are still to be run when an interrupt arrives"""

    def interrupt(self, cases: int) -> None:
        """Begin nothing new; the cases at hand are still run."""
        self.interrupted = True
        if self.on_interrupt is not None:
            self.on_interrupt(cases)

    @property
    def cases(self) -> list[TestCase]:
        """Every case of every suite."""
        return [case for suite in self.suites for case in suite.cases]

    @property
    def findings(self) -> list[TestCase]:
        """The cases a person should look at."""
        return [case for case in self.cases if case.finding is not None]

    @property
    def contradicted(self) -> bool:
        """Whether assumptions left some entry without any input."""
        return any(problem.kind == "assumption" for suite in self.suites for problem in suite.problems)


def generate(
    targets: list[str],
    options: Options,
    progress: Progress | None = None,
    ready: Callable[[Sequence[Loaded]], None] | None = None,
    interrupted: Callable[[int], None] | None = None,
) -> Run:
    """Explore, concretise and validate every entry of the targets; an interrupt keeps what was found.

    `ready` sees the targets before anything is explored and may refuse them.
    `interrupted` hears how many cases are still to be run when an interrupt arrives.
    """
    run = Run(on_interrupt=interrupted)
    try:
        loaded = [load_target(target, options.types) for target in targets]
        for source in loaded:
            run.problems.extend(source_problems(source))
            if run.roots.setdefault(source.module, source.root) != source.root:
                message = f"another target is also imported as {source.module!r}; generate their tests in separate runs"
                raise BadInput(message, Span(source.file))
        settings = _settings(loaded, options)
        if ready is not None:
            ready(loaded)
        try:
            _generate_all(run, list(zip(targets, loaded)), settings, progress)
            _settle(run, options)
        except KeyboardInterrupt:
            _stop(run, options)
    finally:
        discard()
    return run


def _generate_all(
    run: Run, loaded: Sequence[tuple[str, Loaded]], settings: dict[_Key, Options], progress: Progress | None
) -> None:
    seen: set[_Key] = set()
    for target, source in loaded:
        for entry in source.entries:
            key = (source.module, entry.qualname)
            if entry.problems or key in seen or source.module in run.unusable or run.interrupted:
                continue
            seen.add(key)
            _generate_entry(run, target, source, entry, settings[key], progress)


def _settings(loaded: Sequence[Loaded], options: Options) -> dict[_Key, Options]:
    """Each entry's options: of the assumptions only those that are about its inputs; each must be about some entry."""
    entries = {(source.module, e.qualname): (source, e) for source in loaded for e in source.entries if not e.problems}
    assume: dict[_Key, list[str]] = {key: [] for key in entries}
    for assumption in parse_all(options.assume):
        errors: dict[_Key, BadInput] = {}
        for key, (source, entry) in entries.items():
            try:
                _checked(source, entry, [assumption])
                assume[key].append(assumption.text)
            except BadInput as error:
                errors[key] = error
        if errors and len(errors) == len(entries):
            raise _fits_nowhere(assumption, errors, {key: entry for key, (_, entry) in entries.items()})
    return {key: replace(options, assume=tuple(texts)) for key, texts in assume.items()}


def _fits_nowhere(assumption: Assumption, errors: dict[_Key, BadInput], entries: dict[_Key, EntryPoint]) -> BadInput:
    """What is wrong with it for the entry that it is most likely meant for, the first with such inputs."""
    roots = {name.partition(".")[0] for name in assumption.names}

    def inputs(entry: EntryPoint) -> set[str]:
        return {param.name for param in entry.params[entry.kind in ("constructor", "class") :]}

    error = errors[max(errors, key=lambda key: len(roots & inputs(entries[key])))]
    others = f" (and it is about no other of the {len(errors)} entries either)" if len(errors) > 1 else ""
    return BadInput(f"{error.message}{others}", error.span)


def _checked(source: Loaded, entry: EntryPoint, assumptions: Sequence[Assumption]) -> tuple[Assumption, ...]:
    return check(assumptions, source.program, method_of(source, entry), entry.cls, entry.kind == "constructor")


def _exploration(source: Loaded, entry: EntryPoint, options: Options) -> Exploration:
    """The exploration of one entry; every assumption must be about its inputs."""
    assumptions = _checked(source, entry, parse_all(options.assume))
    return Exploration(source.program, options, assumptions=assumptions)


def _initial(exploration: Exploration, source: Loaded, entry: EntryPoint) -> tuple[State, Call]:
    """The state in which the entry is about to be called, after what importing the program does."""
    constructs = entry.kind == "constructor"
    return exploration.initial(method_of(source, entry), entry.cls, constructs, entry.lazy, source.effects)


def _generate_entry(
    run: Run, target: str, source: Loaded, entry: EntryPoint, options: Options, progress: Progress | None
) -> None:
    suite = Suite(_target_of(target, source, entry), _shown(options))
    run.suites.append(suite)
    run.modules.setdefault(source.module, []).append(suite)
    try:
        if options.validate:
            # While this process explores, the others import the program.
            for setting in (Setting(source.root, options.fence), rehearsal_setting(source.root, options.fence)):
                announce(setting, {entry.module: entry.span.file})
        explore_entry(source, entry, options, suite, progress)
    except KeyboardInterrupt:
        run.interrupt(len(suite.cases))
    except BadInput:
        raise
    except Exception as error:
        _failed(run, suite, entry, error)
    try:
        _finish(run, suite, source, options)
    except BadInput as error:
        _cannot_run(run, suite, source, error)
    except Exception as error:
        _failed(run, suite, entry, error)
        _keep_validated(suite, options)


def _failed(run: Run, suite: Suite, entry: EntryPoint, error: Exception) -> None:
    """A defect of ours costs the entry where it shows, not the others."""
    if os.environ.get("EVERYPATH_DEBUG"):
        raise error
    run.defective = True
    message = (
        f"{entry.qualname}: {type(error).__name__}: {error}; this is a defect of Everypath: "
        "please report it with the target, EVERYPATH_DEBUG=1 shows where it happened"
    )
    suite.problems.append(Problem("internal error", entry.span.file, entry.span.line, message))


def _stop(run: Run, options: Options) -> None:
    """Keep what was run; whether all pass together was not tried, so state is restored in between."""
    run.interrupted = True
    run.restored.update(run.modules)
    for suite in run.suites:
        _keep_validated(suite, options)


def _keep_validated(suite: Suite, options: Options) -> None:
    if options.validate:
        suite.cases = [case for case in suite.cases if case.validated]
        suite.stats.cases = len(suite.cases)


def _insist(run: Run, work: Callable[[], _T], cases: int) -> _T:
    """The work's result: a first interrupt means that nothing else is begun, only a second one ends the work."""
    try:
        return work()
    except KeyboardInterrupt:
        if run.interrupted:
            raise
        run.interrupt(cases)
        return work()


def _cannot_run(run: Run, suite: Suite, source: Loaded, error: BadInput) -> None:
    """The module cannot be imported: nothing of it can be tested, other modules can."""
    run.unusable.add(source.module)
    span = error.span if error.span.file else Span(source.file)
    advice = "tests are run before they are written, so make the module importable"
    suite.problems.append(Problem("import", span.file, span.line, f"{error.message}; {advice}"))


def _settle(run: Run, options: Options) -> None:
    """Make sure that tests which pass alone also pass together, in one process and in file order."""
    for module, suites in run.modules.items() if options.validate else ():
        rehearse = partial(
            settle, suites, run.variants, root=run.roots[module], options=options.fence, scripts=run.scripts
        )
        settled = _insist(run, rehearse, sum(len(suite.cases) for suite in suites))
        if settled.restore_state:
            run.restored.add(module)
        for suite in suites:
            for case in suite.cases:
                if case.id in settled.unstable:
                    message = f"{case.entry.qualified}: the result changes from run to run; no test is written"
                    suite.problems.append(Problem("unstable", case.entry.file, case.entry.line, message))
            suite.cases = [case for case in suite.cases if case.id not in settled.unstable]
            suite.stats.cases = len(suite.cases)


def explore_entry(
    source: Loaded, entry: EntryPoint, options: Options, suite: Suite, progress: Progress | None = None
) -> None:
    """Collect the cases of one entry into the suite; the counts stay true when it is interrupted."""
    started = time.monotonic()
    exploration = _exploration(source, entry, options)
    state, call = _initial(exploration, source, entry)
    collector = Collector(entry_of(entry, source), call, suite)
    try:
        for last in exploration.paths(state):
            collector.add(last)
            if progress is not None:
                progress(suite.stats.paths, suite.stats.cases, sum(suite.stats.cut.values()))
        collector.finish(options.assume)
    finally:
        stats = suite.stats
        stats.states = exploration.machine.states
        stats.concretised = [
            Problem("concretised", span.file, span.line, what) for span, what in sorted(exploration.machine.fixed)
        ]
        stats.steps = exploration.machine.steps
        stats.infeasible = exploration.machine.infeasible + collector.impossible
        stats.decisions = dict(exploration.decider.counts)
        stats.seconds = time.monotonic() - started


def explore_only(target: str, options: Options) -> tuple[int, int, float, dict[str, int]]:
    """Cases, steps, CPU seconds and decisions by layer of exploring one entry, nothing made of its paths."""
    source = load_target(target, options.types)
    entry = single_entry(source, target)
    exploration = _exploration(source, entry, options)
    started = time.process_time()
    state, _ = _initial(exploration, source, entry)
    cases = 0
    for last in exploration.paths(state):
        cases += isinstance(last.outcome, (Finished, Uncaught))  # noqa: UP038
    return cases, exploration.machine.steps, time.process_time() - started, dict(exploration.decider.counts)


def replay_case(source: Loaded, entry: EntryPoint, options: Options, case: TestCase) -> State:
    """Follow a case's recorded choices through the program as it is now."""
    exploration = _exploration(source, entry, options)
    state, _ = _initial(exploration, source, entry)
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
    cls = None if entry.kind == "function" else entry.qualname.rpartition(".")[0]
    return Entry(entry.module, entry.span.file, cls, entry.method, entry.kind, entry.span.line)


def render(run: Run, module: str, import_path: str | None = None) -> str:
    """The pytest file of one module; `import_path` is where it finds the module, from its own folder."""
    return pytest_writer.render(
        run.modules[module], variants=run.variants, import_path=import_path, restore_state=module in run.restored
    )


def render_run_json(run: Run) -> str:
    """The run as one JSON object."""
    unsupported = {problem for suite in run.suites for problem in suite.stats.unsupported}
    from everypath.emit.json_writer import render_json

    return render_json(run.suites, [p for p in dict.fromkeys(run.problems) if p not in unsupported])


def _target_of(target: str, source: Loaded, entry: EntryPoint) -> str:
    return f"{target.partition('::')[0]}::{entry.qualname}"


def _shown(options: Options) -> dict[str, object]:
    return asdict(options)


def source_problems(source: Loaded) -> list[Problem]:
    """What the front end could not handle, for the module and for each entry."""
    found = [*source.problems, *(p for entry in source.entries for p in entry.problems)]
    return [Problem(p.kind, p.span.file, p.span.line, p.message) for p in found]


def _finish(run: Run, suite: Suite, source: Loaded, options: Options) -> None:
    """Name the cases, run them on the real interpreter, and keep those that behave as predicted.

    They run in batches: an interrupt costs the batch, not those before it.
    """
    suite.plans = build_plans(source.program, suite.cases)
    named = _insist(run, lambda: list(name_cases(suite.cases)), len(suite.cases))
    if not options.validate or not named:
        suite.cases = named
        return
    suite.cases = []
    statements = Statements(Path(source.file).read_bytes())
    try:
        for start in range(0, len(named), _BATCH):
            batch = Suite(suite.target, suite.options, named[start : start + _BATCH], suite.plans)
            runs = partial(validate, batch, root=source.root, options=options.fence, scripts=run.scripts)
            for case, verdict, variant in _insist(run, runs, len(named) - start):
                strayed = disagreement(case, verdict, statements) if verdict.passed else None
                if strayed is not None:
                    suite.problems.append(_defect(case, case.entry.file, case.entry.line, strayed))
                elif verdict.passed:
                    suite.cases.append(replace(case, validated=True))
                    run.variants[case.id] = variant
                elif verdict.status == REFUSED:
                    _note_refusal(suite, _verdict_problem(case, verdict))
                else:
                    suite.problems.append(_verdict_problem(case, verdict))
    finally:
        suite.stats.cases = len(suite.cases)


def _note_refusal(suite: Suite, problem: Problem) -> None:
    """What the fence refuses counts as unsupported, once per place."""
    unsupported = replace(problem, kind="unsupported")
    if unsupported not in suite.stats.unsupported:
        suite.stats.unsupported.append(unsupported)


def _verdict_problem(case: TestCase, verdict: Verdict) -> Problem:
    status, text = verdict.status, verdict.text
    line = verdict.line or case.entry.line
    file = verdict.file or case.entry.file
    if status in ("failed", "error"):
        return _defect(case, file, line, text)
    said = {
        "refused": f"tries to {text}; pass --allow-io to let it",
        "timeout": f"{text}; if it would end, raise --case-seconds",
    }
    return Problem(status, file, line, f"{case.entry.qualified}: {said.get(status, text)}")


def _defect(case: TestCase, file: str, line: int, text: str) -> Problem:
    where = f"when {' and '.join(case.condition[:4])}" if case.condition else "on its only path"
    return Problem("defect", file, line, f"{case.entry.qualified} {where} ran differently than predicted: {text}")


def lines_of(state: State) -> Iterator[tuple[str, int]]:
    """The source lines that a replayed path executed."""
    return iter(traces.lines(state))
