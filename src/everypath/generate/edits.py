"""Tells whether code is still what it was: since a suite was stored, which is not extended if not, and during a run."""

from __future__ import annotations

import os

from everypath.cases.keys import digest
from everypath.cases.model import Problem
from everypath.languages.base import EntryPoint, Loaded, Source
from everypath.languages.depending import Dependences

Stamp = tuple[int, int] | None
"""When a file was last written and how long it is; None if there is no such file."""


def stamp(file: str) -> Stamp:
    """The stamp that tells one text of a file from another."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def edited(file: str) -> Problem:
    """The note about a file that has changed: its tests would be about the old text or the new one."""
    message = "was edited while it was being tested, so that its tests may not fit and are not written; try again"
    return Problem("edited", file, 0, message)


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
