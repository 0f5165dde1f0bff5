"""Small programs kept as text, with what is expected of them."""

from __future__ import annotations

import re
from pathlib import Path

from everypath.records import dataclass

_HEADER = re.compile(r"^### (\w+) cases=(\d+) branches=(\d+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    """A module with a function `f`."""

    name: str
    source: str
    cases: int
    branches: int


def programs(path: Path) -> list[Program]:
    """The programs of a file, in order."""
    parts = _HEADER.split(path.read_text(encoding="utf-8"))[1:]
    return [
        Program(name, source.strip("\n") + "\n", int(cases), int(branches))
        for name, cases, branches, source in zip(*(parts[at::4] for at in range(4)))
    ]
