"""The cases of a stored suite that are run again: tells how each of them ends, and keeps it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from everypath.app.exit_codes import DONE, FINDINGS
from everypath.cases.kinds import AnyCase
from everypath.report.attempt import Attempt
from everypath.report.streams import complain, say


class Attempts:
    """What comes of the cases."""

    def __init__(self) -> None:
        self.made: list[Attempt] = []
        self._seconds: dict[str, float] = {}
        """case id -> what it has taken before its turn"""
        self._since = time.monotonic()

    def passing(self, case_id: str) -> None:
        """What went by since the last call of any of these was spent on this case."""
        now = time.monotonic()
        self._seconds[case_id] = self._seconds.get(case_id, 0.0) + now - self._since
        self._since = now

    def ended(self, case: AnyCase, problem: str | None, more: str = "", lines: Iterable[str] = ()) -> None:
        """Tell how a case has ended, with more about it behind its name and in lines below."""
        self.passing(case.id)
        self.made.append(Attempt(case, self._seconds.pop(case.id), problem))
        shown = f": {more}" if more else ""
        say(f"{'ok  ' if problem is None else 'FAIL'} {case.name or case.id}{shown}")
        for line in lines:
            say(f"    {line}")

    def impossible(self, cases: Sequence[AnyCase], reason: str) -> None:
        """None of the cases can be tried."""
        self.made += [Attempt(case, problem=reason, broken=True) for case in cases]

    def concluded(self, target: str, command: str = "generate") -> int:
        """Tell the sum, and what to do if something is different; gives the exit code."""
        failed = [each for each in self.made if each.problem is not None]
        if not all(each.broken for each in self.made):
            say(f"{len(self.made) - len(failed)} of {len(self.made)} cases replayed as recorded")
        if not failed:
            return DONE
        advice = f"if that is intended, run `everypath {command} {target}` again"
        complain(f"{target} no longer does what was recorded: {advice}")
        return FINDINGS

    def as_junit(self, name: str) -> str:
        """All of it as JUnit XML."""
        # Few replays are for a build server.
        from everypath.report.junit_xml import render_junit

        return render_junit(name, self.made)
