"""Takes results of an earlier run along with code that has moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from everypath.cases.model import CallSuite, SomeCase, SomeSuite
from everypath.cases.moving import Unmovable, moved, moved_cases
from everypath.generate.kept import Entry
from everypath.languages.depending import Fingerprint, Place


def moved_along(
    suite: CallSuite, known: Entry, now: Fingerprint, file: str
) -> tuple[SomeSuite, Any, dict[int, int]] | None:
    """A suite, cases that were left out of it, and the lines of a file, where they are now; None if nobody knows."""
    move = _Move(known.fingerprint.places, now.places)
    try:
        cases = cast("list[SomeCase]", known.left_out)
        return moved(cast("SomeSuite", suite), move), moved_cases(cases, move), move.lines(file)
    except Unmovable:
        return None


class _Move:
    """Where the parts of a program stood, and where they are."""

    def __init__(self, before: Sequence[Place], now: Sequence[Place]) -> None:
        self._ranges: dict[str, list[tuple[int, int, int]]] = {}
        for old, new in zip(before, now):
            self._ranges.setdefault(old.file, []).append((old.first, old.last, new.first - old.first))

    def __call__(self, file: str, line: int) -> int:
        """The new line; those of other files, such as those of libraries, stay."""
        if not line or file not in self._ranges:
            return line
        for first, last, shift in self._ranges[file]:
            if first <= line <= last:
                return line + shift
        raise Unmovable

    def lines(self, file: str) -> dict[int, int]:
        """All lines of a file that have moved."""
        return {
            line: line + shift
            for first, last, shift in self._ranges.get(file, ())
            for line in range(first, last + 1)
            if shift
        }
