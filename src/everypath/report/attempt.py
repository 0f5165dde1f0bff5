"""What came of a case that was run again."""

from __future__ import annotations

from everypath.cases.kinds import AnyCase
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """A case that was run again."""

    case: AnyCase
    seconds: float = 0.0
    problem: str | None = None
    """how it ended other than recorded, if so"""
    broken: bool = False
    """whether it could not even be tried"""
