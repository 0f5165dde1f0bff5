"""Plain lines for the user, each delivered at once."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """One line on standard output."""
    print(text, flush=True)


def complain(text: str) -> None:
    """One line on standard error, which is gone if the caller of the program has closed it."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)
