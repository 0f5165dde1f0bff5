"""Files that commands leave behind: whether they may be written, and how a test in one of them finds the program."""

from __future__ import annotations

import contextlib
import os
import signal
import site
from collections.abc import Iterator
from pathlib import Path

from everypath.errors import BadInput, Span


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written."""
    if path.exists() and not path.is_file():
        raise BadInput("is not a regular file; choose another -o", Span(str(path)))
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir():
        raise BadInput(f"cannot be written: {folder.name} is a file, not a folder; choose another -o", Span(str(path)))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"cannot be written: the folder {folder} is read-only; choose another -o", Span(str(path)))


@contextlib.contextmanager
def finishing() -> Iterator[None]:
    """Writing is short, and half of it is worth nothing: an impatient Ctrl-C waits until it is done."""
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def behind_links(path: Path) -> Path:
    """A link stays a link: what it leads to is replaced."""
    return path.resolve() if path.is_symlink() else path


def import_path(test: Path, root: Path) -> str | None:
    """Where the test must look for the module, relative to its own folder; None when it finds it anyway."""
    folder = test.resolve().parent
    root = root.resolve()
    libraries = {Path(p).resolve() for p in (os.path.dirname(os.__file__), *site.getsitepackages())}
    if root == folder or root in libraries:
        return None
    return Path(os.path.relpath(root, folder)).as_posix()
