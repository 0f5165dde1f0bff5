"""The format `json`: one object for a whole run, whatever its language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from everypath.cases.json_writer import render_json
from everypath.cases.kinds import AnySuite, Kind
from everypath.cases.model import Problem, SomeCase, SomeSuite
from everypath.languages.base import Module, Source, Written


class JsonWriter:
    """Writes every case of a run into one JSON object."""

    format = "json"
    whole = True
    tries = False

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def file_name(self, source: Source) -> str:
        """JSON is printed unless the user names a file."""
        return f"{source.title}.json"

    def unwritable(self, suite: SomeSuite, case: SomeCase) -> str | None:
        """JSON holds everything."""
        return None

    def render(self, modules: Sequence[Module], place: Path | None = None, problems: Sequence[Problem] = ()) -> Written:
        """The object, with the problems that belong to no suite."""
        suites = [suite for module in modules for suite in module.suites]
        told = {problem for suite in suites for problem in suite.stats.unsupported}
        untold = [problem for problem in dict.fromkeys(problems) if problem not in told]
        text = render_json(cast("list[AnySuite]", suites), untold, self._kind)
        return Written(text, tuple(case.id for module in modules for case in module.cases))
