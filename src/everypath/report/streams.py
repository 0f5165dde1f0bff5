"""Plain lines for the user, each delivered at once, and whether a person watches."""

from __future__ import annotations

import os
import sys
from typing import TextIO

_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Settings by which a user asks for a terminal's output elsewhere; what they mean is for `rich` to say."""


CONTROL_CODES = dict.fromkeys({*range(32), *range(127, 160)} - set(b"\t\n"))
"""What the program under test prints or names must not move the cursor."""


def say(text: str, stream: TextIO | None = None) -> None:
    """One line on standard output, or on the stream."""
    print(text.translate(CONTROL_CODES), file=stream, flush=True)


def complain(text: str) -> None:
    """One line on standard error, which is gone if the caller of the program has closed it."""
    if sys.stderr is not None:
        print(text.translate(CONTROL_CODES), file=sys.stderr, flush=True)


def is_watched(stream: TextIO) -> bool:
    """Whether the stream may be a terminal; asked before the library that draws for people is loaded."""
    return stream.isatty() or any(name in os.environ for name in _FORCING)
