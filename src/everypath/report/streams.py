"""Plain lines for the user, each delivered at once, and whether a person watches."""

from __future__ import annotations

import os
import sys
from typing import TextIO

_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Settings by which a user asks for a terminal's output elsewhere; what they mean is for `rich` to say."""


def say(text: str) -> None:
    """One line on standard output."""
    print(text, flush=True)


def complain(text: str) -> None:
    """One line on standard error, which is gone if the caller of the program has closed it."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


def is_watched(stream: TextIO) -> bool:
    """Whether the stream may be a terminal; asked before the library that draws for people is loaded."""
    return stream.isatty() or any(name in os.environ for name in _FORCING)
