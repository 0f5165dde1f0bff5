"""What each command does, between the parsed options and the files and lines it leaves behind."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import click

from everypath.emit.files import destination, write_text
from everypath.errors import BadInput, Internal
from everypath.explore.outcomes import Finished, Uncaught
from everypath.frontends.python import load_target
from everypath.ir.check import check
from everypath.ir.text import print_method
from everypath.options import FenceOptions, Limits, Options, SolverOptions
from everypath.pipeline import (
    Run,
    generate,
    lines_of,
    render,
    render_run_json,
    replay_case,
    single_entry,
    source_problems,
)
from everypath.report.progress import Progress
from everypath.report.terminal import print_summary
from everypath.suite import store
from everypath.suite.model import Problem, Suite, TestCase
from everypath.validate.cases import validate

DONE, FINDINGS, BAD_INPUT, NOTHING_USEFUL, INTERRUPTED = 0, 1, 2, 3, 130


def generate_command(targets: list[str], options: Options) -> int:
    """Generate, write and report; the exit code of DESIGN section 11."""
    with Progress() as progress:
        run = generate(targets, options, progress.update)
    json = options.format == "json"
    written = _write_json(run, options) if json else _write_tests(run, options)
    for suite in run.suites:
        if suite.cases:
            store.save(suite)
    to_stderr = json and options.output is None
    stream = sys.stderr if to_stderr else sys.stdout
    if not to_stderr or sys.stderr.isatty():
        print_summary(run.suites, stream)
        for path in written:
            print(f"wrote {path}", file=stream)
    told = {p for suite in run.suites for p in (*suite.problems, *suite.stats.unsupported)}
    _print_problems(p for p in run.problems if p not in told)
    return _exit_code(run)


def _print_problems(problems: Iterable[Problem]) -> None:
    for problem in dict.fromkeys(problems):
        click.echo(f"{problem.file}:{problem.line}: {problem.kind}: {problem.message}", err=True)


def _exit_code(run: Run) -> int:
    if run.interrupted:
        return INTERRUPTED
    if run.findings:
        return FINDINGS
    if run.cases:
        return DONE
    if not run.suites:
        return BAD_INPUT
    stats = [suite.stats for suite in run.suites]
    if any(sum(s.cut.values()) or s.unknown or s.unsupported for s in stats) or run.problems:
        return NOTHING_USEFUL
    return DONE


def _write_json(run: Run, options: Options) -> list[Path]:
    text = render_run_json(run)
    if options.output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return []
    path = Path(options.output)
    write_text(path, text)
    return [path]


def _write_tests(run: Run, options: Options) -> list[Path]:
    written = []
    modules = {m: s for m, s in run.modules.items() if any(suite.cases for suite in s)}
    for module in modules:
        path = _output_path(module, options.output, several=len(modules) > 1)
        root = run.roots[module]
        write_text(path, render(run, module, import_path=_import_path(path, root)))
        written.append(path)
    return written


def _output_path(module: str, output: str | None, several: bool) -> Path:
    path = destination(module, output, Path())
    if several and output is not None and path == Path(output):
        raise BadInput(f"-o {output} is one file, but the targets need one file per module; name a folder")
    return path


def _import_path(test: Path, root: Path) -> str | None:
    """Where the test must look for the module, relative to its own folder; None when it finds it anyway."""
    folder = test.resolve().parent
    root = root.resolve()
    libraries = {Path(p).resolve() for p in sysconfig.get_paths().values()}
    if root == folder or root in libraries:
        return None
    return Path(os.path.relpath(root, folder)).as_posix()


def show_command(target: str, types: tuple[str, ...]) -> int:
    """Print the IR of every entry of the target."""
    loaded = load_target(target, types)
    faults = check(loaded.program)
    for entry in loaded.entries:
        method = loaded.program.find_method(entry.cls, entry.method)
        if method is not None:
            click.echo(print_method(method, faults=faults))
    _print_problems(source_problems(loaded))
    return DONE


def replay_command(name: str, steps: bool) -> int:
    """Follow every recorded path again, symbolically and on the real interpreter."""
    path, case_id = _stored(name)
    suite_name = path.name
    suite = store.load(path)
    cases = [c for c in suite.cases if case_id in ("", c.id, c.name)]
    if not cases:
        raise BadInput(f"{suite_name} has no case {case_id!r}; it has {', '.join(c.name for c in suite.cases)}")
    options = _recorded_options(suite)
    source = load_target(suite.target, options.types)
    entry = single_entry(source, suite.target)
    failures = 0
    chosen = Suite(suite.target, suite.options, cases, suite.plans)
    verdicts = {case.id: v for case, v, _ in validate(chosen, root=source.root, options=options.fence)}
    for case in cases:
        problem = None
        try:
            state = replay_case(source, entry, options, case)
            problem = _difference(case, state.outcome)
            if steps:
                for file, line in lines_of(state):
                    click.echo(f"    {file}:{line}")
        except Internal as error:
            problem = error.message
        if problem is None and not verdicts[case.id].passed:
            problem = verdicts[case.id].text
        failures += problem is not None
        click.echo(f"{'FAIL' if problem else 'ok  '} {case.name}{f': {problem}' if problem else ''}")
    click.echo(f"{len(cases) - failures} of {len(cases)} cases replayed as recorded")
    return FINDINGS if failures else DONE


def _difference(case: TestCase, outcome: object) -> str | None:
    expected = type(case.expected.outcome).__name__
    actual = {Finished: "Returned", Uncaught: "Raised"}.get(type(outcome), type(outcome).__name__)
    return None if expected == actual else f"recorded {expected.lower()}, now {actual.lower()}"


def _stored(name: str) -> tuple[Path, str]:
    """The stored suite's file, and the case if the name goes on with `::CASE`."""
    head, _, tail = name.rpartition("::")
    for suite, case in ((name, ""), (head, tail)):
        for path in (Path(suite), Path(".everypath") / suite, Path(".everypath") / store.file_name(suite)):
            if suite and path.is_file() and path.suffix == ".json":
                return path, case
    existing = sorted(p.name for p in Path(".everypath").glob("*.json")) if Path(".everypath").is_dir() else []
    listed = ", ".join(existing) or "none; `everypath generate` stores them"
    raise BadInput(f"no stored suite {name!r}; in .everypath/ there are: {listed}")


def _recorded_options(suite: Suite) -> Options:
    recorded: dict[str, dict[str, object]] = suite.options  # type: ignore[assignment]
    solver = dict(recorded["solver"])
    for key in ("layers", "int_range"):
        solver[key] = tuple(solver[key]) if solver[key] is not None else None  # type: ignore[arg-type]
    return Options(
        limits=Limits(**recorded["limits"]),  # type: ignore[arg-type]
        solver=SolverOptions(**solver),  # type: ignore[arg-type]
        fence=FenceOptions(**recorded["fence"]),  # type: ignore[arg-type]
        heap=str(recorded["heap"]),
        types=tuple(recorded["types"]),
    )
