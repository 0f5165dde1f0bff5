"""Tells whether a function is still the one that a stored suite is about: a suite of other code is not extended."""

from __future__ import annotations

from everypath.cases.keys import digest
from everypath.cases.model import Problem
from everypath.languages.base import EntryPoint, Loaded, Source
from everypath.languages.depending import Dependences


class Bases:
    """What the functions of a run and everything that they may use are now."""

    def __init__(self, dependences: Dependences | None) -> None:
        self._dependences = dependences
        self._files: dict[tuple[str, ...], str] = {}

    def of(self, source: Source, loaded: Loaded, entry: EntryPoint) -> str:
        """Equal as long as cases of the function hold: by what it uses, or by its files where nobody can tell that."""
        known = None if self._dependences is None else self._dependences.fingerprint(loaded, entry)
        return self._of_files((source.file, *source.others)) if known is None else known.key

    def _of_files(self, files: tuple[str, ...]) -> str:
        if files not in self._files:
            self._files[files] = digest(tuple(map(_contents, files)))
        return self._files[files]


def _contents(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError:
        return b""


def changed(entry: EntryPoint) -> Problem:
    """What is said about a function that an earlier suite no longer fits."""
    what = f"{entry.qualname} has changed since its tests were made, so that they are not extended and stay as they are"
    return Problem("changed", entry.span.file, entry.span.line, f"{what}; generate them again first")
