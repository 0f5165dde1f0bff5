"""What a page shows of thread-safety faults: each schedule is followed once more, in a fresh process."""

from __future__ import annotations

from collections.abc import Callable

from everypath.cases.races import RaceSuite
from everypath.cases.recordings import OPERATIONS, Recording
from everypath.errors import EverypathError
from everypath.languages.python.classes_under_test import find_targets
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
        root = str(find_targets([suite.target])[0].root)
    except EverypathError as error:
        note("changed", f"the class cannot be loaded any more: {error}")
        return
    for case in suite.cases:
        try:
            result = follow(replace(case.inputs, schedule=case.schedule), root)
        except EverypathError as error:
            note("unrun", error)
            continue
        if not (result.failed and result.kind == case.expected.kind):
            wrong[case.id] = result.message or "the fault no longer shows"
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
