"""The command `replay` for actor programs: follows the recorded schedules again."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.app.attempts import Attempts
from everypath.cases.actors import ActorCase
from everypath.cases.digits import any_digits
from everypath.errors import BadInput, BadProgram
from everypath.languages.abs.targets import MAIN, ActorTarget, find_targets
from everypath.languages.abs.validation import replay_case
from everypath.report.streams import complain


@any_digits()
def replay_actors(cases: Sequence[ActorCase], recorded: str, steps: bool, attempts: Attempts) -> int:
    """Follow the recorded schedules of a target again, with `steps` step by step."""
    programs: dict[str, ActorTarget] = {}
    for number, case in enumerate(cases):
        target = _target_of(case, recorded)
        try:
            if target not in programs:
                [programs[target]] = find_targets([target])
        except BadInput as error:
            bad = error.problems if isinstance(error, BadProgram) else ()
            told = [str(problem) for problem in bad] or [f"error: {error}"]
            for line in told:
                complain(line)
            attempts.impossible(cases[number:], "\n".join(told))
            break
        lines: list[str] = []
        same = replay_case(programs[target].program, case, lines.append)
        shown = lines if steps else [line for line in lines if not line[:1].isspace()]
        attempts.ended(case, None if same else "\n".join(lines), lines=shown)
    return attempts.concluded(recorded)


def _target_of(case: ActorCase, recorded: str) -> str:
    """The target that leads to the case's program: as recorded where that names the case's file."""
    entry = case.entry
    member = f"{entry.module}.{entry.cls}.{entry.name}" if entry.cls else f"{entry.module}.{MAIN}"
    for target in recorded.split(" "):
        place = target.partition("::")[0]
        if entry.file in place.split(","):
            return f"{place}::{member}"
    return f"{entry.file}::{member}"
