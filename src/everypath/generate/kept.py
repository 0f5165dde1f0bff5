"""What a run leaves for the next one, in files: what a module's tests depended on, and what came of each function.

A file has three lines: its kind with checksums of the other two, a head that tells whether anything has changed at all,
and a body with results. Whoever finds nothing changed never reads the body.
"""

from __future__ import annotations

import json
import os
import sys
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from everypath import __version__
from everypath.cases.codec import Damaged
from everypath.cases.digits import any_digits
from everypath.cases.keys import digest
from everypath.cases.kinds import CALLS
from everypath.cases.model import CallCase, CallSuite, Problem
from everypath.cases.store import stored_form
from everypath.languages.depending import Fingerprint, Reads
from everypath.records import dataclass, field
from everypath.report.summary import Row

_KIND = "everypath-kept-1"
_MISSING = "-"


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides about the tests of a module: files by their contents, and the environment."""

    tool: str
    """version of this program, and of the interpreter"""
    settings: str
    files: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    libraries: str
    """which packages are installed"""


@dataclass(slots=True)
class Whole:
    """Everything that came of a module whose facts are known."""

    facts: Facts
    rows: list[Row]
    problems: list[Problem]
    failed: bool
    """whether something that was named could not be used"""
    restore_state: bool
    untouched: list[str]
    stored: list[str]
    """names of the files in which its suites are stored"""
    written: dict[str, str] = field(default_factory=dict)
    """file of tests -> what its contents were, as a digest"""


@dataclass(slots=True)
class Entry:
    """What came of one function, before the module was looked at as a whole."""

    fingerprint: Fingerprint
    suite: CallSuite
    left_out: list[CallCase]
    remembered: object
    """what the runtime knows of it, as plain values"""


@dataclass(slots=True)
class Body:
    """The results of a module."""

    entries: dict[str, Entry]
    """by qualified name"""
    order: list[str]
    """targets of the suites of the module, in order"""
    suites: list[CallSuite]
    """those that were changed by what was found about the module as a whole"""
    left_out: list[CallCase]


@cache
def tool() -> str:
    """What tells this program and its interpreter from others that may find something else."""
    package = Path(__file__).parents[1]
    shown = [__version__, sys.implementation.name, sys.version, os.name]
    if (package.parents[1] / "pyproject.toml").is_file():
        # It is being worked on: the same version means little.
        shown.append("\n".join(sorted(_ages(str(package)))))
    return digest(tuple(shown))


def _ages(folder: str) -> Iterator[str]:
    """The size and the time of the last change of each file below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                found = entry.stat()
                yield f"{entry.path} {found.st_size} {found.st_mtime_ns}"
            elif entry.name != "__pycache__":
                yield from _ages(entry.path)


class Contents:
    """Digests of files, each of which is read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._libraries: str | None = None

    def facts(self, reads: Reads, settings: str, around: Path) -> Facts:
        """What of the world a program reads, as it is now; files below a folder are named from there."""
        files = tuple((_seen_from(around, each), self.of(each)) for each in (*reads.files, *reads.absent))
        variables = tuple((name, os.environ.get(name, _MISSING)) for name in reads.variables)
        return Facts(tool(), settings, files, variables, self.libraries())

    def hold(self, facts: Facts, around: Path) -> bool:
        """Whether everything is still as it was."""
        return (
            facts.tool == tool()
            and facts.libraries == self.libraries()
            and all(os.environ.get(name, _MISSING) == value for name, value in facts.variables)
            and all(self.of(str(around / file)) == known for file, known in facts.files)
        )

    def of(self, file: str) -> str:
        """The digest of a file; the same for all that are not there."""
        if file not in self._known:
            try:
                self._known[file] = text_digest(Path(file).read_bytes())
            except OSError:
                self._known[file] = _MISSING
        return self._known[file]

    def surroundings(self) -> str:
        """What tells this program, its interpreter and the installed packages from others."""
        return digest((tool(), self.libraries()))

    def libraries(self) -> str:
        """Which distributions are installed, with their versions."""
        if self._libraries is None:
            import sys

            found: set[str] = set()
            for folder in sys.path:
                if os.path.basename(folder) in ("site-packages", "dist-packages"):
                    found |= {name for name in _names(folder) if name.endswith((".dist-info", ".pth", ".egg-link"))}
            self._libraries = digest(frozenset(found))
        return self._libraries


def _names(folder: str) -> Iterable[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return ()


def _seen_from(folder: Path, file: str) -> str:
    try:
        return os.path.relpath(file, folder)
    except ValueError:
        # On another drive there is no way from here.
        return file


def text_digest(content: bytes) -> str:
    """Equal for equal contents."""
    from _blake2 import blake2b

    return blake2b(content, digest_size=16).hexdigest()


class Unusable(Exception):
    """A file that is there and cannot be used; says why."""


class Older(Unusable):
    """Another version has written it, or one that ran with other packages: it may have found something else."""


def written(whole: Whole | None, body: Body, surroundings: str) -> str:
    """The text of a file; the surroundings are those that results were found in."""
    codec = stored_form(CALLS)
    head = None if whole is None else codec.encode(Whole, whole)
    with any_digits():
        lines = [json.dumps(each, separators=(",", ":")) for each in (head, codec.encode(Body, body))]
    sums = " ".join(f"{crc32(line.encode()):08x}" for line in lines)
    return "\n".join((f"{_KIND} {surroundings} {sums}", *lines, ""))


class Kept:
    """A file that an earlier run has left."""

    def __init__(self, path: Path, surroundings: str) -> None:
        """Unusable says why it cannot be used; OSError that it is not there."""
        with path.open(encoding="utf-8", newline="\n") as file:
            kind, *told = file.readline(200).split() or [""]
            if not kind.startswith("everypath-kept"):
                raise Unusable("it is no store of results")
            if kind != _KIND:
                raise Older
            if len(told) != 3:
                raise Unusable("it is damaged")
            if told[0] != surroundings:
                raise Older
            sums = told[1:]
            self._sums = sums
            self._path = path
            self.whole: Whole | None = self._read(Whole, file.readline(), sums[0], optional=True)

    def body(self) -> Body:
        """The results; Unusable if they are damaged."""
        with self._path.open(encoding="utf-8", newline="\n") as file:
            lines = file.read().split("\n")
        found: Body = self._read(Body, lines[2] if len(lines) > 2 else "", self._sums[1])
        return found

    def _read(self, kind: Any, line: str, checksum: str, optional: bool = False) -> Any:
        text = line.rstrip("\n")
        if f"{crc32(text.encode()):08x}" != checksum:
            raise Unusable("it is damaged")
        try:
            with any_digits():
                data = json.loads(text)
            return None if data is None and optional else stored_form(CALLS).decode(kind, data)
        except (ValueError, Damaged) as error:
            raise Unusable(f"it is damaged ({error})") from None


def settings_digest(options: Mapping[str, object], targets: Iterable[str]) -> str:
    """Equal for runs that ask for the same of the same targets."""
    return digest((str(sorted(options.items())), *targets))
