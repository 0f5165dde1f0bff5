"""`replay` for what `race` found: follows each schedule again, in a fresh process, and says whether its fault shows."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.app.exit_codes import DONE, FINDINGS
from everypath.cases.interleavings import operation_rows, two_columns
from everypath.cases.races import RaceCase
from everypath.errors import BadInput
from everypath.languages.python.classes_under_test import find_targets
from everypath.race.protocol import Replayed
from everypath.race.session import follow
from everypath.records import replace
from everypath.report.streams import complain, say

_WIDTH = 100
"""Characters of a line of a timeline."""


def replay_races(cases: Sequence[RaceCase], recorded: str, steps: bool) -> int:
    """Follow the recorded schedules again, with `steps` operation by operation; each fault should show again."""
    try:
        root = str(find_targets([recorded])[0].root)
    except BadInput as error:
        complain(f"error: {error}")
        _say_changed(recorded)
        return FINDINGS
    failures = 0
    for case in cases:
        test = replace(case.inputs, schedule=case.schedule)
        result = follow(test, root)
        again = result.failed and result.kind == case.expected.kind
        failures += not again
        title = case.finding.message if case.finding is not None else ""
        say(f"{'ok  ' if again else 'FAIL'} {case.name}: {title if again else _now(result)}")
        if steps and result.timeline:
            for line in two_columns(operation_rows(result.timeline), _WIDTH):
                say(f"    {line}")
    say(f"{len(cases) - failures} of {len(cases)} cases replayed as recorded")
    if failures:
        _say_changed(recorded)
    return FINDINGS if failures else DONE


def _now(result: Replayed) -> str:
    if result.failed:
        return f"now another fault: {result.message or result.kind}"
    return result.message or "the fault no longer shows"


def _say_changed(target: str) -> None:
    complain(f"{target} no longer does what was recorded: if that is intended, run `everypath race {target}` again")
