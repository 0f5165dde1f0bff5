"""What the front end could not translate, collected so that one run reports everything."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.base import SourceProblem
from everypath.records import dataclass, field

Problem = SourceProblem


@dataclass(slots=True)
class Problems:
    """Collects problems without repetitions, in the order in which they were found."""

    found: dict[Problem, None] = field(default_factory=dict)

    def add(self, kind: str, span: Span, message: str) -> None:
        """Record one problem."""
        self.found[Problem(span, kind, message)] = None
