"""The command `generate` for Python code: explores, writes a file of tests for each module, and reports."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path

from everypath.app.exit_codes import Ending, exit_code
from everypath.app.files import write_text
from everypath.app.outdated import outdated
from everypath.app.outputs import Outputs, Subject, behind_links, finishing, import_path
from everypath.app.problems import print_problems
from everypath.cases import store
from everypath.cases.model import CallSuite
from everypath.errors import BadInput
from everypath.generate.pipeline import Run, generate, render, render_run_json
from everypath.languages.python.writers.pytest_writer import file_name
from everypath.options import Options
from everypath.planning.plan import Plan
from everypath.records import replace
from everypath.report.progress import Progress
from everypath.report.streams import complain, say
from everypath.report.terminal import print_rows


def generate_command(targets: list[str], options: Options) -> int:
    """Generate, write and report; the exit code of DESIGN section 11."""
    json = options.format == "json"
    if options.output == "-":
        if not json:
            raise BadInput("-o - prints JSON (--format json); tests need a file, or a folder, to be imported from")
        options = replace(options, output=None)
    outputs = Outputs(options.output, whole=json)
    if options.check and outputs.to_stdout:
        raise BadInput("--check compares with a file; with --format json, name it with -o")
    plans: list[Plan] = []
    files = _Files(outputs, options)

    def ready(plan: Plan) -> None:
        plans.append(plan)
        subjects = [Subject(source.module, file_name(source.module), (source.file,)) for source in plan.sources]
        outputs.check(subjects, writing=not options.check)

    with Progress() as progress:
        take = None if json else files.take
        run = generate(targets, options, progress.update, ready, _say_running, take, files.has)
    if json:
        with contextlib.nullcontext() if outputs.to_stdout else finishing():
            files.take_json(run)
    plan = plans[0]
    stream = sys.stderr if outputs.to_stdout else sys.stdout
    print_rows(run.rows, stream, by_module=plan.by_module)
    for line in files.lines:
        print(line, file=stream)
    told = {p for row in run.rows for p in row.problems}
    if plan.by_module:
        told |= {row.refused for row in run.rows if row.refused is not None}
    print_problems(p for p in run.problems if p not in told)
    for note in (*plan.notes, *_unused_patterns(plan)):
        complain(f"note: {note}")
    if run.interrupted:
        kept = "" if options.check else f"; kept the {sum(row.cases for row in run.rows)} tests found so far"
        complain(f"interrupted{kept}")
    elif not run.rows and not run.problems and options.diff is None:
        names = ", ".join(targets)
        complain(f"error: {names}: nothing to test: no public function, and no class with public methods")
    return _exit_code(run, files, options)


class _Files:
    """Takes the tests of each module when they are complete: writes them, or compares them with those on disk."""

    def __init__(self, outputs: Outputs, options: Options) -> None:
        self.outputs = outputs
        self.options = options
        self.lines: list[str] = []
        """what to tell about each file"""
        self.outdated = 0

    def has(self, module: str) -> bool:
        """Whether there are tests of a module already, which must not be lost."""
        return not self.outputs.whole and self.outputs.path(file_name(module)).is_file()

    def take(self, run: Run, module: str) -> None:
        """Write the file of a module and store its suites; the run then forgets them."""
        suites = run.modules.get(module, [])
        path = self.outputs.path(file_name(module))
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
            if self.outputs.output is None:
                say(text.removesuffix("\n"))
            else:
                self._put(Path(self.outputs.output), text)
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


def _store(suites: Iterable[CallSuite]) -> None:
    """Keep the suites for `replay`; the tests are worth having even where that is not possible."""
    try:
        for suite in suites:
            if suite.cases:
                store.save(suite)
    except BadInput as error:
        complain(f"note: {error}; `everypath replay` will not find it")


def _exit_code(run: Run, files: _Files, options: Options) -> int:
    unusable = run.failed or run.defective or run.contradicted
    if options.check:
        return exit_code(Ending(run.interrupted, unusable or not run.rows, findings=bool(files.outdated)))
    rows = [row for row in run.rows if row.refused is None]
    unchanged = not run.rows and options.diff is not None
    stats = [row.stats for row in rows if row.stats is not None]
    return exit_code(
        Ending(
            run.interrupted,
            unusable or not (rows or unchanged),
            findings=any(row.findings for row in rows),
            useful=any(row.cases for row in rows),
            stopped=bool(run.problems) or any(sum(s.cut.values()) or s.unknown or s.unsupported for s in stats),
        )
    )
