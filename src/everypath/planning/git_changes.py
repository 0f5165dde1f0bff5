"""Which functions of a file changed since a git revision."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.languages.base import Language
from everypath.languages.definitions import Definition, Part

_SECONDS = 60.0


class GitChanges:
    """Compares files with their text at a revision; each repository is asked only once what differs at all."""

    def __init__(self, revision: str, language: Language) -> None:
        self.revision = revision
        self._language = language
        self._tops: dict[Path, Path] = {}
        """folder -> the top of its working tree"""
        self._differing: dict[Path, frozenset[str]] = {}
        """top -> files that differ from the revision"""
        self._lost: dict[Path, list[str]] = {}
        """top -> texts of files that no longer exist"""

    def functions(self, path: Path) -> frozenset[str]:
        """The qualified names of the functions and methods that are new or changed in a file.

        A change outside of functions counts for those that it is about: one in a class body for the methods
        of the class, one of a module's name for the functions that mention it, and one of a private function, for
        which there are no tests, for those that call it.
        """
        path = path.resolve()
        top = self._top(path.parent)
        dependences = self._language.dependences()
        if dependences is not None:
            return dependences.changed(path, self.differs, self._text, self._gone(top))
        name = path.relative_to(top).as_posix()
        if name not in self._files(top):
            return frozenset()
        try:
            now = self._language.outline(path.read_bytes())
        except BadInput:
            # Loading it will say what is wrong; nothing may be left out before that.
            return frozenset("*")
        before = self._old(top, name)
        if before is None:
            return frozenset(part.definition.qualname for part in now if part.definition is not None)
        return frozenset(_changed(before, now))

    def differs(self, path: Path) -> bool:
        """Whether a file of the program differs from the revision; one outside of its repository is taken as it is."""
        top = self._top(path.parent)
        return path.is_relative_to(top) and path.relative_to(top).as_posix() in self._files(top)

    def _text(self, path: Path) -> str | None:
        top = self._top(path.parent)
        code, out, _ = _git(top, "cat-file", "blob", f"{self.revision}:{path.relative_to(top).as_posix()}")
        return None if code else out.decode("utf-8", "replace")

    def _gone(self, top: Path) -> list[str]:
        """The texts of the source files that no longer exist."""
        if top not in self._lost:
            names = [n for n in self._files(top) if n.endswith(self._language.suffixes) and not (top / n).exists()]
            self._lost[top] = [text for name in sorted(names) if (text := self._text(top / name)) is not None]
        return self._lost[top]

    def _top(self, folder: Path) -> Path:
        """The top of the working tree that a folder belongs to; the revision must exist there."""
        if folder not in self._tops:
            code, out, said = _git(folder, "rev-parse", "--show-toplevel")
            if code:
                reason = said.removeprefix("fatal: ").partition("\n")[0]
                raise BadInput(f"--diff needs a git repository: {reason}", Span(str(folder)))
            top = Path(os.fsdecode(out).rstrip("\n")).resolve()
            code, _, _ = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{self.revision}^{{tree}}")
            if code:
                raise BadInput(f"--diff {self.revision}: there is no such revision in {top}{_advice(top)}")
            self._tops[folder] = top
        return self._tops[folder]

    def _files(self, top: Path) -> frozenset[str]:
        """The files that differ from the revision, or that git does not know."""
        if top not in self._differing:
            differing = self._listed(top, "diff", "--name-only", "-z", "--no-renames", self.revision, "--")
            unknown = self._listed(
                top, "ls-files", "-z", "--others", "--", *(f"*{suffix}" for suffix in self._language.suffixes)
            )
            self._differing[top] = differing | unknown
        return self._differing[top]

    def _listed(self, top: Path, *arguments: str) -> frozenset[str]:
        code, out, said = _git(top, *arguments)
        if code:
            raise BadInput(f"--diff {self.revision}: git {arguments[0]} failed: {said.strip() or code}")
        return frozenset(os.fsdecode(name) for name in out.split(b"\0") if name)

    def _old(self, top: Path, name: str) -> list[Part] | None:
        """The parts of the file at the revision; None if it did not exist then, or cannot be read."""
        code, out, _ = _git(top, "cat-file", "blob", f"{self.revision}:{name}")
        if code:
            return None
        try:
            return self._language.outline(out)
        except BadInput:
            return None


def _git(folder: Path, *arguments: str) -> tuple[int, bytes, str]:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            env={**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
        )
    except OSError:
        raise BadInput("--diff needs git, which is not installed or not on the path") from None
    except subprocess.TimeoutExpired:
        raise BadInput(f"--diff: git {arguments[0]} takes longer than {_SECONDS:g} seconds") from None
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def _changed(before: list[Part], now: list[Part]) -> set[str]:
    """The functions that are new or changed, and those that depend on something else that changed."""
    old, new = Counter(map(_meaning, before)), Counter(map(_meaning, now))
    gone = [part for part in before if not new[_meaning(part)]]
    came = [part for part in now if not old[_meaning(part)]]
    functions = [(part.definition, part) for part in now if part.definition is not None]
    classes, names = _touched([*gone, *came])
    changed = {part.definition.qualname for part in came if part.definition is not None}
    changed |= {function.qualname for function, part in functions if part.owner in classes}
    others = {function: part.names for function, part in functions if function.qualname not in changed}
    return changed | _users_of(names, others)


def _touched(parts: list[Part]) -> tuple[set[str], set[str]]:
    """The classes whose bodies changed, and the names that mean something else now.

    A private function has no tests of its own, so that its change counts for whoever uses its name.
    """
    classes = {part.owner for part in parts if part.definition is None and part.owner}
    names: set[str] = set()
    for part in parts:
        if part.definition is None:
            names |= set() if part.owner else part.names
        elif not part.definition.public:
            names.add(part.definition.name)
    return classes, names


def _users_of(names: set[str], functions: dict[Definition, frozenset[str]]) -> set[str]:
    """The functions that mention one of the names, directly or through private functions."""
    found: set[str] = set()
    pending = True
    while pending:
        # A private function that mentions something changed passes the change on to its callers.
        pending = False
        for function, mentioned in functions.items():
            if function.qualname not in found and names & mentioned:
                found.add(function.qualname)
                if not function.public:
                    names = names | {function.name}
                    pending = True
    return found


def _meaning(part: Part) -> tuple[str, str, str]:
    """A key that is equal for parts with the same meaning."""
    return part.definition.qualname if part.definition else "", part.owner, part.text


def _advice(top: Path) -> str:
    """What to do about a revision that is not there."""
    _, shallow, _ = _git(top, "rev-parse", "--is-shallow-repository")
    if shallow.strip() == b"true":
        return ", a shallow clone that lacks older commits; get them with `git fetch --unshallow`"
    return "; name a commit, branch or tag, such as HEAD or main"
