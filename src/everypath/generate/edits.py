"""Notices source files that are edited while they are being tested."""

from __future__ import annotations

import os

from everypath.cases.model import Problem

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
