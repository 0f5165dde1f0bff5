"""The command `generate`: explores, writes a file of tests for each module, and reports."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from everypath.app.exit_codes import Ending, exit_code
from everypath.app.origins import not_named, read_text, says_it_is_ours, targets_of
from everypath.app.outputs import (
    Outputs,
    Subject,
    alone_in,
    behind_links,
    check_writable,
    refuse_others,
    write_text,
)
from everypath.cases import store
from everypath.cases.accounts import Stats
from everypath.cases.model import SomeSuite
from everypath.errors import BadInput, Span
from everypath.generate.kept import Whole, text_digest
from everypath.generate.results import Listener, Run
from everypath.generate.run import Earlier, generate
from everypath.languages.base import Language, Module, Source, Written
from everypath.options import Options
from everypath.planning.plan import Plan
from everypath.report.lines import counted, print_problems
from everypath.report.progress import Part, Progress
from everypath.report.streams import complain, is_watched, say
from everypath.report.summary import Row, print_rows
from everypath.report.tally import Tally
from everypath.workers.interrupts import end, interruptible, postponed

if TYPE_CHECKING:
    from everypath.cases.actors import ActorSuite
    from everypath.cases.kinds import AnySuite


def generate_command(
    targets: list[str],
    options: Options,
    language: Language,
    report: str | None = None,
    earlier: Earlier | None = None,
    enough: int | None = None,
) -> int:
    """Generate, write and report, also as a page if one is asked for; suites go on from `earlier` ones."""
    if report is not None:
        # Few runs make pages.
        from everypath.app.pages.writing import check_page

        check_page(report)
    whole = language.writer(options.format).whole
    outputs = Outputs(options.output, options.format, whole=whole)
    for format, file in options.also:
        check_writable(Path(file))
        refuse_others(Path(file), format)
    if options.check and outputs.to_stdout:
        raise BadInput("--check compares with a file; name it with -o")
    with Progress() as progress:
        files = _Files(outputs, options, language, progress)
        run = generate(targets, options, files, (language,), earlier, enough=enough)
        # What is left is short, and half of it is worth nothing.
        end()
    if whole:
        files.take_all(run)
    if not options.check:
        files.write_also(run)
    for text in files.printed:
        say(text.removesuffix("\n"))
    stream = sys.stderr if outputs.to_stdout else sys.stdout
    _report(run, files.plan, stream, options)
    for line in (*_standing(files), *files.lines, *_gone(targets, files)):
        say(line, stream)
    if files.stored and is_watched(stream) and options.store == store.FOLDER:
        say(f"to look at it: everypath view {targets[0] if len(targets) == 1 else '.'}", stream)
    _print_notes(run, files)
    if report is not None:
        from everypath.app.view import write_report

        write_report(" ".join(targets), files.stored, report, options.fence.allow_io, stream)
    _print_end(run, files, targets)
    return _exit_code(run, files, options)


def _print_end(run: Run, files: _Files, targets: Sequence[str]) -> None:
    """Say that the run was interrupted, or that there was nothing to do at all."""
    options = files.options
    if run.interrupted:
        complain("interrupted" if options.check else f"interrupted; {_kept(run, _word(files.language))}")
    elif not run.rows and not run.problems and not files.gone and options.diff is None:
        names = ", ".join(targets)
        complain(f"error: {names}: nothing to test: no public function, and no class with public methods")


def _standing(files: _Files) -> list[str]:
    """What there was nothing to do about."""
    paths = files.standing
    if not paths or files.options.check:
        return []
    what = str(paths[0]) if len(paths) == 1 else f"{len(paths)} files"
    return [f"{what}: {counted(files.functions, 'function')} unchanged, from the store"]


def _gone(targets: Sequence[str], files: _Files) -> list[str]:
    """Remove the files of modules that are gone, or say that they are out of date."""
    folders = [Path(each).resolve() for each in targets if Path(each).is_dir()]
    if not folders or files.outputs.to_stdout or files.writer.whole:
        return []
    from everypath.app.gone import without_module

    told: list[str] = []
    for path, written in list(without_module(Path(files.outputs.output or ""), folders)):
        files.gone = True
        if files.options.check:
            told.append(f"out of date: {path}: its module is gone")
            files.outdated += 1
        elif written:
            told.append(f"kept {path}, whose module is gone, because of what you have written: {', '.join(written)}")
        else:
            with contextlib.suppress(OSError):
                path.unlink()
                told.append(f"removed {path}, whose module is gone")
    return told


def _from_store(module: Module | None) -> str:
    """How many functions of a module were not explored because an earlier run has done so."""
    if module is None or not module.notes.unchanged:
        return ""
    return f"; {module.notes.unchanged} of {counted(len(module.suites), 'function')} unchanged, from the store"


def _state_of(path: Path) -> str:
    """What a file holds, and what around it decides on how its tests find the code under test."""
    try:
        found = [text_digest(path.read_bytes())]
    except OSError:
        return ""
    for folder in path.absolute().parents:
        for name in _AROUND:
            with contextlib.suppress(OSError):
                found.append(f"{name} {text_digest((folder / name).read_bytes())}")
    return text_digest("\n".join(found).encode())


_AROUND = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "conftest.py", "__init__.py")


def _kept(run: Run, word: str) -> str:
    """What an interrupted run has left, and what it had to leave out."""
    left_out = f"; left out {run.dropped} that could not be run any more" if run.dropped else ""
    return f"kept the {sum(row.cases for row in run.rows)} {word} found so far{left_out}"


def _word(language: Language) -> str:
    return "cases" if language.concurrent else "tests"


class _Files(Listener):
    """Takes the tests of each module when they are complete: writes them, or compares them with those on disk."""

    def __init__(self, outputs: Outputs, options: Options, language: Language, progress: Progress) -> None:
        self.outputs = outputs
        self.options = options
        self.language = language
        self.writer = language.writer(options.format)
        self.shown = progress
        self.tally = Tally(options.limits.time, options.total_time)
        self.plan: Plan
        """what the run does, once it is known"""
        self.lines: list[str] = []
        """what to tell about each file"""
        self.printed: list[str] = []
        """what goes to standard output"""
        self.notes: list[str] = []
        """what the user should know about what the files held before"""
        self.outdated = 0
        self.gone = False
        """whether there are files whose modules are not there any more"""
        self.refused: set[str] = set()
        """the modules whose files cannot be written"""
        self.stored: list[Path] = []
        """the files of the suites"""
        self.folder = Path(options.store or store.FOLDER)
        """where they lie"""
        self.standing: list[Path] = []
        """files that are as they were written, and nothing has changed since"""
        self.functions = 0
        """how many functions these are about"""
        self.unstored = False
        """whether it was told that suites cannot be stored"""

    def planned(self, plan: Plan) -> Sequence[str]:
        """Refuse outputs that cannot be written before time is spent on exploring; tell what else they hold."""
        self.plan = plan
        if self.shown.watched:
            count = plan.selection.count
            self.tally.planned({name: sum(map(count, sources)) for name, sources in plan.modules.items()})
        subjects = [Subject(s.module, s.title, self.writer.file_name(s), (s.file, *s.others)) for s in plan.sources]
        self.outputs.check(subjects, writing=not self.options.check)
        if self.writer.whole or self.outputs.to_stdout:
            return ()
        more = [target for sources in plan.modules.values() for target in self._also_held(sources)]
        self.notes += [f"{target} has tests in the same file, which are made again" for target in more]
        return more

    def _also_held(self, sources: Sequence[Source]) -> list[str]:
        """The targets that the file of a module was made from before, and that are not asked for now."""
        return self._others_in(self.outputs.path(sources[0].module), sources)

    def _others_in(self, path: Path, sources: Sequence[Source]) -> list[str]:
        """BadInput where a file does not say what it was made from."""
        if not path.is_file() or (self.options.check and not says_it_is_ours(str(path))):
            # To say that a file differs it need not be one of ours.
            return []
        from everypath.app.heads import head_of

        head = head_of(path)
        return [] if head is None or head.origin is None else not_named(targets_of(str(path), head.origin), sources)

    def stands(
        self, sources: Sequence[Source], written: Mapping[str, str], stored: Sequence[str], functions: int
    ) -> bool:
        """Whether the file of a module is as it was written, and the suites of its functions are still there."""
        if self.writer.whole or self.outputs.to_stdout or self.language.concurrent or self.options.also:
            return False
        path = self.outputs.path(sources[0].module)
        suites = [self.folder / name for name in stored]
        if written.get(str(path)) != self._state_of(path) or not all(each.is_file() for each in suites):
            return False
        self.stored += suites
        self.standing.append(path)
        self.functions += functions
        self.tally.module_done(sources[0].module, functions)
        return True

    def _state_of(self, path: Path) -> str:
        """What a file of tests holds, and as what: a file is not as it was written if another format is asked for."""
        return f"{self.writer.format} {_state_of(path)}"

    def lacks(self, source: Source) -> Callable[[str], bool]:
        """Functions of which a generated file does not hold all tests as they were generated."""
        if self.writer.whole or self.outputs.to_stdout or self.writer.format not in ("pytest", "hypothesis"):
            return super().lacks(source)
        from everypath.languages.python.writers.ownership import lacking, owner_name

        found = lacking(read_text(self.outputs.path(source.module)))
        return lambda qualified: owner_name(qualified) in found

    def told(self, message: str) -> None:
        """Say what earlier runs have left and nobody can use."""
        self.notes.append(message)

    def progress(self, target: str, paths: int, cases: int, cuts: int, findings: int) -> None:
        """Show how far it is; that the first function begins is shown at once."""
        first = self.tally.explored(target, (paths, cases, cuts, findings), self.shown.seconds)
        self.shown.update(self._parts, at_once=first)

    def working(self, what: str) -> None:
        """Show what is done; nobody tells how far that has come, so that it is shown at once."""
        self.tally.working(what)
        self.shown.update(self._parts, at_once=True)

    def _parts(self) -> Sequence[Part]:
        return self.tally.parts(self.shown.seconds)

    def interrupted(self, cases: int) -> None:
        """Say what is still done after a first Ctrl-C."""
        if cases and self.options.validate:
            doing = "replaying" if self.language.concurrent else "running"
            what = f"{doing} the {cases} {_word(self.language)} found so far"
            complain(f"interrupted; {what}, Ctrl-C again to leave them out")

    def module_done(self, run: Run, module: Module) -> None:
        """Write the file of a module and store its suites; the run then forgets them."""
        self.tally.module_done(module.name, len(module.suites))
        if self.writer.whole or module.edited or (module.grows and not module.suites):
            # What can be extended in no part stays as it is, and so does what may be about other code by now.
            return
        try:
            with interruptible() if self.writer.tries else postponed(), self._alone(module):
                self._take(run, module)
        except KeyboardInterrupt:
            # What was not tried yet is left out; what was found can still be stored.
            run.interrupted = True
        except BadInput as error:
            # The files of other modules can still be written.
            complain(f"error: {error}")
            self.refused.add(module.name)
        finally:
            stored = self._store(module.suites)
        whole = module.notes.whole
        if isinstance(whole, Whole):
            path = self._path(module)
            whole.stored = [each.name for each in stored]
            unwritten = self.outputs.to_stdout or module.name in self.refused
            whole.written = {} if unwritten else {str(path): self._state_of(path)}
        if not (self.language.concurrent or self.options.also):
            run.forget(module)

    def take_all(self, run: Run) -> None:
        """Write, print or compare the one file of a whole run."""
        with postponed():
            try:
                written = self.writer.render(list(run.modules.values()), problems=run.problems)
                self._put(Path(self.outputs.output or "-"), written)
            finally:
                self._store(run.suites)

    def write_also(self, run: Run) -> None:
        """Write what is asked for besides the tests."""
        for format, file in self.options.also:
            written = self.language.writer(format).render(list(run.modules.values()), problems=run.problems)
            with postponed():
                write_text(behind_links(Path(file)), written.text)
            self.lines.append(f"wrote {file}")

    def _path(self, module: Module) -> Path:
        return self.outputs.path(module.source.module)

    def _take(self, run: Run, module: Module) -> None:
        path = self._path(module)
        module.earlier = "" if self.outputs.to_stdout else read_text(path).strip()
        if module.earlier and not self.options.check:
            # Somebody may have written into it since this run began.
            refuse_others(path, self.options.format)
            self._join(module, path)
        if any(suite.cases for suite in module.suites) or (module.earlier and module.untouched):
            self._put(path, self._rendered(module, path), module)
        elif self.options.check and path.is_file() and module.name not in run.unusable and module.suites:
            self._compare(path, None)

    def _alone(self, module: Module) -> AbstractContextManager[None]:
        """What has the file of a module to itself while it is read and written."""
        if self.outputs.to_stdout or self.options.check:
            return nullcontext()
        folder = self._path(module).parent
        return alone_in(folder if folder.is_dir() else Path())

    def _join(self, module: Module, path: Path) -> None:
        """Leave what another process has put into the file since this run began: tests of other targets."""
        others = self._others_in(path, self.plan.modules.get(module.name, [module.source]))
        for target in others:
            member = target.partition("::")[2]
            defined = (each.qualname for program in module.programs for each in program.definitions)
            module.untouched |= {each for each in defined if f"{each}.".startswith(f"{member}." if member else "")}
        module.targets = (*module.targets, *others)

    def _rendered(self, module: Module, path: Path) -> Written:
        try:
            return self.writer.render([module], path)
        except BadInput as error:
            # What is there cannot be put together with what is new.
            raise BadInput(error.message, Span(str(path))) from None

    def _put(self, path: Path, written: Written, module: Module | None = None) -> None:
        if self.outputs.to_stdout:
            self.printed += filter(None, [written.text])
            self.lines += [] if written.text else filter(None, [written.remark])
            return
        if self.options.check:
            self._compare(path, written.text)
            return
        if written.text:
            with postponed():
                write_text(behind_links(path), written.text)
        remark = f"{written.remark}{_from_store(module)}"
        self.lines += [f"wrote {path}{remark}"] if written.text else filter(None, [written.remark])

    def _compare(self, path: Path, text: str | None) -> None:
        # Few runs compare.
        from everypath.app.outdated import outdated

        difference = outdated(path, text)
        self.lines += difference
        self.outdated += bool(difference)

    def _store(self, suites: Iterable[SomeSuite]) -> list[Path]:
        """Keep the suites for `replay`; the tests are worth having even where that is not possible."""
        stored: list[Path] = []
        if self.options.check:
            return stored
        try:
            for suite in suites:
                if suite.cases or suite.frontier:
                    stored.append(store.save(cast("AnySuite", suite), self.folder))
        except BadInput as error:
            if not self.unstored:
                # Once is enough, however many there are.
                complain(f"note: {error}; `everypath replay` will not find it")
            self.unstored = True
        self.stored += stored
        return stored


def _report(run: Run, plan: Plan, stream: TextIO, options: Options) -> None:
    """The findings, the counts and the problems of the run."""
    if run.language.concurrent:
        # What shows schedules is much to load.
        from everypath.report.actors import print_actors

        print_actors(cast("list[ActorSuite]", run.suites), stream, bounds=_bounds(options))
    else:
        print_rows(run.rows, stream, by_module=plan.by_module, all_errors=options.unreached, bounds=_bounds(options))


def _bounds(options: Options) -> dict[str, object]:
    """What may stop a path -> how far that lets it go; a switch where it is one."""
    limits, actors, time = options.limits, options.actors, options.limits.time
    # Where everything has less time than one function may take, each had its share of it.
    shared = options.total_time is not None and options.total_time < time
    seconds: object = f"--total-time {options.total_time:g}" if shared else time
    return {
        "loop": limits.loops,
        "depth": limits.depth,
        "time": seconds,
        "operation": seconds,
        "switch": actors.switches,
        "actor": actors.actors,
        "queue": actors.queue,
        "memory": options.fence.memory_mb,
        "overflow": options.overflow,
    }


def _print_notes(run: Run, files: _Files) -> None:
    """What the table does not tell: problems of the modules, and what was left out."""
    plan = files.plan
    told = {p for row in run.rows for p in row.problems}
    if plan.by_module:
        told |= {row.refused for row in run.rows if row.refused is not None}
    print_problems(p for p in run.problems if p not in told)
    unused = [f"--exclude {pattern!r} leaves nothing out" for pattern in plan.selection.unused]
    for note in (*plan.notes, *files.notes, *unused):
        complain(f"note: {note}")


def _exit_code(run: Run, files: _Files, options: Options) -> int:
    unusable = bool(files.refused) or run.failed or run.defective or run.mispredicted or run.contradicted
    if options.check:
        nothing = not (run.rows or files.gone)
        return exit_code(Ending(run.interrupted, unusable or nothing, findings=bool(files.outdated)))
    rows = [row for row in run.rows if row.refused is None]
    unchanged = not run.rows and (options.diff is not None or files.gone)
    return exit_code(
        Ending(
            run.interrupted,
            unusable or not (rows or unchanged),
            findings=any(row.findings or row.dependences for row in rows),
            useful=any(row.cases for row in rows),
            stopped=bool(run.problems) or any(_stopped(row, run.language) for row in rows),
        )
    )


def _stopped(row: Row, language: Language) -> bool:
    """Whether limits or problems kept cases of a function away."""
    stats = row.stats or Stats()
    # The problems of an actor program are about what could not be explored; others are told but cost nothing.
    troubled = language.concurrent and bool(row.problems)
    return troubled or bool(sum(stats.cut.values()) or stats.unknown or stats.unsupported or not stats.complete)
