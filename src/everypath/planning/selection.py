"""Which functions of the found modules a run is about: without those left out, or only those that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from everypath.errors import BadInput
from everypath.languages.base import Definition, Language, Source
from everypath.options import Options


class Selection:
    """Decides for modules and for functions; remembers which patterns were of use."""

    def __init__(self, options: Options, language: Language) -> None:
        self.patterns = options.exclude
        self.used: set[str] = set()
        self._changes = _changes_since(options.diff, language) if options.diff is not None else None
        self._language = language
        self._changed: dict[Source, frozenset[str]] = {}

    @property
    def unused(self) -> list[str]:
        """The patterns that left nothing out."""
        return [pattern for pattern in self.patterns if pattern not in self.used]

    def takes_module(self, source: Source) -> bool:
        """Whether anything of the module may be asked for; it is not loaded otherwise."""
        if self._excludes(_names_of_module(source)):
            return False
        return self._changes is None or bool(self._changed_in(source))

    def takes(self, source: Source, qualname: str) -> bool:
        """Whether a function or method is asked for."""
        return not self.excludes(source, qualname) and self.changed(source, qualname)

    def excludes(self, source: Source, qualname: str) -> bool:
        """Whether a function or method is left out by a pattern."""
        return self._excludes(_names_of_function(source, qualname))

    def changed(self, source: Source, qualname: str) -> bool:
        """Whether a function or method differs from the revision, if one is given."""
        if self._changes is None:
            return True
        changed = self._changed_in(source)
        return "*" in changed or qualname.removesuffix(".setter") in changed

    def count(self, source: Source) -> int:
        """About how many functions of a module are asked for, judging by its text alone."""
        member = source.member
        inside = [
            d.qualname
            for d in self._definitions(source)
            if d.qualname == member or (d.public and (not member or d.qualname.startswith(f"{member}.")))
        ]
        return sum(self.takes(source, name) for name in inside)

    def _definitions(self, source: Source) -> tuple[Definition, ...]:
        """The functions of a module; none where it cannot be read, which loading it will tell."""
        try:
            return self._language.definitions(source.path.read_bytes())
        except (BadInput, OSError):
            return ()

    def _changed_in(self, source: Source) -> frozenset[str]:
        assert self._changes is not None
        if source not in self._changed:
            self._changed[source] = self._changes(source.path)
        return self._changed[source]

    def _excludes(self, names: Iterator[str]) -> bool:
        excluded = False
        for name in names:
            for pattern in self.patterns:
                if fnmatchcase(name, pattern):
                    self.used.add(pattern)
                    excluded = True
        return excluded


def _changes_since(revision: str, language: Language) -> Callable[[Path], frozenset[str]]:
    # Few runs ask git, and what starts processes takes a while to load.
    from everypath.planning.git_changes import GitChanges

    return GitChanges(revision, language).functions


def _names_of_module(source: Source) -> Iterator[str]:
    """Everything by which a pattern may mean a whole module: it, its file, and the packages and folders around."""
    parts = source.module.split(".")
    yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    file = PurePath(source.file)
    yield file.name
    yield file.as_posix()
    for folder in file.parents:
        if folder.name:
            yield folder.name
            yield folder.as_posix()
            yield f"{folder.as_posix()}/"


def _names_of_function(source: Source, qualname: str) -> Iterator[str]:
    """Everything by which a pattern may mean a function: it and its class, with and without the module."""
    parts = qualname.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        yield name
        yield f"{source.module}.{name}"
        yield f"{source.module}::{name}"
        yield f"{source.file}::{name}"
    if len(parts) > 1:
        yield parts[-1]
