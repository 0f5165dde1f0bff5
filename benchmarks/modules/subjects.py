"""Reads a list of subjects: each line is what pip installs (`-`: nothing), and a module or a file of this project.

A module for which nothing is installed is one of the standard library.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@dataclass(frozen=True, slots=True)
class Subject:
    """A module for which tests are made, and the distribution that holds it."""

    requirement: str | None
    target: str

    @property
    def is_file(self) -> bool:
        """Whether it is a file of this project, as opposed to an importable module."""
        return self.target.endswith(".py")

    @property
    def name(self) -> str:
        """What the subject is called in tables and in names of folders."""
        return self.target.removesuffix(".py").replace("/", ".")


def read(file: Path) -> list[Subject]:
    """The subjects of a list, in its order; empty lines and those that begin with `#` say nothing."""
    lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Subject(None if requirement == "-" else requirement, target)
        for requirement, target in (line for line in lines if line and not line[0].startswith("#"))
    ]
