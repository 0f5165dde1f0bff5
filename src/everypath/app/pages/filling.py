"""Finds out what a page shows besides the cases: it runs them again, draws trees, renders tests and reads sources.

Whatever cannot be found out is told on the page, which shows the rest: a suite may be older than its program.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from everypath.app.recorded import load_again, recorded_options
from everypath.cases import store
from everypath.cases.kinds import AnyCase, AnySuite, is_race_suite, kind_of
from everypath.cases.model import CallSuite, Problem, SomeCase, SomeSuite, Suite
from everypath.cases.recordings import Recording
from everypath.cases.trees import Tree
from everypath.errors import EverypathError
from everypath.languages.base import EntryPoint, Language, Loaded, Module
from everypath.languages.every import LANGUAGES, language_of
from everypath.options import Options
from everypath.paths import Start
from everypath.records import dataclass, field, replace
from everypath.report.page.content import Content, ShownSuite, SourceText

_CHECKSUMS = "# Checksums of the tests"
_MOST_TRIED = 60
"""Cases of a suite, at most, whose tests are rendered where rendering means trying them."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A suite and the file that it is stored in."""

    suite: AnySuite
    path: Path | None = None


@dataclass(slots=True)
class _Filling:
    """What has been found out about one suite."""

    stored: Stored
    recordings: dict[str, Recording] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    tests: dict[str, str] = field(default_factory=dict)
    ways: dict[str, int] = field(default_factory=dict)
    trees: list[Tree] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    loaded: Loaded | None = None

    def shown(self) -> ShownSuite:
        """As the page takes it."""
        path = self.stored.path
        suite = self.stored.suite
        place = (
            suite.target if path is None or path.name == store.file_name(suite.target, kind_of(suite)) else str(path)
        )
        return ShownSuite(suite, place, self.recordings, self.wrong, self.tests, self.trees, self.problems)

    def note(self, kind: str, error: EverypathError | str) -> None:
        """Say on the page what could not be found out."""
        text = error if isinstance(error, str) else str(error)
        self.problems.append(Problem(kind, self.stored.suite.target.partition("::")[0], 0, text))


def content_of(
    title: str, stored: Sequence[Stored], *, allow_io: bool = False, languages: Sequence[Language] = LANGUAGES
) -> Content:
    """The content of the page about some suites of one program."""
    language = language_of(stored[0].suite.target, languages)
    with language.working():
        fillings = [_filled(each, language, allow_io) for each in stored]
    return Content(
        title,
        language.name,
        [each.shown() for each in fillings],
        _sources(fillings),
        language.spelling(),
    )


def _filled(stored: Stored, language: Language, allow_io: bool) -> _Filling:
    filling, suite = _Filling(stored), stored.suite
    if is_race_suite(suite):
        from everypath.app.pages.races import fill_races

        fill_races(suite, filling.recordings, filling.wrong, filling.tests, filling.note)
        return filling
    try:
        options = recorded_options(suite, str(stored.path or suite.target))
        options = replace(options, fence=replace(options.fence, allow_io=allow_io))
        loaded, target = load_again(suite, language, options)
        filling.loaded = loaded
    except EverypathError as error:
        filling.note("changed", f"what the suite was made from cannot be loaded any more: {error}")
        return filling
    _record(filling, loaded, language, options)
    _draw(filling, loaded, language, options)
    _render(filling, loaded, language, options, target)
    return filling


def _record(filling: _Filling, loaded: Loaded, language: Language, options: Options) -> None:
    suite = cast("SomeSuite", filling.stored.suite)
    try:
        for each in language.runtime(options).record(loaded, suite, suite.cases):
            filling.ways[each.case.id] = each.way
            if each.wrong is not None:
                filling.wrong[each.case.id] = each.wrong
            elif each.recording is not None:
                filling.recordings[each.case.id] = each.recording
    except EverypathError as error:
        filling.note("unrun", f"the cases cannot be run: {error}")
    if filling.wrong:
        count = f"{len(filling.wrong)} of {len(suite.cases)} cases no longer do what was recorded"
        filling.note("changed", f"{count}; if that is intended, run `everypath generate {suite.target}` again")


def _draw(filling: _Filling, loaded: Loaded, language: Language, options: Options) -> None:
    suite = cast("SomeSuite", filling.stored.suite)
    # Only pages have trees.
    from everypath.generate.exploring import single_entry

    try:
        draw = language.drawer() or _call_trees
        filling.trees = draw(loaded, single_entry(loaded, suite.target), options, suite)
    except EverypathError as error:
        filling.note("changed", f"the execution tree cannot be drawn: {error}")


def _call_trees(loaded: Loaded, entry: EntryPoint, options: Options, suite: SomeSuite) -> list[Tree]:
    from everypath.cases.execution_tree import execution_trees

    starts: dict[Start, dict[tuple[int, ...], str]] = {}
    for case in cast("CallSuite", suite).cases:
        starts.setdefault(case.start, {})[case.choices] = case.id
    return execution_trees(loaded.subject(entry), options, starts)


def _render(filling: _Filling, loaded: Loaded, language: Language, options: Options, target: str) -> None:
    """Each test in a file of its own, as it can be copied."""
    suite = cast("SomeSuite", filling.stored.suite)
    writer = language.writer(language.formats[0])
    try:
        source = language.expand([target]).sources[0]
        cases = suite.cases[:_MOST_TRIED] if writer.tries else suite.cases
        for case in cases:
            alone = _with_cases(suite, [case])
            module = Module(
                source, options, (suite.target,), [loaded], [alone], {case.id: filling.ways.get(case.id, 0)}
            )
            # What tells changed tests from others is of no use outside of their file.
            text = writer.render([module]).text.partition(_CHECKSUMS)[0].rstrip()
            if text:
                filling.tests[case.id] = f"{text}\n"
    except (EverypathError, IndexError) as error:
        filling.note("unwritten", f"the tests cannot be rendered: {error}")


def _with_cases(suite: SomeSuite, cases: list[SomeCase]) -> SomeSuite:
    return Suite(suite.target, suite.options, cases, suite.plans)


def _sources(fillings: Sequence[_Filling]) -> list[SourceText]:
    """The files that the cases run through, the ones under test first."""
    names: dict[str, None] = {}
    for filling in fillings:
        for case in cast("Sequence[AnyCase]", filling.stored.suite.cases):
            names.setdefault(case.entry.file)
    for filling in fillings:
        for case in cast("Sequence[AnyCase]", filling.stored.suite.cases):
            names.update(dict.fromkeys(step.file for step in case.trace))
    oldest = min((_written(each.stored.path) for each in fillings), default=0.0)
    code = _Code(fillings)
    # Files of modules that were found by their names are told from where these are found.
    roots = [Path(), *dict.fromkeys(each.loaded.root for each in fillings if each.loaded is not None)]
    return [_source(name, roots, oldest, code) for name in names if name]


class _Code:
    """The lines and branches of loaded programs."""

    def __init__(self, fillings: Sequence[_Filling]) -> None:
        self.lines: dict[str, set[int]] = {}
        self.branches: dict[str, set[str]] = {}
        seen: set[str] = set()
        for filling in fillings:
            loaded = filling.loaded
            if loaded is None:
                continue
            whole = {(entry.cls, entry.method) for entry in loaded.entries if entry.kind == "main"}
            for method in loaded.program.methods():
                if not method.model and method.qualified not in seen:
                    seen.add(method.qualified)
                    # What is run as a whole has those branches of which its runs can tell.
                    told = filling.stored.suite.branches if (method.cls, method.name) in whole else None
                    self._take(loaded, method, told)

    def _take(self, loaded: Loaded, method: object, told: Sequence[str] | None) -> None:
        from everypath.explore.traces import branches_of
        from everypath.ir.program import Method

        assert isinstance(method, Method)
        for block in method.blocks.values():
            for instruction in (*block.instructions, block.terminator):
                if instruction.span.line:
                    self.lines.setdefault(instruction.span.file, set()).add(instruction.span.line)
        for branch in branches_of(loaded.program, method) if told is None else told:
            self.branches.setdefault(branch.rpartition(":")[0], set()).add(branch)


def _source(name: str, roots: Sequence[Path], stored: float, code: _Code) -> SourceText:
    lines, branches = sorted(code.lines.get(name, ())), sorted(code.branches.get(name, ()))
    try:
        path = next((path for root in roots if (path := root / name).is_file()), Path(name))
        text = path.read_text(encoding="utf-8", errors="replace")
        newer = stored and path.stat().st_mtime > stored
    except OSError as error:
        note = f"{name} cannot be read: {error.strerror or error}"
        return SourceText(name, None, note)
    note = f"{name} was changed after these cases were stored, so that lines may have moved" if newer else ""
    return SourceText(name, text, note, lines, branches)


def _written(path: Path | None) -> float:
    try:
        return os.stat(path).st_mtime if path is not None else 0.0
    except OSError:
        return 0.0
