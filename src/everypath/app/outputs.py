"""Files that commands leave behind: whether they may be written, and how a test in one of them finds the program."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import site
from collections.abc import Iterator
from pathlib import Path

from everypath.errors import BadInput, Span

_MOST_LISTED = 5


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


def outdated(path: Path, text: str | None) -> list[str]:
    """What differs between a file and the text that it should hold, None for no file at all.

    How long exploring took, which JSON tells, is no difference.
    """
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        found = None
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", Span(str(path))) from None
    if text is None:
        return [] if found is None else [f"out of date: {path}: there are no such tests any more"]
    if found is None:
        return [f"out of date: {path}: the file does not exist"]
    wanted = text.encode("utf-8", "backslashreplace")
    if path.suffix == ".json":
        found, wanted = (re.sub(rb'"seconds": [0-9.e-]+', b'"seconds": 0', each) for each in (found, wanted))
    if found == wanted:
        return []
    old, new = _functions(found), _functions(wanted)
    said = []
    for names, what in (
        ([name for name in new if name not in old], "new"),
        ([name for name in old if name not in new], "gone"),
        ([name for name in new if name in old and new[name] != old[name]], "changed"),
    ):
        if names:
            listed = ", ".join(names[:_MOST_LISTED])
            more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
            said.append(f"{what}: {listed}{more}")
    return [f"out of date: {path}: {'; '.join(said) or _first_difference(found, wanted)}"]


def _functions(content: bytes) -> dict[str, bytes]:
    """Each test with its decorators and comments, by its name: two empty lines lie between them."""
    tests: dict[str, bytes] = {}
    for block in content.replace(b"\r\n", b"\n").split(b"\n\n\n"):
        for line in block.splitlines():
            if line.startswith(b"def test"):
                tests[line[4:].partition(b"(")[0].decode("utf-8", "replace")] = block.strip()
                break
    return tests


def _first_difference(found: bytes, wanted: bytes) -> str:
    """Where two texts part that hold the same tests."""
    old, new = found.splitlines(), wanted.splitlines()
    for number, (before, after) in enumerate(zip(old, new), 1):
        if before != after:
            return f"line {number} should be {after.decode('utf-8', 'replace').strip()!r}"
    return f"it has {len(old)} lines instead of {len(new)}"
