"""The command `race`: searches the classes that the targets name and leaves a test for every fault."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from everypath.app.exit_codes import INTERRUPTED, Ending, exit_code
from everypath.app.heads import RACES
from everypath.app.origins import read_text
from everypath.app.outputs import Outputs, Subject, behind_links, write_text
from everypath.cases import store
from everypath.cases.model import Problem
from everypath.cases.races import RaceFinding, RaceReport, RaceStats, Turn, race_suite
from everypath.errors import BadInput, EverypathError, Internal, Span
from everypath.generate.edits import edited, stamp
from everypath.generate.exploring import explore_entry
from everypath.languages.python.classes_under_test import RaceTarget, find_targets
from everypath.languages.python.frontend.finder import shown
from everypath.languages.python.parameter_uses import parameter_uses
from everypath.languages.python.solved_arguments import solved_values
from everypath.languages.python.writers.importing import import_path
from everypath.languages.python.writers.ownership import Earlier, owner_name, read_earlier
from everypath.languages.python.writers.race_writer import default_race_name, finding_code, render_race
from everypath.options import WHOLE_FORMATS, RaceOptions
from everypath.race.protocol import RaceRequest
from everypath.race.session import confirm, run_race
from everypath.records import asdict, dataclass, field, replace
from everypath.report.lines import counted, problem_line
from everypath.report.progress import Part, Progress, clock
from everypath.report.race import print_race
from everypath.report.streams import complain, say
from everypath.workers.interrupts import end, interruptible, postponed


def race_command(targets: list[str], options: RaceOptions, page: str | None = None) -> int:
    """Search, confirm, write and report, also as a page if one is asked for; the exit code of DESIGN section 11."""
    if page is not None:
        # Few runs make pages.
        from everypath.app.pages.writing import check_page

        check_page(page)
    classes = _classes(targets, options)
    whole = options.format in WHOLE_FORMATS
    outputs = Outputs(options.output, options.format if whole else RACES, whole=whole)
    outputs.check(
        Subject(target.module, target.module, default_race_name(target.module), (target.file,)) for target in classes
    )
    searched = _Searched()
    progress = Progress()
    with progress, postponed():
        for target in classes:
            searched.take(target, options, progress, alone=len(classes) == 1)
            if searched.interrupted:
                break
        end()
        try:
            written = _write(outputs, targets, classes, searched.reports, searched.unusable, options)
        finally:
            stored = _store(searched.reports)
    stream = sys.stderr if outputs.to_stdout else sys.stdout
    print_race(searched.reports, stream)
    for path in written:
        say(f"wrote {path}", stream)
    if (
        not any(report.findings for report in searched.reports)
        and options.format not in WHOLE_FORMATS
        and searched.reports
    ):
        say("no tests were written: there is no finding to test", stream)
    for problem in searched.unusable:
        complain(problem_line(problem))
    if page is not None:
        from everypath.app.view import write_report

        write_report(" ".join(targets), stored, page, stream=stream)
    if searched.interrupted:
        complain(f"interrupted; searched {len(searched.reports)} of {counted(len(classes), 'class')}")
    return INTERRUPTED if searched.stopped else _exit_code(searched.reports, searched.failed)


def search_classes(targets: Sequence[str], options: RaceOptions) -> list[RaceReport]:
    """What searching the classes of some targets has come to; what is wrong with one of several is left out."""
    searched = _Searched()
    classes = _classes(targets, options)
    with postponed():
        for target in classes:
            searched.take(target, options, Progress(), alone=len(classes) == 1)
    return searched.reports


def _classes(targets: Sequence[str], options: RaceOptions) -> list[RaceTarget]:
    classes = find_targets(list(targets))
    if options.setup is not None and len(classes) > 1:
        names = ", ".join(target.cls for target in classes)
        raise BadInput(f"--setup makes an object of one class, but the targets name {names}; choose one with ::Class")
    return classes


@dataclass(slots=True)
class _Searched:
    """What the searches so far have come to."""

    reports: list[RaceReport] = field(default_factory=list)
    unusable: list[Problem] = field(default_factory=list)
    failed: bool = False
    """whether a class could not be searched that the user had asked for, or by a fault of ours"""
    stopped: bool = False
    """whether the user stopped a search before it had a report"""

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped it; the last report is then of what had been done."""
        return self.stopped or any(report.interrupted for report in self.reports)

    def take(self, target: RaceTarget, options: RaceOptions, progress: Progress, *, alone: bool) -> None:
        """Search one more class; a class that is the only one raises what is wrong with it."""
        try:
            self.reports.append(_search(target, options, progress))
        except KeyboardInterrupt:
            self.stopped = True
        except EverypathError as error:
            if alone:
                error.span = replace(error.span, file=_relative(error.span.file))
                raise
            self.unusable.append(_problem(target, error))
            self.failed = self.failed or target.named or isinstance(error, Internal)


def _search(target: RaceTarget, options: RaceOptions, progress: Progress) -> RaceReport:
    written = stamp(target.file)
    with interruptible():
        request = _request(target, options)
    found: set[object] = set()
    counted = RaceStats()

    def show(message: dict[str, Any]) -> None:
        if message["type"] == "finding":
            found.add(message.get("fault") or message["title"])
        if message["type"] == "progress":
            for name in ("sequences", "enforced", "pairs_covered", "pairs_total"):
                setattr(counted, name, message.get(name, 0))
        _count(progress, counted, len(found), target.target)

    report = run_race(request, show)
    report.target, report.file, report.options = target.target, target.file, _shown(options)
    _count(progress, report.stats, len(found), f"{target.target}: confirming")
    _confirm_all(report, request, options)
    if stamp(target.file) != written:
        # What did not fail again was perhaps mended meanwhile.
        report.problems = [problem for problem in report.problems if problem.kind != "defect"]
        report.problems.append(edited(target.file))
    report.findings = [_relative_finding(finding) for finding in report.findings]
    report.problems = [_relative_problem(problem) for problem in report.problems]
    report.notes = [_relative_problem(note) for note in report.notes]
    return report


def _request(target: RaceTarget, options: RaceOptions) -> RaceRequest:
    return RaceRequest(
        module=target.module,
        cls=target.cls,
        root=str(target.root),
        path=_import_folders(),
        setup=options.setup,
        methods=options.methods,
        args=options.args,
        values=solved_values(target, options.time, explore_entry) if options.mode != "random" else (),
        uses=parameter_uses(target),
        mode=options.mode,
        seconds=options.time,
        seed=options.seed,
    )


def _count(progress: Progress, stats: RaceStats, findings: int, label: str) -> None:
    def parts() -> list[Part]:
        return [
            Part((label, label.rpartition("::")[2], ""), 2),
            Part((f"{stats.sequences} sequences", ""), 5),
            Part((f"{stats.enforced} interleavings", ""), 4),
            Part((f"{stats.pairs_covered}/{stats.pairs_total} pairs",), 1),
            Part((f"{findings} found",), 0),
            Part((clock(progress.seconds), ""), 3),
        ]

    progress.update(parts)


def _confirm_all(report: RaceReport, request: RaceRequest, options: RaceOptions) -> None:
    """Keep the findings that fail again; Ctrl-C keeps those that were not tried as they are."""
    if report.interrupted and report.findings and options.confirmations:
        complain(f"interrupted; confirming the {len(report.findings)} findings so far, Ctrl-C again to leave that out")
    kept: list[RaceFinding] = []
    for position, finding in enumerate(report.findings):
        try:
            with interruptible():
                result = confirm(finding, options.confirmations, request.root, request.path)
        except KeyboardInterrupt:
            report.interrupted = True
            kept += report.findings[position:]
            break
        if isinstance(result, Problem):
            report.problems.append(result)
        else:
            kept.append(result)
    report.findings = kept


def _import_folders() -> tuple[str, ...]:
    """Where the user's own Python would look for modules before it looks into its library."""
    inherited = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return tuple(os.path.abspath(folder) for folder in (os.getcwd(), *inherited))


def _exit_code(reports: Sequence[RaceReport], failed: bool) -> int:
    defective = any(problem.kind in ("defect", "edited") for report in reports for problem in report.problems)
    exercised = all(report.stats.sequences for report in reports)
    return exit_code(
        Ending(
            interrupted=any(report.interrupted for report in reports),
            unusable=failed or not reports or defective,
            findings=any(report.findings for report in reports),
            useful=exercised,
            stopped=not exercised,
        )
    )


def _write(
    outputs: Outputs,
    targets: Sequence[str],
    classes: Sequence[RaceTarget],
    reports: Sequence[RaceReport],
    unusable: Sequence[Problem],
    options: RaceOptions,
) -> list[Path]:
    if options.format in WHOLE_FORMATS:
        return _put(outputs, Path(options.output or "-"), _whole(targets, reports, unusable, options))
    written: list[Path] = []
    roots = {target.module: target.root for target in classes}
    for module, root in roots.items():
        findings = [finding for report in reports if report.module == module for finding in report.findings]
        if findings:
            path = outputs.path(module)
            searched = {owner_name(f"{report.module}::{report.cls}") for report in reports}
            earlier = Earlier() if outputs.to_stdout else _earlier(path, searched)
            text = render_race(findings, import_path=import_path(path, root, fresh=True), earlier=earlier)
            written += _put(outputs, path, text)
    return written


def _whole(
    targets: Sequence[str], reports: Sequence[RaceReport], unusable: Sequence[Problem], options: RaceOptions
) -> str:
    """Everything in one text."""
    if options.format == "sarif":
        from everypath.cases.sarif import render_sarif, results_of_races

        return render_sarif(results_of_races(reports), [*unusable, *(each for one in reports for each in one.problems)])
    from everypath.cases.json_writer import render_race_json

    return render_race_json(" ".join(targets), _shown(options), reports, unusable, code=finding_code)


def _earlier(path: Path, searched: Collection[str]) -> Earlier:
    """What stays of the file that is there: tests of other classes, and what a person has written."""
    text = read_text(path)
    return read_earlier(text, lambda owner: owner not in searched, lambda owner: True) if text.strip() else Earlier()


def _put(outputs: Outputs, path: Path, text: str) -> list[Path]:
    """Print or write a text; the file, if there is one."""
    if outputs.to_stdout:
        say(text.removesuffix("\n"))
        return []
    write_text(behind_links(path), text)
    return [path]


def _store(reports: Sequence[RaceReport]) -> list[Path]:
    """Keep the faults for `replay`, and say where; the tests are worth having even where that is not possible."""
    stored: list[Path] = []
    try:
        for report in reports:
            if report.findings:
                stored.append(store.save(race_suite(report)))
    except BadInput as error:
        complain(f"note: {error}; `everypath replay` will not find it")
    return stored


def _problem(target: RaceTarget, error: EverypathError) -> Problem:
    kind = "internal error" if isinstance(error, Internal) else "cannot be tested"
    span = error.span if error.span.file else Span(target.file)
    message = error.message if error.message.startswith(target.cls) else f"{target.cls}: {error.message}"
    return _relative_problem(Problem(kind, span.file, span.line, message))


def _shown(options: RaceOptions) -> dict[str, object]:
    shown: dict[str, object] = asdict(options)
    return {**shown, "args": [f"{name}={source}" for name, source in options.args], "methods": list(options.methods)}


def _relative_finding(finding: RaceFinding) -> RaceFinding:
    """The finding with its files named as the user would name them."""
    file, colon, line = finding.location.rpartition(":")
    location = f"{_relative(file)}{colon}{line}" if line.isdigit() else finding.location
    return replace(finding, location=location, timeline=tuple(map(_relative_turn, finding.timeline)))


def _relative_turn(turn: Turn) -> Turn:
    return replace(turn, file=_relative(turn.file))


def _relative_problem(problem: Problem) -> Problem:
    return replace(problem, file=_relative(problem.file))


def _relative(file: str) -> str:
    return shown(Path(file)) if os.path.isabs(file) else file
