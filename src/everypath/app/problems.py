"""What could not be done, told on the error stream."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.cases.model import Problem
from everypath.report.streams import complain


def print_problems(problems: Iterable[Problem]) -> None:
    """Each problem once, as one line that begins with its place."""
    for problem in dict.fromkeys(problems):
        place = f"{problem.file}:{problem.line}" if problem.line else problem.file
        complain(" ".join(f"{place}: {problem.kind}: {problem.message}".split()))
