"""Where the tests of each module go, and whether they may be written there.

Every command decides this in the same way and before any time is spent on the work itself: one file for each module,
named after it, in the current folder or in the one that `-o` names; JSON is one file for all.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """A module whose tests are to be written."""

    key: str
    """what tells it from the other modules of the run"""
    title: str
    """what the user calls it"""
    file_name: str
    """what the file of its tests is called unless the user names one, or another module has that file"""
    sources: tuple[str, ...]
    """the files of the code under test, as the user would write them"""


class Outputs:
    """The destinations of one run."""

    def __init__(self, output: str | None, format: str, *, whole: bool) -> None:
        self.to_stdout = output == "-" or (whole and output is None)
        """whether the results are printed, so that everything else has to go to the error stream"""
        self.output = None if output == "-" else output
        self.format = format
        self.whole = whole
        """whether one file, or standard output, holds the whole run"""
        self._paths: dict[str, Path] = {}
        """key of a module -> its file"""

    def path(self, key: str) -> Path:
        """Where the tests of a module go."""
        return self._paths[key]

    def check(self, subjects: Iterable[Subject], *, writing: bool = True) -> None:
        """Decide on the files, and refuse what cannot be written or must not be; without `writing` it is compared."""
        modules = {subject.key: subject for subject in subjects}
        output = str(self.output)
        if self.whole and not self.to_stdout and (output.endswith(os.sep) or Path(output).is_dir()):
            raise BadInput(f"is a folder, but {self.format.upper()} is one file; name a file with -o", Span(output))
        taken: dict[str, str] = {}
        # In the order of names, so that a module has the same file however the targets are ordered.
        for key in sorted(modules):
            self._paths[key] = self._place(modules[key], taken)
        if self.to_stdout and sys.__stdout__ is None:
            raise BadInput("standard output is closed; name a file with -o")
        if self.to_stdout:
            return
        if writing:
            for path in self._paths.values():
                check_writable(path)
        resolved = {_resolved(path) for path in self._paths.values()}
        for source in (source for subject in modules.values() for source in subject.sources):
            if Path(source).resolve() in resolved:
                raise BadInput("is the code under test and would be overwritten; choose another -o", Span(source))
        if writing:
            for path in self._paths.values():
                refuse_others(path, self.format)

    def _place(self, subject: Subject, taken: dict[str, str]) -> Path:
        """The first of `test_x.py`, `test_x_2.py`, ... that no other module has; some file systems ignore case."""
        output = Path(self.output or "")
        if self.output is not None and not self._is_folder(output):
            other = taken.setdefault("", subject.title)
            if other != subject.title and not self.whole:
                both = f"would hold the tests of {other} and of {subject.title}"
                raise BadInput(f"-o {self.output} is one file and {both}; use separate runs, or name a folder")
            return output
        first = Path(subject.file_name)
        for number in itertools.count(1):
            name = str(first if number == 1 else first.with_name(f"{first.stem}_{number}{first.suffix}"))
            path = output / name
            mine = taken.setdefault(name.casefold(), subject.key) == subject.key
            if mine and (self.whole or not _holds_others(path, subject.title)):
                return path
        raise AssertionError("numbers do not end")

    def _is_folder(self, path: Path) -> bool:
        if self.whole:
            return False
        # `-o tests` means a folder even if it has to be made first: files of tests have a suffix.
        missing = not path.suffix and not path.exists()
        return path.is_dir() or str(self.output).endswith(os.sep) or missing


def _holds_others(path: Path, title: str) -> bool:
    """Whether a file holds the generated tests of another module, which must not be lost."""
    if not path.is_file():
        return False
    from everypath.app.heads import head_of

    try:
        head = head_of(path)
    except BadInput:
        # It is told when it is to be written.
        return False
    return head is not None and bool(head.subject) and head.subject != title


def refuse_others(path: Path, format: str) -> None:
    """Refuse to replace what a person has written, and what is of another kind than what is to be written."""
    if path.is_file():
        # Most runs write new files.
        from everypath.app.heads import refuse_foreign

        refuse_foreign(path, format)


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _loop(path) from None
    if path.exists() and not path.is_file():
        raise BadInput("is not a regular file; choose another -o", Span(str(path)))
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir():
        raise BadInput(f"cannot be written: {folder.name} is a file, not a folder; choose another -o", Span(str(path)))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"cannot be written: the folder {folder} is read-only; choose another -o", Span(str(path)))


def behind_links(path: Path) -> Path:
    """A link stays a link: what it leads to is replaced."""
    return _resolved(path) if path.is_symlink() else path


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except RuntimeError:
        raise _loop(path) from None


def _loop(path: Path) -> BadInput:
    return BadInput("is behind a loop of links, which leads nowhere; choose another -o", Span(str(path)))


def write_text(path: Path, text: str) -> None:
    """Put the text into the file in one step: a reader sees the old file or the new one, never a part."""
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise BadInput(f"{path} is a folder; name a file with -o", Span(str(path)))
        hidden = f"{path.parent}{os.sep}.{path.name}.{os.getpid():x}{time.time_ns():x}.tmp"
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        temporary = hidden
        # Literals are escaped already; a comment may quote a message that no encoding can hold.
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"cannot be written: {reason}; choose another place with -o", Span(str(path))) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """No other process of ours writes a file of tests into the folder meanwhile, where the system can promise that."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ImportError):
            import fcntl

            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def _mode(path: Path) -> int:
    """The mode of the file that is replaced, else what the user's mask leaves."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
