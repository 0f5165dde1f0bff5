"""Plain lines for the user, each delivered at once; a stream that the caller closed is none."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """One line on standard output."""
    print(text, flush=True)


def complain(text: str) -> None:
    """One line on standard error."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)
