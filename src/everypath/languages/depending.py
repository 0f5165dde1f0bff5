"""What the tests of a function depend on, as a language can tell it, so that what is unchanged need not be done again.

A *fingerprint* is equal as long as a new search would find the same: it is made of the text of the function, of every
part of the program that it may come to use, and of what is assumed about its inputs. It says nothing of where these
parts stand: their *places* are listed beside it, and results are moved along when code above them grows or shrinks.
"""

from __future__ import annotations

from typing import Any, Protocol

from everypath.cases.model import SomeSuite
from everypath.languages.base import EntryPoint, Loaded
from everypath.records import dataclass


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


class Dependences(Protocol):
    """Answers for the programs of one run."""

    def reads(self, loaded: Loaded) -> Reads | None:
        """Everything that the tests of a program depend on; None where that cannot be told."""

    def fingerprint(self, loaded: Loaded, entry: EntryPoint) -> Fingerprint | None:
        """What the tests of one entry depend on; None where that cannot be told."""

    def written(self, remembered: Any, suite: SomeSuite, left_out: list[Any]) -> object:
        """What the runtime remembers about the cases of one entry, as plain values."""

    def read(self, data: Any, suite: SomeSuite, left_out: list[Any], lines: dict[int, int] | None) -> Any:
        """The same as the runtime takes it, with lines of the module moved."""
