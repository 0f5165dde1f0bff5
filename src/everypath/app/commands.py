"""What each command does, between the parsed options and the files and lines it leaves behind."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from everypath.app.files import destination, write_text
from everypath.app.outputs import behind_links, check_writable, finishing, import_path, outdated
from everypath.cases import store
from everypath.cases.model import CallCase, CallSuite, Problem
from everypath.errors import BadInput, Internal, Span
from everypath.explore.outcomes import Finished, Uncaught
from everypath.generate.pipeline import (
    Run,
    generate,
    lines_of,
    render,
    render_run_json,
    replay_case,
    single_entry,
    source_problems,
)
from everypath.languages.python.frontend import load_target
from everypath.languages.python.runtime.cases import validate
from everypath.options import FenceOptions, Limits, Options, SolverOptions
from everypath.planning.plan import Plan
from everypath.records import replace
from everypath.report.progress import Progress
from everypath.report.streams import complain, say
from everypath.report.terminal import print_rows

DONE, FINDINGS, BAD_INPUT, NOTHING_USEFUL, INTERRUPTED = 0, 1, 2, 3, 130


def generate_command(targets: list[str], options: Options) -> int:
    """Generate, write and report; the exit code of DESIGN section 11."""
    json = options.format == "json"
    if options.output == "-":
        if not json:
            raise BadInput("-o - prints JSON (--format json); tests need a file, or a folder, to be imported from")
        options = replace(options, output=None)
    to_stdout = json and options.output is None
    if options.check and to_stdout:
        raise BadInput("--check compares with a file; with --format json, name it with -o")
    plans: list[Plan] = []
    files = _Files(options)

    def ready(plan: Plan) -> None:
        plans.append(plan)
        _check_output(plan, options)

    with Progress() as progress:
        take = None if json else files.take
        run = generate(targets, options, progress.update, ready, _say_running, take, files.has)
    if json:
        with contextlib.nullcontext() if to_stdout else finishing():
            files.take_json(run)
    plan = plans[0]
    stream = sys.stderr if to_stdout else sys.stdout
    print_rows(run.rows, stream, by_module=plan.by_module)
    for line in files.lines:
        print(line, file=stream)
    told = {p for row in run.rows for p in row.problems}
    if plan.by_module:
        told |= {row.refused for row in run.rows if row.refused is not None}
    _print_problems(p for p in run.problems if p not in told)
    for note in (*plan.notes, *_unused_patterns(plan)):
        complain(f"note: {note}")
    if run.interrupted:
        kept = "" if options.check else f"; kept the {sum(row.cases for row in run.rows)} tests found so far"
        complain(f"interrupted{kept}")
    elif not run.rows and not run.problems and options.diff is None:
        names = ", ".join(targets)
        complain(f"error: {names}: nothing to test: no public function, and no class with public methods")
    return _checked_code(run, files) if options.check else _exit_code(run, options)


class _Files:
    """Takes the tests of each module when they are complete: writes them, or compares them with those on disk."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.lines: list[str] = []
        """what to tell about each file"""
        self.outdated = 0

    def has(self, module: str) -> bool:
        """Whether there are tests of a module already, which must not be lost."""
        return self.options.format != "json" and destination(module, self.options.output, Path()).is_file()

    def take(self, run: Run, module: str) -> None:
        """Write the file of a module and store its suites; the run then forgets them."""
        suites = run.modules.get(module, [])
        path = destination(module, self.options.output, Path())
        with finishing():
            try:
                if any(suite.cases for suite in suites):
                    home = import_path(path, run.roots[module])
                    self._put(path, render(run, module, home, self.options.paths_per_test))
                elif self.options.check and path.is_file() and module not in run.unusable and suites:
                    self._tell(outdated(path, None))
            finally:
                if not self.options.check:
                    _store(suites)
        run.forget(module)

    def take_json(self, run: Run) -> None:
        """Write, print or compare the one object of a run."""
        try:
            text = render_run_json(run)
            if self.options.output is None:
                say(text.removesuffix("\n"))
            else:
                self._put(Path(self.options.output), text)
        finally:
            if not self.options.check:
                _store(run.suites)

    def _put(self, path: Path, text: str) -> None:
        if self.options.check:
            self._tell(outdated(path, text))
        else:
            write_text(behind_links(path), text)
            self.lines.append(f"wrote {path}")

    def _tell(self, difference: list[str]) -> None:
        self.lines += difference
        self.outdated += bool(difference)


def _unused_patterns(plan: Plan) -> list[str]:
    return [f"--exclude {pattern!r} leaves nothing out" for pattern in plan.selection.unused]


def _say_running(cases: int) -> None:
    if cases:
        complain(f"interrupted; running the {cases} tests found so far, Ctrl-C again to leave them out")


def _check_output(plan: Plan, options: Options) -> None:
    """Refuse an output that cannot be written, or must not be, before time is spent on exploring."""
    output = options.output
    json = options.format == "json"
    if json and output is None:
        return
    if json and (str(output).endswith(os.sep) or Path(str(output)).is_dir()):
        raise BadInput("is a folder, but JSON is one file; name a file with -o", Span(str(output)))
    taken: dict[Path, str] = {}
    for module in plan.modules:
        path = Path(str(output)) if json else _output_path(module, output, len(plan.modules) > 1)
        if taken.setdefault(path, module) != module and not json:
            raise BadInput(f"would hold the tests of {taken[path]} and of {module}; use separate runs", Span(str(path)))
        if not options.check:
            check_writable(path)
    resolved = {path.resolve() for path in taken}
    for source in plan.sources:
        if source.path in resolved:
            raise BadInput("is the code under test and would be overwritten; choose another -o", Span(source.file))


def _store(suites: Iterable[CallSuite]) -> None:
    """Keep the suites for `replay`; the tests are worth having even where that is not possible."""
    try:
        for suite in suites:
            if suite.cases:
                store.save(suite)
    except BadInput as error:
        complain(f"note: {error}; `everypath replay` will not find it")


def _print_problems(problems: Iterable[Problem]) -> None:
    for problem in dict.fromkeys(problems):
        place = f"{problem.file}:{problem.line}" if problem.line else problem.file
        complain(" ".join(f"{place}: {problem.kind}: {problem.message}".split()))


def _exit_code(run: Run, options: Options) -> int:
    if run.interrupted:
        return INTERRUPTED
    rows = [row for row in run.rows if row.refused is None]
    if run.failed or run.defective or run.contradicted:
        return BAD_INPUT
    if any(row.findings for row in rows):
        return FINDINGS
    if any(row.cases for row in rows):
        return DONE
    if not run.rows and options.diff is not None:
        return DONE
    if not rows:
        return BAD_INPUT
    stats = [row.stats for row in rows if row.stats is not None]
    if any(sum(s.cut.values()) or s.unknown or s.unsupported for s in stats) or run.problems:
        return NOTHING_USEFUL
    return DONE


def _checked_code(run: Run, files: _Files) -> int:
    if run.interrupted:
        return INTERRUPTED
    if run.failed or run.defective or run.contradicted or not run.rows:
        return BAD_INPUT
    return FINDINGS if files.outdated else DONE


def _output_path(module: str, output: str | None, several: bool) -> Path:
    path = destination(module, output, Path())
    if several and output is not None and path == Path(output):
        if not path.suffix and not path.exists():
            return destination(module, f"{output}{os.sep}", Path())
        raise BadInput(f"-o {output} is one file, but the targets need one file per module; name a folder")
    return path


def show_command(target: str, types: tuple[str, ...]) -> int:
    """Print the IR of every entry of the target."""
    from everypath.ir.check import check
    from everypath.ir.text import print_method

    loaded = load_target(target, types)
    faults = check(loaded.program)
    for entry in loaded.entries:
        method = loaded.program.find_method(entry.cls, entry.method)
        if method is not None:
            say(print_method(method, faults=faults))
    _print_problems(source_problems(loaded))
    return DONE


def replay_command(name: str, steps: bool) -> int:
    """Follow every recorded path again, symbolically and on the real interpreter."""
    path, case_id = _stored(name)
    if _is_of_actors(path):
        from everypath.app.actors import replay_actors

        return replay_actors(path, case_id, steps)
    suite_name = path.name
    suite = store.load(path)
    cases = [c for c in suite.cases if case_id in ("", c.id, c.name)]
    if not suite.cases:
        raise BadInput("the stored suite holds no cases; generate it again", Span(str(path)))
    if not cases:
        raise BadInput(f"{suite_name} has no case {case_id!r}; it has {', '.join(c.name for c in suite.cases)}")
    options = _recorded_options(suite, path)
    chosen = CallSuite(suite.target, suite.options, cases, suite.plans)
    try:
        source = load_target(suite.target, options.types)
        entry = single_entry(source, suite.target)
        verdicts = {case.id: v for case, v, _ in validate(chosen, root=source.root, options=options.fence)}
    except BadInput as error:
        complain(f"error: {error}")
        _say_changed(suite)
        return FINDINGS
    failures = 0
    for case in cases:
        problem = None
        try:
            state = replay_case(source, entry, options, case)
            problem = _difference(case, state.outcome)
            if steps:
                for file, line in lines_of(state):
                    say(f"    {file}:{line}")
        except (BadInput, Internal) as error:
            problem = error.message
        if problem is None and not verdicts[case.id].passed:
            problem = verdicts[case.id].text
        failures += problem is not None
        say(f"{'FAIL' if problem else 'ok  '} {case.name}{f': {problem}' if problem else ''}")
    say(f"{len(cases) - failures} of {len(cases)} cases replayed as recorded")
    if failures:
        _say_changed(suite)
    return FINDINGS if failures else DONE


def _is_of_actors(path: Path) -> bool:
    import json

    from everypath.cases.actor_json_reader import is_actor_suite
    from everypath.languages.abs.frontend.digits import any_digits

    try:
        with any_digits():
            return is_actor_suite(json.loads(path.read_bytes()))
    except (OSError, ValueError):
        return False


def _say_changed(suite: CallSuite) -> None:
    target = suite.target
    complain(f"{target} no longer does what was recorded: if that is intended, run `everypath generate {target}` again")


def _difference(case: CallCase, outcome: object) -> str | None:
    expected = type(case.expected.outcome).__name__
    actual = {Finished: "Returned", Uncaught: "Raised"}.get(type(outcome), type(outcome).__name__)
    return None if expected == actual else f"recorded {expected.lower()}, now {actual.lower()}"


def _stored(name: str) -> tuple[Path, str]:
    """The stored suite's file, and the case if the name goes on with `::CASE`; a case may be named by its id."""
    parts = name.split("::")
    for end in range(len(parts), 0, -1):
        suite, case = "::".join(parts[:end]), "::".join(parts[end:])
        for path in (Path(suite), Path(store.FOLDER) / suite, Path(store.FOLDER) / store.file_name(suite)):
            if suite and path.is_file() and path.suffix == ".json":
                return path, case
    existing = sorted(p.name for p in Path(store.FOLDER).glob("*.json"))
    listed = ", ".join(existing) or "none; `everypath generate` stores them"
    raise BadInput(f"no stored suite {name!r}; in {store.FOLDER}/ there are: {listed}")


def _recorded_options(suite: CallSuite, path: Path) -> Options:
    try:
        return _options_of(suite)
    except (KeyError, TypeError) as error:
        raise BadInput(f"the stored options are damaged ({error}); generate it again", Span(str(path))) from error


def _options_of(suite: CallSuite) -> Options:
    recorded: dict[str, dict[str, object]] = suite.options  # type: ignore[assignment]
    solver = dict(recorded["solver"])
    for key in ("layers", "int_range"):
        solver[key] = tuple(solver[key]) if solver[key] is not None else None  # type: ignore[arg-type]
    return Options(
        limits=Limits(**recorded["limits"]),  # type: ignore[arg-type]
        solver=SolverOptions(**solver),  # type: ignore[arg-type]
        fence=FenceOptions(**recorded["fence"]),  # type: ignore[arg-type]
        heap=str(recorded["heap"]),
        assume=tuple(recorded.get("assume", ())),
        types=tuple(recorded["types"]),
        reachable=bool(recorded.get("reachable", False)),
        invariant=recorded.get("invariant"),  # type: ignore[arg-type]
    )
