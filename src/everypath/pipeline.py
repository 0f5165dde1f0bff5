"""The only module that knows every stage: source -> program -> paths -> cases -> validated files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from everypath.emit import pytest_writer
from everypath.emit.json_writer import render_json
from everypath.errors import BadInput
from everypath.explore import traces
from everypath.explore.explorer import Exploration
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.state import State
from everypath.frontends.python import EntryPoint, Loaded, load_target
from everypath.ir.program import Method
from everypath.options import Options
from everypath.suite.collect import Collector
from everypath.suite.defaults import build_plans
from everypath.suite.model import Entry, Problem, Suite, TestCase
from everypath.suite.naming import name_cases
from everypath.validate.agreement import Statements, disagreement
from everypath.validate.cases import validate
from everypath.validate.sequence import settle
from everypath.validate.verdict import Verdict

Progress = Callable[[int, int, int], None]


@dataclass(slots=True)
class Run:
    """The result of generating for some targets."""

    suites: list[Suite] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    variants: dict[str, int] = field(default_factory=dict)
    """case id -> how its inputs are built in the emitted test"""
    interrupted: bool = False
    modules: dict[str, list[Suite]] = field(default_factory=dict)
    """import name -> suites, in order"""
    roots: dict[str, Path] = field(default_factory=dict)
    """import name -> folder that Python must search to find it"""
    restored: set[str] = field(default_factory=set)
    """import names whose tests change state that must be put back after each"""

    @property
    def cases(self) -> list[TestCase]:
        """Every case of every suite."""
        return [case for suite in self.suites for case in suite.cases]

    @property
    def findings(self) -> list[TestCase]:
        """The cases a person should look at."""
        return [case for case in self.cases if case.finding is not None]


def generate(targets: list[str], options: Options, progress: Progress | None = None) -> Run:
    """Explore, concretise and validate every entry of the targets; an interrupt keeps what was found."""
    run = Run()
    loaded = [load_target(target, options.types) for target in targets]
    for target, source in zip(targets, loaded):
        run.problems.extend(source_problems(source))
        run.roots[source.module] = source.root
        for entry in source.entries:
            if entry.problems:
                continue
            suite = Suite(_target_of(target, source, entry), _shown(options))
            run.suites.append(suite)
            run.modules.setdefault(source.module, []).append(suite)
            try:
                explore_entry(source, entry, options, suite, progress)
            except KeyboardInterrupt:
                run.interrupted = True
            _finish(run, suite, source, options)
            if run.interrupted:
                _settle(run, options)
                return run
    _settle(run, options)
    return run


def _settle(run: Run, options: Options) -> None:
    """Make sure that tests which pass alone also pass together, in one process and in file order."""
    for module, suites in run.modules.items() if options.validate else ():
        settled = settle(suites, run.variants, root=run.roots[module], options=options.fence)
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
    exploration = Exploration(source.program, options)
    state, call = exploration.initial(method_of(source, entry), _constructed(entry))
    collector = Collector(entry_of(entry, source), call, suite)
    try:
        for last in exploration.paths(state):
            collector.add(last)
            if progress is not None:
                progress(suite.stats.paths, suite.stats.cases, sum(suite.stats.cut.values()))
    finally:
        stats = suite.stats
        stats.states = exploration.machine.states
        stats.steps = exploration.machine.steps
        stats.infeasible = exploration.machine.infeasible
        stats.decisions = dict(exploration.decider.counts)
        stats.seconds = time.monotonic() - started


def explore_only(target: str, options: Options) -> tuple[int, int, float, dict[str, int]]:
    """Cases, steps, CPU seconds and decisions by layer of exploring one entry, nothing made of its paths."""
    source = load_target(target, options.types)
    entry = single_entry(source, target)
    exploration = Exploration(source.program, options)
    started = time.process_time()
    state, _ = exploration.initial(method_of(source, entry), _constructed(entry))
    cases = 0
    for last in exploration.paths(state):
        cases += isinstance(last.outcome, Finished | Uncaught)
    return cases, exploration.machine.steps, time.process_time() - started, dict(exploration.decider.counts)


def replay_case(source: Loaded, entry: EntryPoint, options: Options, case: TestCase) -> State:
    """Follow a case's recorded choices through the program as it is now."""
    exploration = Exploration(source.program, options)
    state, _ = exploration.initial(method_of(source, entry), _constructed(entry))
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
    return render_json(run.suites)


def _constructed(entry: EntryPoint) -> str | None:
    return entry.cls if entry.kind == "constructor" else None


def _target_of(target: str, source: Loaded, entry: EntryPoint) -> str:
    return f"{target.partition('::')[0]}::{entry.qualname}"


def _shown(options: Options) -> dict[str, object]:
    return asdict(options)


def source_problems(source: Loaded) -> list[Problem]:
    """What the front end could not handle, for the module and for each entry."""
    found = [*source.problems, *(p for entry in source.entries for p in entry.problems)]
    return [Problem(p.kind, p.span.file, p.span.line, p.message) for p in found]


def _finish(run: Run, suite: Suite, source: Loaded, options: Options) -> None:
    """Name the cases, run them on the real interpreter, and keep those that behave as predicted."""
    suite.plans = build_plans(source.program, suite.cases)
    suite.cases = list(name_cases(suite.cases))
    if options.validate and suite.cases:
        kept = []
        statements = Statements(Path(source.file).read_text(encoding="utf-8"))
        for case, verdict, variant in validate(suite, root=source.root, options=options.fence):
            strayed = disagreement(case, verdict, statements) if verdict.passed else None
            if strayed is not None:
                suite.problems.append(_defect(case, case.entry.file, case.entry.line, strayed))
            elif verdict.passed:
                kept.append(replace(case, validated=True))
                run.variants[case.id] = variant
            else:
                suite.problems.append(_verdict_problem(case, verdict))
        suite.cases = kept
        suite.stats.cases = len(kept)


def _verdict_problem(case: TestCase, verdict: Verdict) -> Problem:
    status, text = verdict.status, verdict.text
    line = verdict.line or case.entry.line
    file = verdict.file or case.entry.file
    if status in ("failed", "error"):
        return _defect(case, file, line, text)
    return Problem(status, file, line, f"{case.entry.qualified}: {text}")


def _defect(case: TestCase, file: str, line: int, text: str) -> Problem:
    where = f"when {' and '.join(case.condition[:4])}" if case.condition else "on its only path"
    return Problem("defect", file, line, f"{case.entry.qualified} {where} ran differently than predicted: {text}")


def lines_of(state: State) -> Iterator[tuple[str, int]]:
    """The source lines that a replayed path executed."""
    return iter(traces.lines(state))
