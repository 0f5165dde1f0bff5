"""The commands on actor programs: generate, replay and show for targets in ABS files."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from everypath.app.exit_codes import BAD_INPUT, DONE, FINDINGS, Ending, exit_code
from everypath.app.files import write_text
from everypath.app.outputs import Outputs, Subject, behind_links, finishing
from everypath.cases import store
from everypath.cases.actors import ActorCase, ActorSuite
from everypath.cases.digits import any_digits
from everypath.cases.json_writer import render_json
from everypath.cases.kinds import ACTORS
from everypath.errors import BadInput, Span
from everypath.languages.abs.emitted import TestModule, abs_tests
from everypath.languages.abs.pipeline import ActorRun, generate_actors
from everypath.languages.abs.targets import MAIN, ActorTarget, BadProgram, find_targets
from everypath.languages.abs.validation import replay_case
from everypath.options import Options
from everypath.report.actors import print_actors
from everypath.report.progress import Progress
from everypath.report.streams import complain, say

_TRYING, _TRYING_AFTER_INTERRUPT = 30.0, 3.0
"""Seconds for trying the ABS tests of one file in every order."""


@any_digits()
def generate_actors_command(targets: list[str], options: Options) -> int:
    """Generate, write and report; the exit code of DESIGN section 11."""
    try:
        found = find_targets(targets)
    except BadProgram as bad:
        return _complain_all(bad)
    outputs = Outputs(options.output, whole=options.format == "json")
    outputs.check(Subject(target.entry.module, _file_name(target), target.files) for target in found)
    with Progress() as progress:
        run = generate_actors(found, options, progress.update, _say_replaying)
    modules = _test_modules(run, outputs) if options.format == "abs" else {}
    with contextlib.nullcontext() if outputs.to_stdout else finishing():
        try:
            _write(run, options, modules)
        finally:
            _store(run)
    stream = sys.stderr if outputs.to_stdout else sys.stdout
    print_actors(run.suites, stream)
    for line in _written_lines(run, options, modules):
        print(line, file=stream)
    if run.interrupted:
        complain(f"interrupted; kept the {len(run.cases)} cases found so far")
    return _exit_code(run)


def _complain_all(bad: BadProgram) -> int:
    for problem in bad.problems:
        complain(str(problem))
    return BAD_INPUT


def _say_replaying(cases: int) -> None:
    if cases:
        complain(f"interrupted; replaying the {cases} cases found so far, Ctrl-C again to leave them out")


def _exit_code(run: ActorRun) -> int:
    stats = [suite.stats for suite in run.suites]
    cut = any(sum(s.cut.values()) or s.unknown or s.unsupported or not s.complete for s in stats)
    return exit_code(
        Ending(
            run.interrupted,
            run.defective,
            findings=bool(run.findings),
            useful=bool(run.cases),
            stopped=cut or any(suite.problems for suite in run.suites),
        )
    )


def _file_name(target: ActorTarget) -> str:
    return f"test_{Path(target.entry.file).stem}_generated.abs"


def _test_modules(run: ActorRun, outputs: Outputs) -> dict[Path, TestModule]:
    """The ABS tests of each file, tried in every order of messages; an interrupt leaves out those not tried yet."""
    groups: dict[Path, list[tuple[ActorTarget, ActorSuite]]] = {}
    for target, suite in zip(run.targets, run.suites):
        if target.entry.cls and suite.cases:
            groups.setdefault(outputs.path(_file_name(target)), []).append((target, suite))
    seconds = _TRYING_AFTER_INTERRUPT if run.interrupted else _TRYING
    made: dict[Path, TestModule] = {}
    try:
        for path, group in groups.items():
            target = group[0][0]
            made[path] = abs_tests(target.program, target.sources, [suite for _, suite in group], seconds)
    except KeyboardInterrupt:
        run.interrupted = True
    return made


def _write(run: ActorRun, options: Options, modules: dict[Path, TestModule]) -> None:
    if options.format == "abs":
        for path, module in modules.items():
            if module.tests:
                write_text(behind_links(path), module.text)
        return
    text = render_json(run.suites, kind=ACTORS)
    if options.output is None:
        say(text.removesuffix("\n"))
    else:
        write_text(behind_links(Path(options.output)), text)


def _written_lines(run: ActorRun, options: Options, modules: dict[Path, TestModule]) -> list[str]:
    """What was written; where a case is no test of its own, why."""
    if options.format == "json":
        return [f"wrote {options.output}"] if options.output is not None else []
    lines = []
    for path, module in modules.items():
        if module.tests:
            rest = f", {len(module.listed)} more cases in comments" if module.listed else ""
            lines.append(f"wrote {path}: {_count(len(module.tests), 'test')}{rest}")
        elif module.listed:
            reasons = [reason for _, reason in module.listed]
            why = max(dict.fromkeys(reasons), key=reasons.count)
            lines.append(f"no ABS tests were written: {why}; --format json writes every case")
    if not lines and run.cases:
        lines.append("no ABS tests were written: a main block is run, not called; --format json writes every case")
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _store(run: ActorRun) -> None:
    """Keep the suites for `replay`; what was found is worth having even where that is not possible."""
    try:
        for suite in run.suites:
            if suite.cases:
                store.save(suite)
    except BadInput as error:
        complain(f"note: {error}; `everypath replay` will not find it")


@any_digits()
def replay_actors(cases: Sequence[ActorCase], recorded: str, steps: bool) -> int:
    """Follow the recorded schedules of a target again, with `steps` step by step."""
    programs: dict[str, ActorTarget] = {}
    failures = 0
    for case in cases:
        target = _target_of(case, recorded)
        try:
            if target not in programs:
                [programs[target]] = find_targets([target])
        except BadProgram as bad:
            _complain_all(bad)
            return FINDINGS
        except BadInput as error:
            complain(f"error: {error}")
            _say_changed(recorded)
            return FINDINGS
        failures += not _replayed(programs[target], case, steps)
    say(f"{len(cases) - failures} of {len(cases)} cases replayed as recorded")
    if failures:
        _say_changed(recorded)
    return FINDINGS if failures else DONE


def _replayed(target: ActorTarget, case: ActorCase, steps: bool) -> bool:
    lines: list[str] = []
    same = replay_case(target.program, case, lines.append)
    shown = lines if steps else [line for line in lines if not line[:1].isspace()]
    say(f"{'ok  ' if same else 'FAIL'} {case.name or case.id}")
    for line in shown:
        say(f"    {line}")
    return same


def _target_of(case: ActorCase, recorded: str) -> str:
    """The target that leads to the case's program: as recorded where that names the case's file."""
    entry = case.entry
    member = f"{entry.module}.{entry.cls}.{entry.name}" if entry.cls else f"{entry.module}.{MAIN}"
    for target in recorded.split(" "):
        place = target.partition("::")[0]
        if entry.file in place.split(","):
            return f"{place}::{member}"
    return f"{entry.file}::{member}"


def _say_changed(target: str) -> None:
    complain(f"{target} no longer does what was recorded: if that is intended, run `everypath generate {target}` again")


def show_actors(target: str, related: bool) -> int:
    """Print the methods that may interfere with one, or the IR of every entry of the target."""
    try:
        found = find_targets([target])
    except BadProgram as bad:
        return _complain_all(bad)
    if related:
        return _show_related(found)
    return _show_ir(found)


def _show_related(targets: Sequence[ActorTarget]) -> int:
    from everypath.languages.abs.frontend.related import explained

    methods = [target for target in targets if target.entry.cls]
    if not methods:
        raise BadInput("--related is about a method of a class: FILE.abs::Class.method", Span(targets[0].files[0]))
    texts = []
    for target in methods:
        entry = target.entry
        texts.append(explained(target.program, f"{entry.module}.{entry.cls}", entry.name).text())
    say("\n".join(texts).removesuffix("\n"))
    return DONE


def _show_ir(targets: Sequence[ActorTarget]) -> int:
    from everypath.ir.check import check
    from everypath.ir.text import print_method
    from everypath.languages.abs.lower import MAIN as MAIN_METHOD
    from everypath.languages.abs.lower import lower

    for target in targets:
        program = lower(target.program)
        entry = target.entry
        cls, name = (f"{entry.module}.{entry.cls}", entry.name) if entry.cls else MAIN_METHOD
        method = program.find_method(cls, name)
        if method is not None:
            say(print_method(method, faults=check(program)))
    return DONE
