"""The timeline of two threads with the source lines that they execute."""

from __future__ import annotations

import linecache
import shutil
from collections.abc import Sequence
from typing import TextIO

from everypath.cases.interleavings import source_rows, two_columns
from everypath.cases.races import Turn

_PIPE_WIDTH = 100
_WIDEST = 150


def timeline_lines(turns: Sequence[Turn], width: int) -> list[str]:
    """The timeline in two columns; lines that can no longer be read show what happens on them instead."""
    return two_columns(source_rows(turns, linecache.getline), width)


def readable_width(stream: TextIO) -> int:
    """How wide lines may be: as the terminal is, within reason."""
    if not stream.isatty():
        return _PIPE_WIDTH
    return max(60, min(shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns - 1, _WIDEST))
