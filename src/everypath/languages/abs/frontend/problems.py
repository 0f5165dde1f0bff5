"""What is wrong with ABS source text, collected so that one run reports everything."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from everypath.errors import Span
from everypath.records import dataclass, field

SYNTAX, NAME, TYPE, UNSUPPORTED = "syntax", "name", "type", "unsupported"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing to change in the source: where it is and what it is."""

    span: Span
    kind: str
    """syntax, name, type or unsupported"""
    message: str

    def __str__(self) -> str:
        column = f":{self.span.column}" if self.span.column else ""
        return f"{self.span}{column}: {self.message}"


@dataclass(slots=True)
class Problems:
    """Collects problems; the same one is kept once."""

    found: dict[Problem, None] = field(default_factory=dict)

    def add(self, kind: str, span: Span, message: str) -> None:
        """Record one problem."""
        self.found[Problem(span, kind, message)] = None

    def sorted(self) -> tuple[Problem, ...]:
        """All problems, in the order of the source."""
        return tuple(sorted(self.found))


def did_you_mean(wrong: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The known name that is most like a wrong one, as the end of a message; empty where none is."""
    near = get_close_matches(wrong, list(known), 1, likeness)
    return f"; did you mean `{near[0]}`?" if near else ""
