"""What the front end could not translate, collected so that one run reports everything."""

from __future__ import annotations

from everypath.errors import Span
from everypath.records import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something in the source that is not handled: where it is, what it is, what to do."""

    span: Span
    kind: str
    """unsupported (a construct) or types (a parameter whose type is not known)"""
    message: str

    def __str__(self) -> str:
        return f"{self.span}: {self.message}"


@dataclass(slots=True)
class Problems:
    """Collects problems without repetitions, in the order in which they were found."""

    found: dict[Problem, None] = field(default_factory=dict)

    def add(self, kind: str, span: Span, message: str) -> None:
        """Record one problem."""
        self.found[Problem(span, kind, message)] = None
