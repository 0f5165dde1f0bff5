"""Does not do again what an earlier run has done and nothing has changed since.

Three questions, the cheapest first:

1. Are all files that a module depends on as they were, and is the file of tests as it was written? Then there is
   nothing to do; the program is not even loaded.
2. Are the former as they were? Then the module has the tests that it had, and only its file is written again.
3. Which functions may use nothing that has changed? These keep the cases that they had; the others are explored. What
   concerns the module as a whole (calls that are observed, tests that are run together) is done again.

What is kept is a file for each module and each set of options. Files that cannot be read are told and set aside.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

from everypath.cases.codec import Damaged
from everypath.cases.kinds import CALLS
from everypath.cases.model import CallSuite, Problem, SomeCase, SomeSuite
from everypath.cases.store import stored_form
from everypath.generate.kept import Body, Contents, Entry, Facts, Kept, Older, Unusable, Whole, settings_digest, written
from everypath.generate.results import Run
from everypath.languages.base import EntryPoint, Loaded, Module, Source
from everypath.languages.depending import Dependences
from everypath.options import POINTS, Options, told
from everypath.records import asdict, replace
from everypath.report.summary import Row
from everypath.workers.process import meanwhile

FOLDER = "kept"
"""Below the folder of the store."""
_NO_MATTER = ("check", "jobs", "diff", "output", "format", "unreached", "store", "said")
"""Options that make no difference to what a function's tests are."""
_FEW = 8
"""So many cases show nearly all kinds of values that a suite has."""
_LOST_KINDS = ("import", "internal error", "edited")
"""Problems that may be gone in the next run, although nothing has changed."""


class Keeping:
    """What earlier runs have kept, and what this one keeps."""

    def __init__(self, options: Options, dependences: Dependences, tell: Callable[[str], None]) -> None:
        self.folder = Path(options.store) / FOLDER
        self._options = options
        self._dependences = dependences
        self._tell = tell
        self._contents = Contents()
        self._here = Path.cwd()
        self._known: dict[str, Kept | None] = {}
        self._bodies: dict[str, Body | None] = {}
        self._older = False
        """whether it was told that there is something of another version"""
        self._foreseen = False

    def path(self, sources: Sequence[Source]) -> Path:
        """Where the results of a module are kept."""
        name = re.sub(r"[^\w.-]", "_", sources[0].module)[-120:]
        return self.folder / f"{name}.{self._settings(sources)}"

    def whole(self, sources: Sequence[Source]) -> Whole | None:
        """What came of a module, if nothing that it depends on has changed."""
        kept = self._kept(sources)
        if kept is None or kept.whole is None:
            return None
        facts = kept.whole.facts
        unchanged = facts.settings == self._settings(sources) and self._contents.hold(facts, self._here)
        return kept.whole if unchanged else None

    def restored(self, module: Module, sources: Sequence[Source], whole: Whole) -> bool:
        """Give a module the results that it had."""
        body = self._body(sources)
        if body is None:
            return False
        known = {each.target: each for each in (*(entry.suite for entry in body.entries.values()), *body.suites)}
        if not known.keys() >= set(body.order):
            return False
        module.suites = [_copied(cast("SomeSuite", self._with_options(known[target]))) for target in body.order]
        module.left_out = cast("list[SomeCase]", body.left_out)
        module.restore_state = whole.restore_state
        module.untouched = set(whole.untouched)
        for suite in module.suites:
            module.ways.update(suite.ways)
        module.notes.unchanged = len(module.suites)
        return True

    def entry(
        self, module: Module, sources: Sequence[Source], loaded: Loaded, entry: EntryPoint
    ) -> tuple[SomeSuite, Any, Entry] | None:
        """The cases that an entry had, if it may use nothing that has changed, and what the runtime knew of it."""
        body = self._body(sources)
        known = None if body is None else body.entries.get(entry.qualname)
        if known is None:
            return None
        fingerprint = self._dependences.fingerprint(loaded, entry)
        if fingerprint is None or fingerprint.key != known.fingerprint.key:
            return None
        if fingerprint.places == known.fingerprint.places:
            suite, left_out, lines = cast("SomeSuite", self._with_options(known.suite)), known.left_out, None
        else:
            # Few runs come here, and only to code that has moved.
            from everypath.generate.moving import moved_along

            along = moved_along(self._with_options(known.suite), known, fingerprint, loaded.file)
            if along is None:
                return None
            suite, left_out, lines = along
        try:
            remembered = self._dependences.read(known.remembered, suite, left_out, lines)
        except Damaged:
            return None
        data = self._dependences.written(remembered, suite, left_out)
        return suite, remembered, Entry(fingerprint, cast("CallSuite", _copied(suite)), left_out, data)

    def take(self, module: Module, entry: EntryPoint, suite: SomeSuite, note: Entry) -> None:
        """Give a module the cases that an entry had."""
        module.suites.append(suite)
        module.left_out += cast("list[SomeCase]", note.left_out)
        module.ways.update(suite.ways)
        module.notes.entries[entry.qualname] = note
        module.notes.unchanged += 1

    def expect(self, suite: SomeSuite) -> None:
        """There will be something to keep of a suite: while its cases are run, find out how such values are written."""
        if not self._foreseen:
            self._foreseen = True
            few = replace(suite, cases=suite.cases[:_FEW])
            meanwhile(lambda: stored_form(CALLS).encode(CallSuite, few))

    def note(self, module: Module, loaded: Loaded, entry: EntryPoint, suite: SomeSuite, remembered: Any) -> None:
        """Keep what came of an entry."""
        fingerprint = self._dependences.fingerprint(loaded, entry)
        if fingerprint is None or not suite.stats.complete or any(p.kind in _LOST_KINDS for p in suite.problems):
            return
        prefix = f"{suite.target}#"
        left_out = [case for case in module.left_out if case.id.startswith(prefix)]
        ways = {case.id: module.ways[case.id] for case in (*suite.cases, *left_out) if case.id in module.ways}
        snapshot = replace(_copied(suite), ways=ways)
        data = self._dependences.written(remembered, suite, left_out)
        module.notes.entries[entry.qualname] = Entry(
            fingerprint, cast("CallSuite", snapshot), cast("Any", left_out), data
        )

    def finish(self, module: Module, sources: Sequence[Source], run: Run, problems: int, before: bool) -> None:
        """Note what came of a module as a whole, if it would come of it again."""
        if run.interrupted or not module.programs:
            module.notes.entries.clear()
            return
        own = run.problems[problems:]
        rows = [row for row in run.rows if row.module == module.name]
        if (run.failed and not before) or run.defective or not _would_come_again(own, rows):
            return
        reads = [self._dependences.reads(loaded) for loaded in module.programs]
        if not all(reads) or not module.suites or self._options.diff is not None:
            return
        facts = [self._contents.facts(each, self._settings(sources), self._here) for each in reads if each]
        module.notes.whole = Whole(
            _together(facts), rows, own, False, module.restore_state, sorted(module.untouched), stored=[]
        )

    def save(self, module: Module, sources: Sequence[Source]) -> None:
        """Leave what was noted for later runs; OSError says why that is not possible."""
        if not module.notes.entries and module.notes.whole is None:
            return
        path = self.path(sources)
        whole = cast("Whole | None", module.notes.whole)
        entries = {name: cast("Entry", note) for name, note in module.notes.entries.items()}
        if self._options.diff is not None and (body := self._body(sources)) is not None:
            entries = {**body.entries, **entries}
        suites = cast("list[CallSuite]", module.suites if whole else [])
        known = {entry.suite.target: entry.suite for entry in entries.values()}
        changed = [each for each in suites if each.target not in known or not _is_same(each, known[each.target])]
        body = Body(entries, [each.target for each in suites], changed, cast("Any", module.left_out))
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}.{os.getpid():x}")
        try:
            text = written(whole, body, self._contents.surroundings())
            hidden.write_text(text, encoding="utf-8", newline="\n")
            os.replace(hidden, path)
        finally:
            with contextlib.suppress(OSError):
                hidden.unlink()

    def _settings(self, sources: Sequence[Source]) -> str:
        options = {name: value for name, value in asdict(self._options).items() if name not in _NO_MATTER}
        root = os.path.relpath(sources[0].root)
        return settings_digest(options, [root, *(source.target for source in sources)])

    def _with_options(self, suite: CallSuite) -> CallSuite:
        return replace(suite, options=told(self._options))

    def _kept(self, sources: Sequence[Source]) -> Kept | None:
        path = self.path(sources)
        if str(path) not in self._known:
            self._known[str(path)] = self._opened(path)
        return self._known[str(path)]

    def _opened(self, path: Path) -> Kept | None:
        if not path.exists():
            # Nothing is kept of it yet; what will be needed to keep it can be found out while tests run.
            meanwhile(self._contents.surroundings)
            return None
        try:
            return Kept(path, self._contents.surroundings())
        except FileNotFoundError:
            return None
        except Older:
            if not self._older:
                self._tell(f"what another version has left in {self.folder} is not used; functions are explored anew")
            self._older = True
            return None
        except (Unusable, OSError, UnicodeDecodeError) as error:
            self._set_aside(path, error)
            return None

    def _body(self, sources: Sequence[Source]) -> Body | None:
        path = self.path(sources)
        if str(path) not in self._bodies:
            self._bodies[str(path)] = None
            kept = self._kept(sources)
            if kept is not None:
                try:
                    self._bodies[str(path)] = kept.body()
                except (Unusable, OSError, UnicodeDecodeError) as error:
                    self._set_aside(path, error)
        return self._bodies[str(path)]

    def _set_aside(self, path: Path, error: Exception) -> None:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        if isinstance(error, UnicodeDecodeError):
            reason = "it is damaged"
        self._known[str(path)] = None
        with contextlib.suppress(OSError):
            os.replace(path, path.with_name(f"{path.name}.aside"))
        self._tell(f"{path} is not used and was set aside: {reason}; its functions are explored anew")


def keeping(dependences: Dependences | None, options: Options, tell: Callable[[str], None]) -> Keeping | None:
    """What there is from earlier runs; None where a run depends on more than the program and its options."""
    elsewhere = options.summary or options.criteria or options.select.startswith(POINTS)
    return None if dependences is None or elsewhere else Keeping(options, dependences, tell)


def _would_come_again(problems: Sequence[Problem], rows: Sequence[Row]) -> bool:
    """Whether nothing has gone wrong that may go right the next time."""
    told = [*problems, *(problem for row in rows for problem in row.problems)]
    refused = [row.refused.kind for row in rows if row.refused is not None]
    return not any(each.kind in _LOST_KINDS for each in told) and not {"cut", "import"} & set(refused)


def _is_same(suite: CallSuite, before: CallSuite) -> bool:
    """Whether nothing has become of a suite since its function was explored."""
    mine, other = replace(suite, ways={}, options={}), replace(before, ways={}, options={})
    ways = all(before.ways.get(case) == way for case, way in suite.ways.items())
    return ways and mine == other


def _copied(suite: SomeSuite) -> SomeSuite:
    """The suite as it is now, whatever becomes of it."""
    return replace(
        suite, cases=[*suite.cases], problems=[*suite.problems], plans=dict(suite.plans), stats=deepcopy(suite.stats)
    )


def _together(facts: Sequence[Facts]) -> Facts:
    first = facts[0]
    files = {name: known for each in facts for name, known in each.files}
    variables = {name: value for each in facts for name, value in each.variables}
    return replace(first, files=tuple(sorted(files.items())), variables=tuple(sorted(variables.items())))
