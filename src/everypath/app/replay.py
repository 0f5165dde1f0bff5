"""The command `replay`: follows the recorded paths of a stored suite again and runs its tests again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from everypath.app.attempts import Attempts
from everypath.app.heads import XML, refuse_foreign
from everypath.app.outputs import behind_links, check_writable, write_text
from everypath.app.recorded import load_again, recorded_options
from everypath.app.stored import find_stored, folder_of, what_there_is
from everypath.cases import store
from everypath.cases.kinds import AnyCase, is_actor_suite, is_call_suite, is_race_suite
from everypath.cases.model import CallCase, CallSuite, SomeSuite
from everypath.errors import BadInput, Internal, Span
from everypath.explore.outcomes import Finished, Uncaught
from everypath.generate.exploring import lines_of, replay_case, single_entry
from everypath.languages.base import Again, Language, Recorded
from everypath.languages.every import LANGUAGES, language_of
from everypath.options import Options
from everypath.records import replace
from everypath.report.streams import complain, say

_CaseT = TypeVar("_CaseT", bound=AnyCase)


def replay_command(
    name: str,
    steps: bool,
    allow_io: bool = False,
    languages: Sequence[Language] = LANGUAGES,
    report: str | None = None,
    xml: str | None = None,
    folder: Path | None = None,
) -> int:
    """Follow every recorded path again, symbolically and on the real runtime; also write a page or XML if asked to."""
    path, case_id = _stored(name, folder or folder_of(None))
    if report is not None:
        # Few replays make pages.
        from everypath.app.pages.writing import check_page

        check_page(report)
    if xml is not None:
        check_writable(Path(xml))
        refuse_foreign(Path(xml), XML)
    attempts = Attempts()
    code = _replay(path, case_id, steps, allow_io, languages, attempts)
    if xml is not None:
        write_text(behind_links(Path(xml)), attempts.as_junit(name))
        say(f"wrote {xml}")
    if report is not None:
        from everypath.app.view import write_report

        write_report(name, [path], report, allow_io)
    return code


def _replay(
    path: Path, case_id: str, steps: bool, allow_io: bool, languages: Sequence[Language], attempts: Attempts
) -> int:
    suite = store.load(path)
    if not suite.cases:
        raise BadInput("the stored suite holds no cases; generate it again", Span(str(path)))
    if is_actor_suite(suite):
        from everypath.app.replay_actors import replay_actors

        # A single case is looked at closely.
        return replay_actors(_chosen(suite.cases, case_id, path), suite.target, steps or bool(case_id), attempts)
    if is_race_suite(suite):
        from everypath.app.replay_races import replay_races

        return replay_races(_chosen(suite.cases, case_id, path), suite.target, steps or bool(case_id), attempts)
    assert is_call_suite(suite)
    cases = _chosen(suite.cases, case_id, path)
    options = recorded_options(suite, str(path))
    if options.fence.allow_io and not allow_io:
        complain("note: the suite says --allow-io, which a file cannot grant; pass it to let the tests do the same")
    options = replace(options, fence=replace(options.fence, allow_io=allow_io))
    try:
        _replay_calls(suite, cases, options, steps, language_of(suite.target, languages), attempts)
    except BadInput as error:
        complain(f"error: {error}")
        attempts.impossible(cases, str(error))
    return attempts.concluded(suite.target)


def _chosen(cases: Sequence[_CaseT], wanted: str, path: Path) -> list[_CaseT]:
    """The case with this name or id, all of them for an empty name."""
    chosen = [case for case in cases if wanted in ("", case.id, case.name)]
    if not chosen:
        names = ", ".join(case.name or case.id for case in cases)
        raise BadInput(f"{path.name} has no case {wanted!r}; it has {names}")
    return chosen


def _replay_calls(
    suite: CallSuite, cases: list[CallCase], options: Options, steps: bool, language: Language, attempts: Attempts
) -> None:
    """Run the cases again, and follow the paths of those that were predicted; BadInput where nothing can be tried."""
    source, _ = load_again(suite, language, options)
    entry = None if all(case.observed for case in cases) else single_entry(source, suite.target)
    chosen = cast("SomeSuite", CallSuite(suite.target, suite.options, cases, suite.plans))
    wrong: dict[str, str | None] = {}
    again: list[Again] = []
    runtime = language.runtime(options)
    for each in (runtime.record if steps else runtime.run_again)(source, chosen, chosen.cases):
        again.append(each)
        wrong[each.case.id] = each.wrong
        attempts.passing(each.case.id)
    for case in cases:
        problem = None
        try:
            followed = [f"{step.file}:{step.line}" for step in case.trace]
            if entry is not None and not case.observed:
                state = replay_case(source, entry, options, case)
                problem = _difference(case, state.outcome)
                followed = [f"{file}:{line}" for file, line in lines_of(state)]
            if steps:
                for text in _steps(case, again) or followed:
                    say(f"    {text}")
        except (BadInput, Internal) as error:
            problem = error.message
        problem = problem or wrong[case.id]
        attempts.ended(case, problem, problem or "")


def _steps(case: CallCase, again: Sequence[Again]) -> list[str]:
    """What a case did when it was recorded; nothing where it could not be."""
    # Few replays go step by step.
    from everypath.report.stepping import stepping

    for each in again:
        if each.case.id == case.id and isinstance(each, Recorded) and each.recording is not None:
            return list(stepping(each.recording, _lines, case.entry.words))
    return []


@cache
def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _difference(case: CallCase, outcome: object) -> str | None:
    expected = type(case.expected.outcome).__name__
    actual = {Finished: "Returned", Uncaught: "Raised"}.get(type(outcome), type(outcome).__name__)
    return None if expected == actual else f"recorded {expected.lower()}, now {actual.lower()}"


def _stored(name: str, folder: Path) -> tuple[Path, str]:
    """The stored suite's file, and the case if the name goes on with `::CASE`; a case may be named by its id."""
    parts = name.split("::")
    for end in range(len(parts), 0, -1):
        path = find_stored("::".join(parts[:end]), folder)
        if path is not None:
            return path, "::".join(parts[end:])
    raise BadInput(f"no stored suite {name!r}; {what_there_is(folder)}")
