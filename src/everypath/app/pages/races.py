"""What a page shows of thread-safety faults: each schedule is followed once more, in a fresh process."""

from __future__ import annotations

from collections.abc import Callable

from everypath.cases.races import RaceCase, RaceSuite
from everypath.cases.recordings import OPERATIONS, Recording
from everypath.errors import BadInput, EverypathError
from everypath.languages.python.classes_under_test import find_targets
from everypath.race.protocol import Replayed
from everypath.race.session import follow
from everypath.records import replace

_MOST = 2_000


def fill_races(
    suite: RaceSuite,
    recordings: dict[str, Recording],
    wrong: dict[str, str],
    tests: dict[str, str],
    note: Callable[[str, EverypathError | str], None],
) -> None:
    """Follow the schedules and keep their timelines."""
    try:
        root = _root(suite)
    except EverypathError as error:
        note("changed", f"the class cannot be loaded any more: {error}")
        return
    for case in suite.cases:
        try:
            result = follow(replace(case.inputs, schedule=case.schedule), root)
        except EverypathError as error:
            note("unrun", error)
            continue
        different = _different(case, result)
        if different is not None:
            wrong[case.id] = different
        steps = tuple(
            {
                "thread": turn.thread,
                "file": turn.file,
                "line": turn.line,
                "function": turn.function,
                "text": turn.text,
                "switched": turn.switched,
            }
            for turn in result.timeline or ()
        )
        recordings[case.id] = Recording(OPERATIONS, steps[:_MOST], max(0, len(steps) - _MOST))


def follow_again(suite: RaceSuite, case_id: str) -> str | None:
    """Follow one schedule once more; how it ends now, if the fault no longer shows."""
    case = next((case for case in suite.cases if case.id == case_id), None)
    if case is None:
        raise BadInput("there is no such case")
    return _different(case, follow(replace(case.inputs, schedule=case.schedule), _root(suite)))


def _root(suite: RaceSuite) -> str:
    return str(find_targets([suite.target])[0].root)


def _different(case: RaceCase, result: Replayed) -> str | None:
    if result.failed and result.kind == case.expected.kind:
        return None
    return result.message or "the fault no longer shows"
