"""Plain lines for the user, each delivered at once, one line that is overwritten, and whether a person watches.

Nothing large is loaded for it: what a run does is shown before the run itself is loaded.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Settings by which a user asks for the output of a terminal elsewhere; `rich` decides what they mean."""
_USUAL_WIDTH = 80
STARTING = "starting"
CONTROL_CODES = dict.fromkeys({*range(32), *range(127, 160)} - set(b"\t\n"))
"""Control characters: what the program under test prints or names must not move the cursor."""


_live: list[TextIO] = []
"""the terminal on which the line stands that is overwritten next"""


def draws(stream: TextIO | None) -> bool:
    """Whether a line on the stream can be overwritten."""
    if stream is None or os.environ.get("TERM") in ("dumb", "unknown") or os.environ.get("TTY_INTERACTIVE") == "0":
        return False
    return stream.isatty() or os.environ.get("TTY_COMPATIBLE") == "1"


def width_of(stream: TextIO) -> int:
    """How many columns a terminal has."""
    with contextlib.suppress(ValueError, OSError):
        return int(os.environ["COLUMNS"]) if "COLUMNS" in os.environ else os.get_terminal_size(stream.fileno()).columns
    return _USUAL_WIDTH


def show(text: str, stream: TextIO) -> None:
    """Put a line on a terminal that stands there until the next one, or until anything else is said."""
    with contextlib.suppress(OSError):
        stream.write(f"\r{text.translate(CONTROL_CODES)}\x1b[K")
        stream.flush()
        _live[:] = [stream]


def clear() -> None:
    """Take the line away."""
    while _live:
        stream = _live.pop()
        with contextlib.suppress(OSError, ValueError):
            stream.write("\r\x1b[K")
            stream.flush()


def say(text: str, stream: TextIO | None = None) -> None:
    """Print one line on standard output, or on the given stream."""
    clear()
    print(text.translate(CONTROL_CODES), file=stream, flush=True)


def complain(text: str) -> None:
    """Print one line on standard error; it is dropped if the caller of the program has closed that."""
    clear()
    if sys.stderr is not None:
        print(text.translate(CONTROL_CODES), file=sys.stderr, flush=True)


def is_watched(stream: TextIO) -> bool:
    """Whether the stream may be a terminal; asked before the library that draws on terminals is loaded."""
    return stream.isatty() or any(name in os.environ for name in _FORCING)
