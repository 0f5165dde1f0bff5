"""`replay` for what `race` found: follows each schedule again, in a fresh process, and says whether its fault shows."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.app.attempts import Attempts
from everypath.cases.interleavings import operation_rows, two_columns
from everypath.cases.races import RaceCase
from everypath.errors import BadInput
from everypath.languages.python.classes_under_test import find_targets
from everypath.race.protocol import Replayed
from everypath.race.session import follow
from everypath.records import replace
from everypath.report.streams import complain

_WIDTH = 100
"""Characters of a line of a timeline."""


def replay_races(cases: Sequence[RaceCase], recorded: str, steps: bool, attempts: Attempts) -> int:
    """Follow the recorded schedules again, with `steps` operation by operation; each fault should show again."""
    try:
        root = str(find_targets([recorded])[0].root)
    except BadInput as error:
        complain(f"error: {error}")
        attempts.impossible(cases, str(error))
        return attempts.concluded(recorded, "race")
    for case in cases:
        test = replace(case.inputs, schedule=case.schedule)
        result = follow(test, root)
        again = result.failed and result.kind == case.expected.kind
        title = case.finding.message if case.finding is not None else ""
        problem = None if again else _now(result)
        rows = operation_rows(result.timeline) if steps and result.timeline else []
        attempts.ended(case, problem, problem or title, two_columns(rows, _WIDTH) if rows else ())
    return attempts.concluded(recorded, "race")


def _now(result: Replayed) -> str:
    if result.failed:
        return f"now another fault: {result.message or result.kind}"
    return result.message or "the fault no longer shows"
