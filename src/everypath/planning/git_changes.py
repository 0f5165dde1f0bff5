"""Which functions of a file changed since a git revision."""

from __future__ import annotations

import ast
import os
import subprocess
from collections import Counter
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.languages.python.frontend.outline import Definition, Part, Statement, names_in, names_set_by, parts_of

_SECONDS = 60.0


class GitChanges:
    """Compares files as they are with those of a revision; each repository is asked once what differs at all."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self._tops: dict[Path, Path] = {}
        """folder -> the top of its working tree"""
        self._differing: dict[Path, frozenset[str]] = {}
        """top -> files that differ from the revision"""

    def functions(self, path: Path) -> frozenset[str]:
        """The qualified names of the functions and methods that are new or changed in a file.

        A change outside of functions counts for those that it is about: one in a class body for the methods
        of the class, one of a module's name for the functions that mention it, and one of a private function, for
        which there are no tests, for those that call it.
        """
        path = path.resolve()
        top = self._top(path.parent)
        name = path.relative_to(top).as_posix()
        if name not in self._files(top):
            return frozenset()
        try:
            now = parts_of(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError):
            # Loading it will say what is wrong; nothing may be left out before that.
            return frozenset("*")
        before = self._old(top, name)
        if before is None:
            return frozenset(part.qualname for part in now if isinstance(part, Definition))
        return frozenset(_changed(before, now))

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
                advice = "name a commit, branch or tag, such as HEAD or main"
                raise BadInput(f"--diff {self.revision}: there is no such revision in {top}; {advice}")
            self._tops[folder] = top
        return self._tops[folder]

    def _files(self, top: Path) -> frozenset[str]:
        """The files that differ from the revision, or that git does not know."""
        if top not in self._differing:
            differing = self._listed(top, "diff", "--name-only", "-z", "--no-renames", self.revision, "--")
            unknown = self._listed(top, "ls-files", "-z", "--others", "--", "*.py")
            self._differing[top] = differing | unknown
        return self._differing[top]

    def _listed(self, top: Path, *arguments: str) -> frozenset[str]:
        code, out, said = _git(top, *arguments)
        if code:
            raise BadInput(f"--diff {self.revision}: git {arguments[0]} failed: {said.strip() or code}")
        return frozenset(os.fsdecode(name) for name in out.split(b"\0") if name)

    def _old(self, top: Path, name: str) -> list[Part] | None:
        """The file at the revision; None where there was none, or nothing that can be read."""
        code, out, _ = _git(top, "cat-file", "blob", f"{self.revision}:{name}")
        if code:
            return None
        try:
            return parts_of(out)
        except (SyntaxError, ValueError, RecursionError):
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
    old, new = Counter(map(_text, before)), Counter(map(_text, now))
    gone = [part for part in before if not new[_text(part)]]
    came = [part for part in now if not old[_text(part)]]
    functions = [part for part in now if isinstance(part, Definition)]
    changed = {part.qualname for part in came if isinstance(part, Definition)}
    classes: set[str] = set()
    names: set[str] = set()
    for part in (*gone, *came):
        if isinstance(part, Statement) and part.owner:
            classes.add(part.owner)
        elif isinstance(part, Statement):
            names |= names_set_by(part.node)
        elif not part.public:
            names.add(part.node.name)
    changed |= {f.qualname for f in functions if _class_of(f) in classes}
    pending = True
    while pending:
        # A private function that mentions something changed passes the change on to its callers.
        pending = False
        for function in functions:
            if names & names_in(function.node) and function.qualname not in changed:
                changed.add(function.qualname)
                if not function.public:
                    names.add(function.node.name)
                    pending = True
    return changed


def _class_of(function: Definition) -> str:
    return function.qualname.rpartition(".")[0]


def _text(part: Part) -> tuple[str, str, str]:
    """Equal for parts that mean the same: comments and layout do not matter."""
    owner = part.qualname if isinstance(part, Definition) else part.owner
    return type(part).__name__, owner, ast.dump(part.node)
