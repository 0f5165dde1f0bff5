"""The command `replay` for actor programs: follows the recorded schedules again."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.app.exit_codes import DONE, FINDINGS
from everypath.cases.actors import ActorCase
from everypath.cases.digits import any_digits
from everypath.errors import BadInput, BadProgram
from everypath.languages.abs.targets import MAIN, ActorTarget, find_targets
from everypath.languages.abs.validation import replay_case
from everypath.report.streams import complain, say


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
            for problem in bad.problems:
                complain(str(problem))
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
