"""Plain lines for the user, each delivered at once, and whether a person watches."""

from __future__ import annotations

import os
import sys
from typing import TextIO

_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Settings by which a user asks for the output of a terminal elsewhere; `rich` decides what they mean."""


CONTROL_CODES = dict.fromkeys({*range(32), *range(127, 160)} - set(b"\t\n"))
"""Control characters: what the program under test prints or names must not move the cursor."""


def say(text: str, stream: TextIO | None = None) -> None:
    """Print one line on standard output, or on the given stream."""
    print(text.translate(CONTROL_CODES), file=stream, flush=True)


def complain(text: str) -> None:
    """Print one line on standard error; it is dropped if the caller of the program has closed that."""
    if sys.stderr is not None:
        print(text.translate(CONTROL_CODES), file=sys.stderr, flush=True)


def is_watched(stream: TextIO) -> bool:
    """Whether the stream may be a terminal; asked before the library that draws on terminals is loaded."""
    return stream.isatty() or any(name in os.environ for name in _FORCING)
