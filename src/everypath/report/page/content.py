"""What goes on a page, before anybody decides how it is drawn: suites, and what runs of them have shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everypath.cases.kinds import AnySuite
from everypath.cases.model import Problem
from everypath.cases.recordings import Recording
from everypath.cases.spelling import PYTHON, Spelling
from everypath.cases.trees import Tree
from everypath.records import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source file as it is now."""

    name: str
    text: str | None
    """None where it cannot be read"""
    note: str = ""
    """what is wrong with it: missing, or newer than the suite"""
    executable: Sequence[int] = ()
    """the lines that hold code; empty where nobody knows"""
    branches: Sequence[str] = ()
    """every branch, as cases name those that they take"""


@dataclass(frozen=True, slots=True)
class ShownSuite:
    """A suite and what is known about it besides."""

    suite: AnySuite
    place: str = ""
    """what `replay` calls it"""
    recordings: Mapping[str, Recording] = field(default_factory=dict)
    """case id -> what its run did step by step"""
    wrong: Mapping[str, str] = field(default_factory=dict)
    """case id -> how it now runs other than recorded"""
    tests: Mapping[str, str] = field(default_factory=dict)
    """case id -> its test as it is emitted"""
    trees: Sequence[Tree] = ()
    problems: Sequence[Problem] = ()
    """what kept the rest from being found out"""


@dataclass(frozen=True, slots=True)
class Content:
    """One page."""

    title: str
    language: str
    suites: Sequence[ShownSuite]
    sources: Sequence[SourceText] = ()
    spelling: Spelling = PYTHON
    test_file: str = ""
    """where the emitted tests are, if that is known"""
    problems: Sequence[Problem] = ()
    home: str = ""
    """the page that lists this one among others"""
