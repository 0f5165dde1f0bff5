"""The format `sarif`: the findings of a whole run, whatever its language, for code hosts and editors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from everypath.cases.kinds import AnySuite
from everypath.cases.model import Problem, SomeCase, SomeSuite
from everypath.cases.sarif import render_sarif, results_of
from everypath.languages.base import Module, Source, Written

_NO_FINDING = "shows no finding that others do not show"


class SarifWriter:
    """Writes the findings of a run as one SARIF log."""

    format = "sarif"
    whole = True
    tries = False

    def file_name(self, source: Source) -> str:
        """A log is printed unless the user names a file."""
        return f"{source.title}.sarif"

    def unwritable(self, suite: SomeSuite, case: SomeCase) -> str | None:
        """Findings are words and places."""
        return None

    def render(self, modules: Sequence[Module], place: Path | None = None, problems: Sequence[Problem] = ()) -> Written:
        """The log, with the problems of all suites and those that belong to none."""
        suites = [suite for module in modules for suite in module.suites]
        told = [each for suite in suites for each in (*suite.problems, *suite.stats.unsupported)]
        cases = [case for suite in suites for case in suite.cases]
        results = results_of(cast("list[AnySuite]", suites))
        shown = {case for result in results for case in result.cases}
        found = tuple(case.id for case in cases if case.id in shown)
        others = tuple((case.id, _NO_FINDING) for case in cases if case.id not in shown)
        return Written(render_sarif(results, [*problems, *told]), found, others)
