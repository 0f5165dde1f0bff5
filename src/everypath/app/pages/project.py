"""The pages of a project while people look at them: made when they are asked for, and again when a file has changed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from everypath.app.pages.filling import Stored, content_of
from everypath.app.pages.gathering import Gathered, Group, gather_files
from everypath.app.recorded import load_again, recorded_options
from everypath.cases import store
from everypath.cases.kinds import is_call_suite, is_race_suite
from everypath.cases.model import SomeSuite
from everypath.errors import BadInput
from everypath.languages.every import language_of
from everypath.records import replace
from everypath.report.page.document import document
from everypath.report.page.html import render
from everypath.report.page.index import Entry, index_document

_INTERFACE = "everypath.app.api"
CAN_EXTEND = find_spec(_INTERFACE) is not None
"""Whether suites can be gone on with, so that pages offer it."""
_Stamp = tuple[tuple[str, int, int], ...]
"""Files with their sizes and the times of their last changes."""


class Project:
    """The stored suites of a folder."""

    def __init__(self, folder: Path, allow_io: bool = False, stored: Path | None = None) -> None:
        self._folder = stored or folder / store.FOLDER
        self._title = folder.resolve().name
        self._allow_io = allow_io
        self._made: dict[str, tuple[_Stamp, str]] = {}
        """page -> the state of its files when it was made, and the page"""
        self._gathered: tuple[_Stamp, Gathered] | None = None

    def state(self) -> dict[str, Any]:
        """What changes whenever a suite does."""
        return {"stamp": str(hash(_stamp(self._files())))}

    def index(self) -> str:
        """The list of all pages."""
        gathered = self._gather()
        entries = [_entry(group) for group in gathered.groups]
        made = index_document(self._title, entries, gathered.unusable)
        made.head["live"] = self.state()["stamp"]
        return render(made, live=True)

    def has(self, name: str) -> bool:
        """Whether there is such a page."""
        return any(group.file_name == name for group in self._gather().groups)

    def page(self, name: str) -> str:
        """A page by the name of its file."""
        group = self._group(name)
        files = [each.path for each in group.stored if each.path is not None]
        sources = {Path(case.entry.file) for each in group.stored for case in each.suite.cases[:1]}
        stamp = _stamp([*files, *sorted(sources)])
        if name not in self._made or self._made[name][0] != stamp:
            content = replace(content_of(group.title, group.stored, allow_io=self._allow_io), home="../")
            made = document(content)
            made.head["live"] = self.state()["stamp"]
            made.head["can_extend"] = CAN_EXTEND
            self._made[name] = stamp, render(made, live=True)
        return self._made[name][1]

    def act(self, name: str, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Do what a page asks for; what to tell about it."""
        group = self._group(name)
        number = asked.get("suite")
        if not isinstance(number, int) or not 0 <= number < len(group.stored):
            raise BadInput("there is no such function on this page")
        stored = group.stored[number]
        if is_race_suite(stored.suite) and action != "run":
            raise BadInput(
                "schedules of threads are searched anew: run `everypath race` with a larger --time or another --seed"
            )
        match action:
            case "run":
                return self._run(stored, str(asked.get("case")))
            case "next":
                return _one_more(stored)
            case "further" if is_call_suite(stored.suite):
                return _further(stored, asked.get("choices"))
            case "further":
                return _wider(stored, str(asked.get("bound")))
            case _:
                raise BadInput(f"{action!r} is nothing that a page can ask for")

    def _run(self, stored: Stored, case_id: str) -> dict[str, Any]:
        found = stored.suite
        if is_race_suite(found):
            # Pages without races do without what follows schedules.
            from everypath.app.pages.races import follow_again

            wrong = follow_again(found, case_id)
        else:
            wrong = self._again(stored, cast("SomeSuite", found), case_id)
        return {"passed": wrong is None, "told": wrong or "ran as recorded"}

    def _again(self, stored: Stored, suite: SomeSuite, case_id: str) -> str | None:
        """How a case ends now, if other than recorded."""
        chosen = [case for case in suite.cases if case.id == case_id]
        if not chosen:
            raise BadInput("there is no such case")
        options = recorded_options(stored.suite, str(stored.path))
        options = replace(options, fence=replace(options.fence, allow_io=self._allow_io))
        language = language_of(suite.target)
        with language.working():
            loaded, _ = load_again(stored.suite, language, options)
            [again] = language.runtime(options).run_again(loaded, suite, chosen)
        return again.wrong

    def _group(self, name: str) -> Group:
        return next(group for group in self._gather().groups if group.file_name == name)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.json"))

    def _gather(self) -> Gathered:
        files = self._files()
        stamp = _stamp(files)
        if self._gathered is None or self._gathered[0] != stamp:
            self._gathered = stamp, gather_files(self._title, files)
        return self._gathered[1]


def _load(stored: Stored) -> Any:
    """A stored suite as the Python interface has it, which can be extended."""
    if not CAN_EXTEND:
        raise BadInput("suites cannot be extended by this version; generate it again with larger bounds")
    return import_module(_INTERFACE).load(str(stored.path))


def _one_more(stored: Stored) -> dict[str, Any]:
    """One more case of a function, stored with the others."""
    suite = _load(stored)
    found = suite.next()
    if found is None:
        return {"told": "there is no further path"}
    suite.save(stored.path.parent if stored.path is not None else None)
    return {"told": f"found {found.name.replace('_', ' ')}", "case": found.id}


def _further(stored: Stored, choices: object) -> dict[str, Any]:
    """What lies behind a path that was cut."""
    suite = _load(stored)
    leaf = next((each for each in suite.frontier if list(each.choices) == choices), None)
    if leaf is None:
        raise BadInput("this path is not among those that the suite was stored with; generate it again")
    return _grown(stored, suite, suite.extend(leaf=leaf))


def _wider(stored: Stored, bound: str) -> dict[str, Any]:
    """What a larger bound brings: orders of messages are always searched anew, not from where one was cut."""
    suite = _load(stored)
    return _grown(stored, suite, suite.widen(bound))


def _grown(stored: Stored, before: Any, after: Any) -> dict[str, Any]:
    after.save(stored.path.parent if stored.path is not None else None)
    more = len(after) - len(before)
    return {"told": f"{more} more case{'s' * (more != 1)}"}


def _stamp(files: Sequence[Path]) -> _Stamp:
    found = []
    for file in files:
        try:
            known = file.stat()
        except OSError:
            continue
        found.append((str(file), known.st_size, known.st_mtime_ns))
    return tuple(found)


def _entry(group: Group) -> Entry:
    suites = [each.suite for each in group.stored]
    cases = sum(len(suite.cases) for suite in suites)
    found = sum(any(case.finding is not None for case in suite.cases) for suite in suites)
    cut = sum(sum(suite.stats.cut.values()) for suite in suites)
    language = language_of(suites[0].target).name
    return Entry(group.title, f"page/{group.file_name}", language, len(suites), cases, found, cut, 0)
