"""The only module that knows every stage: source -> program -> paths -> cases -> validated files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from everypath.cases import store
from everypath.cases.defaults import build_plans
from everypath.cases.kinds import is_call_suite
from everypath.cases.minimise import fewest, fewest_of_all
from everypath.cases.model import CallCase, CallSuite, Problem
from everypath.cases.naming import name_cases
from everypath.cases.store import moved
from everypath.errors import BadInput, Span, Unsupported
from everypath.generate.exploring import (
    Progress,
    check_invariant,
    checked_assumptions,
    contradictions,
    explore_entry,
    explore_only,
    lines_of,
    replay_case,
    single_entry,
)
from everypath.generate.runs import Run
from everypath.heap.assumptions import Assumption, parse_all
from everypath.languages.python.frontend import EntryPoint, Loaded, Sources, load_target
from everypath.languages.python.frontend import Problem as SourceProblem
from everypath.languages.python.runtime.agreement import disagreement
from everypath.languages.python.runtime.cases import validate
from everypath.languages.python.runtime.runner import Setting, announce
from everypath.languages.python.runtime.sequence import rehearsal_setting, settle
from everypath.languages.python.runtime.steadiness import unsteady
from everypath.languages.python.runtime.verdict import REFUSED, UNWRITTEN, Verdict
from everypath.languages.python.subject import method_of
from everypath.languages.python.targets import Source
from everypath.languages.python.writers import pytest_writer
from everypath.options import Options
from everypath.planning.plan import Plan, Shares, make_plan
from everypath.planning.selection import Selection
from everypath.records import asdict, dataclass, replace
from everypath.report.summary import Row
from everypath.workers.reserve import kept_workers

__all__ = [
    "Run",
    "explore_entry",
    "explore_only",
    "generate",
    "lines_of",
    "method_of",
    "render",
    "render_run_json",
    "replay_case",
    "single_entry",
    "source_problems",
]

_Key = tuple[str, str]
"""module and qualified name of an entry"""
_T = TypeVar("_T")
_OUR_DEFECT = (
    "this is a defect of Everypath: please report it with the target, EVERYPATH_DEBUG=1 shows where it happened"
)
_BATCH = 200
"""Cases that are run in one process of their own."""


def generate(
    targets: list[str],
    options: Options,
    progress: Progress | None = None,
    ready: Callable[[Plan], None] | None = None,
    interrupted: Callable[[int], None] | None = None,
    done: Callable[[Run, str], None] | None = None,
    keeps: Callable[[str], bool] = lambda module: False,
) -> Run:
    """Explore, concretise and validate every entry of the targets; an interrupt keeps what was found.

    `ready` sees what will be done before anything is explored and may refuse it.
    `interrupted` hears how many cases are still to be run when an interrupt arrives.
    `done` hears of each module when its cases are complete, and may then have the run forget them.
    `keeps` says of a module whether stored cases of functions that did not change go with the new ones.
    """
    run = Run(on_interrupt=interrupted)
    with kept_workers():
        plan = make_plan(targets, options)
        for left in plan.left:
            run.failed |= left.named
            problem = Problem("refused", left.target, 0, left.reason)
            run.rows.append(Row(left.target, left.module, "", refused=problem))
        parsed = Sources()
        early = _load_all(run, plan, options, parsed) if options.assume or options.invariant is not None else {}
        check_invariant([source.program for source in early.values() if source is not None], options.invariant)
        settings = _settings(early, options)
        if ready is not None:
            ready(plan)

        def load(source: Source) -> Loaded | None:
            return early.pop(source) if source in early else _load(run, plan, options, source, parsed)

        work = _Work(options, settings, Shares(plan, options), progress, load, plan.selection, keeps)
        for module, sources in plan.modules.items():
            if run.interrupted:
                break
            try:
                _generate_module(run, sources, work)
                _select_in_file(run, module, options)
                _settle(run, module, options)
            except KeyboardInterrupt:
                _stop(run, module, options)
            run.conclude(module)
            if done is not None:
                done(run, module)
    return run


@dataclass(frozen=True, slots=True)
class _Work:
    """What every entry of a run needs to know."""

    options: Options
    settings: dict[_Key, Options]
    """options of the entries that have some of their own"""
    shares: Shares
    progress: Progress | None
    load: Callable[[Source], Loaded | None]
    selection: Selection
    keeps: Callable[[str], bool]
    """whether the tests of a module's unchanged functions are kept"""


def _load_all(run: Run, plan: Plan, options: Options, parsed: Sources) -> dict[Source, Loaded | None]:
    return {source: _load(run, plan, options, source, parsed) for source in plan.sources}


def _load(run: Run, plan: Plan, options: Options, source: Source, parsed: Sources) -> Loaded | None:
    """Translate a source; what keeps one of several from it is noted, and the others go on."""
    try:
        loaded = load_target(source.target, options.types, sources=parsed)
    except (BadInput, RecursionError) as error:
        if len(plan.sources) + len(plan.left) == 1 and source.named:
            raise
        span = error.span if isinstance(error, BadInput) else Span()
        text = error.message if isinstance(error, BadInput) else "the code is nested too deeply to be translated"
        run.failed |= source.named
        run.refuse(source, source.member, Problem("refused", span.file or source.file, span.line, text))
        return None
    except Exception as error:
        if len(plan.sources) == 1 or os.environ.get("EVERYPATH_DEBUG"):
            raise
        run.defective = True
        problem = Problem("internal error", source.file, 0, f"{type(error).__name__}: {error}; {_OUR_DEFECT}")
        run.refuse(source, source.member, problem)
        return None
    selection = plan.selection
    unwanted = [entry for entry in loaded.entries if not selection.takes(source, entry.qualname)]
    if unwanted:
        hidden = {problem for entry in unwanted for problem in entry.problems}
        wanted = {entry.qualname for entry in loaded.entries if entry not in unwanted}
        ranges = [(d.first, d.last) for d in loaded.definitions if d.public and d.qualname not in wanted]
        problems = tuple(
            p
            for p in loaded.problems
            if p not in hidden
            and not (p.span.file == loaded.file and any(first <= p.span.line <= last for first, last in ranges))
        )
        entries = tuple(entry for entry in loaded.entries if not selection.excludes(source, entry.qualname))
        loaded = replace(loaded, entries=entries, problems=problems)
    run.roots.setdefault(loaded.module, loaded.root)
    run.problems.extend(_problem_of(problem) for problem in loaded.problems)
    return loaded


def _generate_module(run: Run, sources: Sequence[Source], work: _Work) -> None:
    seen: set[str] = set()
    for source in sources:
        if run.interrupted:
            return
        loaded = work.load(source)
        work.shares.begin(source)
        entries = loaded.entries if loaded is not None else ()
        wanted = [work.selection.changed(source, entry.qualname) for entry in entries]
        for number, entry in enumerate(entries):
            if entry.qualname in seen or run.interrupted:
                continue
            seen.add(entry.qualname)
            target = f"{source.target.partition('::')[0]}::{entry.qualname}"
            assert loaded is not None
            if not wanted[number]:
                if work.keeps(source.module):
                    _keep_stored(run, target, loaded, entry, work.options)
                continue
            problem = _obstacle(run, source, entry)
            options = work.settings.get((source.module, entry.qualname), work.options)
            seconds = work.shares.seconds(sum(wanted[number:]))
            if problem is None and not seconds:
                advice = "--total-time was over before its turn"
                problem = Problem("cut", entry.span.file, entry.span.line, f"{entry.qualname}: {advice}")
                run.problems.append(problem)
            if problem is not None:
                run.refuse(source, entry.qualname, problem)
                continue
            limited = replace(options, limits=replace(options.limits, time=seconds))
            suite = CallSuite(target, _shown(options))
            suite.problems += contradictions(entry)
            _generate_entry(run, suite, loaded, entry, limited, work.progress)
            work.shares.spend(suite.stats.seconds)
            run.failed |= source.named and source.module in run.unusable


def _keep_stored(run: Run, target: str, source: Loaded, entry: EntryPoint, options: Options) -> None:
    """Take over the stored cases of a function that did not change; those that no longer pass are dropped."""
    try:
        loaded = store.load(Path(store.FOLDER) / store.file_name(target))
        if not is_call_suite(loaded):
            return
        stored = moved(loaded, entry.span.line)
        results = validate(stored, root=source.root, options=options.fence, scripts=run.scripts)
    except BadInput:
        return
    run.variants.update((case.id, variant) for case, _, variant in results)
    stored.cases = [case for case, verdict, _ in results if verdict.passed]
    run.suites.append(stored)
    run.modules.setdefault(source.module, []).append(stored)


def _obstacle(run: Run, source: Source, entry: EntryPoint) -> Problem | None:
    """What keeps an entry from being explored at all."""
    if entry.problems:
        return _problem_of(entry.problems[0])
    if source.module in run.unusable:
        message = f"{entry.qualname}: its module cannot be imported"
        return Problem("import", entry.span.file, entry.span.line, message)
    return None


def _settings(loaded: Mapping[Source, Loaded | None], options: Options) -> dict[_Key, Options]:
    """Each entry's options: of the assumptions only those that are about its inputs; each must be about some entry."""
    sources = [source for source in loaded.values() if source is not None]
    entries = {(source.module, e.qualname): (source, e) for source in sources for e in source.entries if not e.problems}
    assume: dict[_Key, list[str]] = {key: [] for key in entries}
    for assumption in parse_all(options.assume):
        errors: dict[_Key, BadInput] = {}
        for key, (source, entry) in entries.items():
            try:
                checked_assumptions(source, entry, [assumption])
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


def _generate_entry(
    run: Run, suite: CallSuite, source: Loaded, entry: EntryPoint, options: Options, progress: Progress | None
) -> None:
    run.suites.append(suite)
    run.results.append(suite)
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


def _failed(run: Run, suite: CallSuite, entry: EntryPoint, error: Exception) -> None:
    """A defect of ours costs the entry where it shows, not the others."""
    if os.environ.get("EVERYPATH_DEBUG"):
        raise error
    run.defective = True
    message = f"{entry.qualname}: {type(error).__name__}: {error}; {_OUR_DEFECT}"
    suite.problems.append(Problem("internal error", entry.span.file, entry.span.line, message))


def _stop(run: Run, module: str, options: Options) -> None:
    """Keep what was run; whether all pass together was not tried, so state is restored in between."""
    run.interrupted = True
    run.restored.add(module)
    for suite in run.modules.get(module, ()):
        _keep_validated(suite, options)


def _keep_validated(suite: CallSuite, options: Options) -> None:
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


def _cannot_run(run: Run, suite: CallSuite, source: Loaded, error: BadInput) -> None:
    """The module cannot be imported: nothing of it can be tested, other modules can."""
    run.unusable.add(source.module)
    span = error.span if error.span.file else Span(source.file)
    advice = "tests are run before they are written, so make the module importable"
    suite.problems.append(Problem("import", span.file, span.line, f"{error.message}; {advice}"))


def _settle(run: Run, module: str, options: Options) -> None:
    """Make sure that tests which pass alone also pass together, in one process and in file order."""
    suites = run.modules.get(module)
    if not suites or not options.validate:
        return
    rehearse = partial(
        settle,
        suites,
        run.variants,
        root=run.roots[module],
        options=options.fence,
        scripts=run.scripts,
        paths_per_test=options.paths_per_test,
    )
    settled = _insist(run, rehearse, sum(len(suite.cases) for suite in suites))
    if settled.restore_state:
        run.restored.add(module)
    for suite in suites:
        for case in suite.cases:
            if case.id in settled.unstable:
                suite.problems.append(_unstable(case))
        suite.cases = [case for case in suite.cases if case.id not in settled.unstable]
        suite.stats.cases = len(suite.cases)
    if settled.restore_state and options.paths_per_test > 1:
        # Each path has a test of its own then, so fewer paths fit into as many tests.
        alone = replace(options, paths_per_test=1)
        for suite in suites:
            _select(suite, alone)
        _select_in_file(run, module, alone)


def render(run: Run, module: str, import_path: str | None = None, paths_per_test: int = 1) -> str:
    """The pytest file of one module; `import_path` is where it finds the module, from its own folder."""
    return pytest_writer.render(
        run.modules[module],
        variants=run.variants,
        import_path=import_path,
        restore_state=module in run.restored,
        paths_per_test=paths_per_test,
    )


def render_run_json(run: Run) -> str:
    """The run as one JSON object."""
    unsupported = {problem for suite in run.suites for problem in suite.stats.unsupported}
    from everypath.cases.json_writer import render_json

    return render_json(run.suites, [p for p in dict.fromkeys(run.problems) if p not in unsupported])


def _shown(options: Options) -> dict[str, object]:
    """The options as results tell them; whether they are only compared makes no difference."""
    return asdict(replace(options, check=False))


def source_problems(source: Loaded) -> list[Problem]:
    """What the front end could not handle, for the module and for each entry."""
    found = [*source.problems, *(p for entry in source.entries for p in entry.problems)]
    return [_problem_of(problem) for problem in found]


def _problem_of(problem: SourceProblem) -> Problem:
    return Problem(problem.kind, problem.span.file, problem.span.line, problem.message)


def _finish(run: Run, suite: CallSuite, source: Loaded, options: Options) -> None:
    """Name the cases, run them on the real interpreter, and keep those that behave as predicted.

    They run in batches: an interrupt costs the batch, not those before it.
    """
    suite.plans = build_plans(source.program, suite.cases)
    named = _insist(run, lambda: list(name_cases(suite.cases)), len(suite.cases))
    if not options.validate or not named:
        suite.cases = [case for case in named if _can_be_written(suite, case)]
        _select(suite, options)
        return
    suite.cases = []
    try:
        for start in range(0, len(named), _BATCH):
            batch = CallSuite(suite.target, suite.options, named[start : start + _BATCH], suite.plans)
            runs = partial(validate, batch, root=source.root, options=options.fence, scripts=run.scripts)
            failed: list[tuple[CallCase, Verdict, Problem]] = []
            for case, verdict, variant in _insist(run, runs, len(named) - start):
                strayed = disagreement(case, verdict, source.statements) if verdict.passed else None
                if strayed is not None:
                    failed.append((case, verdict, _defect(case, case.entry.file, case.entry.line, strayed)))
                elif verdict.passed:
                    suite.cases.append(replace(case, validated=True))
                    run.variants[case.id] = variant
                elif verdict.status in (REFUSED, UNWRITTEN) or verdict.phase == "arrange":
                    _note_refusal(suite, _verdict_problem(case, verdict))
                else:
                    failed.append((case, verdict, _verdict_problem(case, verdict)))
            defects = [(case, verdict) for case, verdict, problem in failed if problem.kind == "defect"]
            changing = unsteady(defects, run.scripts, source.root, options.fence)
            suite.problems += [_unstable(case) if case.id in changing else problem for case, _, problem in failed]
    finally:
        _select(suite, options)


def _can_be_written(suite: CallSuite, case: CallCase) -> bool:
    """Whether a case that is not run can become a test; why not is noted."""
    try:
        pytest_writer.render_case(case, suite.plans)
    except Unsupported as problem:
        _note_refusal(suite, _verdict_problem(case, Verdict(UNWRITTEN, problem.message, "arrange")))
        return False
    return True


def _select(suite: CallSuite, options: Options) -> None:
    """Keep the cases that are asked for; all of them were run."""
    _keep(suite, fewest(suite.cases, options.select, options.tests, options.paths_per_test))


def _keep(suite: CallSuite, kept: list[CallCase]) -> None:
    suite.stats.left_out += len(suite.cases) - len(kept)
    suite.cases = kept
    suite.stats.cases = len(kept)


def _select_in_file(run: Run, module: str, options: Options) -> None:
    """Keep no more cases of all functions of a module together than are asked for."""
    suites = run.modules.get(module, [])
    if options.file_tests is not None:
        found = [suite.cases for suite in suites]
        for suite, kept in zip(suites, fewest_of_all(found, options.file_tests, options.paths_per_test)):
            _keep(suite, kept)


def _note_refusal(suite: CallSuite, problem: Problem) -> None:
    """What cannot be run counts as unsupported, once per place."""
    unsupported = replace(problem, kind="unsupported")
    if unsupported not in suite.stats.unsupported:
        suite.stats.unsupported.append(unsupported)


def _verdict_problem(case: CallCase, verdict: Verdict) -> Problem:
    status, text = verdict.status, verdict.text
    line = verdict.line or case.entry.line
    file = verdict.file or case.entry.file
    if status in ("failed", "error") and verdict.phase == "arrange":
        # No way to build the inputs came as far as the call.
        message = f"{case.entry.qualified}: its inputs cannot be built: {text}"
        return Problem("unsupported", case.entry.file, case.entry.line, message)
    if status in ("failed", "error"):
        return _defect(case, file, line, text)
    said = {
        "refused": f"tries to {text}; pass --allow-io to let it",
        "timeout": f"{text}; if it would end, raise --case-seconds",
    }
    return Problem(status, file, line, f"{case.entry.qualified}: {said.get(status, text)}")


def _unstable(case: CallCase) -> Problem:
    message = f"{case.entry.qualified}: the result changes from run to run; no test is written"
    return Problem("unstable", case.entry.file, case.entry.line, message)


def _defect(case: CallCase, file: str, line: int, text: str) -> Problem:
    where = f"when {' and '.join(case.condition[:4])}" if case.condition else "on its only path"
    return Problem("defect", file, line, f"{case.entry.qualified} {where} ran differently than predicted: {text}")
