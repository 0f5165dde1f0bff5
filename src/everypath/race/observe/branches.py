"""The branches of rewritten code, and which of them some call has taken."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Branch:
    """One way that an `if`, a loop, a `match` or an `except` can go."""

    file: str
    function: str
    """qualified name"""
    line: int
    column: int


BRANCHES: dict[Branch, int] = {}
"""every branch with its number"""
REACHED: set[int] = set()
"""numbers of the branches that were taken"""


def branch_number(branch: Branch) -> int:
    """The number of a branch, the same if its code is rewritten again."""
    return BRANCHES.setdefault(branch, len(BRANCHES))


def branches_of(classes: Iterable[tuple[str, str]]) -> tuple[list[Branch], list[Branch]]:
    """The branches of these classes, given by file and qualified name, that were taken, and those that were not."""
    wanted = [(file, f"{name}.") for file, name in classes]
    taken: list[Branch] = []
    left: list[Branch] = []
    for branch, number in BRANCHES.items():
        if any(branch.file == file and branch.function.startswith(name) for file, name in wanted):
            (taken if number in REACHED else left).append(branch)
    return taken, left
