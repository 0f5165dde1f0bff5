"""What `--check` tells: how the files on disk differ from what would be written."""

from __future__ import annotations

import re
from pathlib import Path

from everypath.errors import BadInput, Span

_MOST_LISTED = 5


def outdated(path: Path, text: str | None) -> list[str]:
    """What differs between a file and the text that it should hold, None for no file at all.

    How long exploring took, which JSON tells, is no difference.
    """
    found = _content(path)
    if text is None:
        return [] if found is None else [f"out of date: {path}: there are no such tests any more"]
    if found is None:
        return [f"out of date: {path}: the file does not exist"]
    wanted = text.encode("utf-8", "backslashreplace")
    if path.suffix == ".json":
        found, wanted = (re.sub(rb'"seconds": [0-9.e-]+', b'"seconds": 0', each) for each in (found, wanted))
    if found == wanted:
        return []
    return [f"out of date: {path}: {_different_tests(found, wanted) or _first_difference(found, wanted)}"]


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", Span(str(path))) from None


def _different_tests(found: bytes, wanted: bytes) -> str:
    """The names of the tests that are new, gone or changed; empty where all tests are the same."""
    old, new = _tests(found), _tests(wanted)
    kinds = {
        "new": [name for name in new if name not in old],
        "gone": [name for name in old if name not in new],
        "changed": [name for name in new if name in old and new[name] != old[name]],
    }
    return "; ".join(f"{what}: {_listed(names)}" for what, names in kinds.items() if names)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more


def _tests(content: bytes) -> dict[str, bytes]:
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
