"""What can go wrong, as types: each says where it happened and what the reader can do about it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from everypath.records import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source file; lines and columns count from one, zero means unknown."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.file:
            return "<unknown>"
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Span()


class EverypathError(Exception):
    """Base of every error that we raise on purpose."""

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(message)
        self.message = message
        self.span = span

    def __str__(self) -> str:
        return f"{self.span}: {self.message}" if self.span.file else self.message


class BadInput(EverypathError):
    """The target, an option or the code under test cannot be used as given; the message says what to change."""


class BadProgram(BadInput):
    """The source files are no program; carries everything that is wrong with them, each told on a line of its own."""

    def __init__(self, problems: Sequence[object]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


class Unsupported(EverypathError):
    """A construct that is not handled (yet); the path that needs it ends there and is reported with its line."""


class LimitReached(EverypathError):
    """A bound chosen by the user stopped a path; `kind` is the key under `stats.cut` that counts it."""

    def __init__(self, kind: str, message: str = "", span: Span = NOWHERE, wider: bool = False) -> None:
        super().__init__(message or f"stopped by the {kind} limit", span)
        self.kind = kind
        self.wider = wider
        """whether a larger bound offers several alternatives in the place of the one that ends here"""


class SolverUnknown(EverypathError):
    """The solver could not decide a condition within its limit; never taken as an answer."""

    possible: object = None
    """the side of the condition that is known to be possible all the same"""


class Internal(EverypathError):
    """A defect of Everypath itself; please report it together with the target."""


def debugging() -> bool:
    """Whether the user wants to see where a defect of ours happened."""
    return bool(os.environ.get("EVERYPATH_DEBUG"))
