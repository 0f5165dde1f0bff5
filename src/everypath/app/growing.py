"""What a stored suite or a generated file was made from, so that it can be gone on from: targets, settings, suites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from everypath.app.heads import origin_in
from everypath.app.origins import asked_for, read_settings, targets_of
from everypath.app.recorded import whole_target
from everypath.app.settings import GENERATE
from everypath.app.stored import find_stored, folder_of, what_there_is
from everypath.cases import store
from everypath.cases.model import SomeSuite
from everypath.errors import BadInput, Span
from everypath.languages.every import language_of
from everypath.options import ACTORS, BOUNDS, SWITCHES
from everypath.records import dataclass

MOST_ROUNDS = 20
"""So often a bound is raised by one to find one more path."""
_RAISED = {"loops": 1, "switches": SWITCHES, "actors": ACTORS, "queue": 0}
"""The bounds that are raised for it, with what they are where nobody has set them."""
GROWING = ("loops", "lengths", "depth", "paths", "switches", "actors", "queue")
"""Settings that only ever grow when a suite is extended."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was asked for."""

    name: str
    """as the user calls it"""
    targets: tuple[str, ...]
    values: Mapping[str, Any]
    """the settings, by their names"""
    suite: SomeSuite | None = None
    """the one that is meant, if it is not a whole file"""

    def changed(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The settings with these changes, none of which may make anything smaller."""
        for setting in GENERATE:
            before, after = self.values[setting.name], changes.get(setting.name)
            if setting.name in GROWING and after is not None and before is not None and after < before:
                said = f"{setting.option} {after} is less than the {before} that it was made with"
                raise BadInput(f"{said}; extending only adds to it: generate it again for less", Span(self.name))
        return {**self.values, **changes}


def wider(suites: Iterable[SomeSuite], values: Mapping[str, Any], kind: str | None = None) -> dict[str, int]:
    """The bound that has cut most paths of some suites, or the one of a `kind`, raised by one: a setting and its value.

    Nothing where no path was cut by a bound that counts something.
    """
    return Widening().next(suites, values, kind)


class Widening:
    """Raises bounds by one, in turn: where the one that cuts most shows nothing, often another one is what matters."""

    def __init__(self) -> None:
        self._raised: Counter[str] = Counter()

    def next(self, suites: Iterable[SomeSuite], values: Mapping[str, Any], kind: str | None = None) -> dict[str, int]:
        """The next bound, among those that have cut paths, with its value."""
        cut: Counter[str] = Counter()
        for suite in suites:
            for why, count in suite.stats.cut.items():
                setting = BOUNDS.get(why, "").removeprefix("--")
                if count and setting in _RAISED and kind in (None, why):
                    cut[setting] += count
        if not cut:
            return {}
        setting = min(cut, key=lambda each: (self._raised[each], -cut[each]))
        self._raised[setting] += 1
        now = values.get(setting)
        return {setting: 1 + (_RAISED[setting] if now is None else now)}


def may_have_more(suites: Iterable[SomeSuite]) -> bool:
    """Whether the bounds as they are may leave paths that a search has not come to."""
    return any(not suite.stats.complete or suite.frontier for suite in suites)


def recorded(name: str, folder: Path | None = None) -> Recorded:
    """What a generated file or a stored suite was made from; BadInput if there is no such thing."""
    defaults = {setting.name: setting.default for setting in GENERATE}
    origin = origin_in(name)
    if origin is not None:
        return Recorded(name, targets_of(name, origin), asked_for(name, origin, defaults, frozenset()))
    path = find(name, folder or folder_of(None))
    stored = store.load(path)
    suite = cast("SomeSuite", stored)
    words = suite.options.get("said", ())
    said = tuple(map(str, words)) if isinstance(words, (list, tuple)) else ()
    values = {**defaults, **read_settings(str(path), said)}
    values |= {each: suite.options[each] for each in ("format", "output") if isinstance(suite.options.get(each), str)}
    return Recorded(name, (whole_target(stored, language_of(suite.target)),), values, suite)


def find(name: str, folder: Path) -> Path:
    """The file of a stored suite, by its path, its name in the store or its target."""
    path = find_stored(name, folder)
    if path is not None:
        return path
    if Path(name).is_file():
        reason = "is no file that Everypath has generated, and no stored suite; name one of these"
        raise BadInput(reason, Span(name))
    raise BadInput(f"no stored suite and no generated file {name!r}; {what_there_is(folder)}")


def stored_suites(complain: Callable[[str], None], folder: Path) -> Callable[[str], SomeSuite | None]:
    """Gives the stored suite of a target; one that cannot be read is told and does not count."""

    def suite_of(target: str) -> SomeSuite | None:
        path = folder / store.file_name(target)
        if not path.is_file():
            return None
        try:
            return cast("SomeSuite", store.load(path))
        except BadInput as error:
            complain(f"note: {error}; its functions are explored from the beginning")
            return None

    return suite_of
