"""What the tests of a function depend on, as a language can tell it, so that what is unchanged need not be done again.

A *fingerprint* is equal as long as a new search would find the same: it is made of the text of the function, of every
part of the program that it may come to use, and of what is assumed about its inputs. It says nothing of where these
parts stand: their *places* are listed beside it, and results are moved along when code above them grows or shrinks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from everypath.cases.model import SomeSuite
from everypath.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of a program stands."""

    file: str
    """as results name it"""
    name: str
    """what tells it from the other parts of the file"""
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the tests of a function depend on."""

    key: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Reads:
    """What of the world around a program decides about its tests."""

    files: tuple[str, ...]
    """whose contents count"""
    absent: tuple[str, ...] = ()
    """which would count if they were there"""
    variables: tuple[str, ...] = ()
    """of the environment"""


@dataclass(slots=True)
class Notes:
    """What a run notes about a module for later ones: `generate/keeping.py` fills and reads it."""

    unchanged: int = 0
    """functions whose tests were taken from an earlier run"""
    entries: dict[str, object] = field(default_factory=dict)
    """qualified name -> what came of a function"""
    whole: object = None
    """what came of the module, if it would come of it again"""


class Dependences(Protocol):
    """Answers for the programs of one run, each as its language has loaded it."""

    def reads(self, loaded: Any) -> Reads | None:
        """Everything that the tests of a program depend on; None where that cannot be told."""

    def fingerprint(self, loaded: Any, entry: Any) -> Fingerprint | None:
        """What the tests of one entry depend on; None where that cannot be told."""

    def changed(
        self, path: Path, differs: Callable[[Path], bool], before: Callable[[Path], str | None], gone: Sequence[str]
    ) -> frozenset[str]:
        """The functions of a file that are new or may use something that is different, by their qualified names.

        `differs` and `before` tell about any file what it was, `gone` are texts of files that no longer exist. An empty
        name stands for the file itself, if anything in it is different, and `*` for all of its functions.
        """

    def written(self, remembered: Any, suite: SomeSuite, left_out: list[Any]) -> object:
        """What the runtime remembers about the cases of one entry, as plain values."""

    def read(self, data: Any, suite: SomeSuite, left_out: list[Any], lines: dict[int, int] | None) -> Any:
        """The same as the runtime takes it, with lines of the module moved."""
