"""Which stored suites a page is about: what the user names leads to files, and those of one module make one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from everypath.app.heads import origin_in
from everypath.app.origins import targets_of
from everypath.app.pages.filling import Stored
from everypath.app.stored import find_stored, folder_of
from everypath.cases import store
from everypath.cases.kinds import AnySuite, kind_of
from everypath.errors import BadInput
from everypath.records import dataclass, field

_ADVICE = "`everypath generate` stores suites there"


@dataclass(slots=True)
class Group:
    """What one page shows."""

    title: str
    stored: list[Stored] = field(default_factory=list)

    @property
    def file_name(self) -> str:
        """What its file is called among others."""
        suite = self.stored[0].suite
        return f"{store.file_name(self.title, kind_of(suite)).removesuffix('.json')}.html"


@dataclass(slots=True)
class Gathered:
    """What a command is to show."""

    title: str
    groups: list[Group] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    """what is wrong with files that are left out"""


def gather(name: str, folder: Path | None = None) -> Gathered:
    """The suites that a stored suite, a generated file, a target or a folder leads to; BadInput for none."""
    folder = folder or folder_of(None)
    path = Path(name)
    if path.is_dir():
        return _in_folder(name, path, folder)
    stored = find_stored(name, folder)
    if stored is not None:
        return Gathered(name, grouped([Stored(store.load(stored), stored)]))
    origin = origin_in(name)
    wanted = list(targets_of(name, origin)) if origin is not None else [name]
    found, unusable = _loaded(sorted(folder.glob("*.json")))
    chosen = [each for each in found if any(_is_about(each.suite.target, target) for target in wanted)]
    if not chosen:
        raise BadInput(_nothing(name, origin is not None, [each.suite.target for each in found], folder))
    return Gathered(name, grouped(chosen), unusable)


def gather_files(title: str, paths: Sequence[Path]) -> Gathered:
    """The suites in some files."""
    found, unusable = _loaded(paths)
    return Gathered(title, grouped(found), unusable)


def _in_folder(name: str, folder: Path, stored: Path) -> Gathered:
    own = folder if folder.name == store.FOLDER else folder / store.FOLDER
    if own.is_dir():
        found, unusable = _loaded(sorted(own.glob("*.json")))
        title = str(folder.resolve().name if folder.name in ("", ".") else name)
    else:
        found, unusable = _loaded(sorted(stored.glob("*.json")))
        inside = folder.resolve()
        found = [each for each in found if Path(_place(each.suite)).resolve().is_relative_to(inside)]
        title = name
    if not found:
        problems = "; ".join(unusable[:3])
        raise BadInput(
            f"there are no suites in {own}{f' that can be read ({problems})' if problems else ''}; {_ADVICE}"
        )
    return Gathered(title, grouped(found), unusable)


def _loaded(paths: Iterable[Path]) -> tuple[list[Stored], list[str]]:
    """The suites that can be read, and what is wrong with the others."""
    found: list[Stored] = []
    unusable: list[str] = []
    for path in paths:
        try:
            suite = store.load(path)
        except BadInput as error:
            unusable.append(str(error))
            continue
        if suite.cases:
            found.append(Stored(suite, path))
    return found, unusable


def grouped(found: Iterable[Stored]) -> list[Group]:
    """A page for every module, in the order of names; threads have one of their own."""
    groups: dict[tuple[str, str], Group] = {}
    for each in found:
        kind, module = kind_of(each.suite).name, each.suite.cases[0].entry.module
        group = groups.setdefault((module, kind), Group(_title(each.suite)))
        group.stored.append(each)
    for group in groups.values():
        group.stored.sort(key=lambda each: (each.suite.cases[0].entry.line, each.suite.target))
        if len(group.stored) == 1:
            group.title = group.stored[0].suite.target
    return [groups[key] for key in sorted(groups)]


def _title(suite: AnySuite) -> str:
    """The module as the user would name it: its file, or a class in a folder of many."""
    entry, place = suite.cases[0].entry, _place(suite)
    return place if place.endswith(entry.file.rpartition("/")[2]) else f"{place}::{entry.module}"


def _place(suite: AnySuite) -> str:
    return suite.target.partition("::")[0]


def _is_about(target: str, wanted: str) -> bool:
    """Whether a target is the wanted one or lies inside it."""
    place, _, member = wanted.partition("::")
    own, _, name = target.partition("::")
    same = own == place or Path(own).resolve() == Path(place).resolve()
    return same and (not member or name == member or name.startswith(f"{member}."))


def _nothing(name: str, generated: bool, known: Sequence[str], folder: Path) -> str:
    if not folder.is_dir():
        return f"no suite of {name!r} is stored here: there is no folder {folder}; {_ADVICE}"
    what = f"the suites that {name} was made from are not stored" if generated else f"no stored suite {name!r}"
    listed = ", ".join(dict.fromkeys(known[:12])) or "none"
    return f"{what}; in {folder}/ there are: {listed}{' and others' if len(known) > 12 else ''}"
