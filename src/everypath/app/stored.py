"""Finds stored suites by what users call them."""

from __future__ import annotations

from pathlib import Path

from everypath.cases import store
from everypath.cases.kinds import KINDS


def folder_of(named: str | None) -> Path:
    """The folder of stored suites: the one that `--store` names, else the usual one here."""
    return Path(named or store.FOLDER)


def find_stored(name: str, folder: Path) -> Path | None:
    """The file of a stored suite, by its path, its name in the folder or its target."""
    known = [store.file_name(name, kind) for kind in KINDS.values()]
    for path in (Path(name), *(folder / each for each in (name, *known))):
        if name and path.suffix == ".json" and path.is_file():
            return path
    return None


def what_there_is(folder: Path) -> str:
    """The end of a message that something is not in the folder."""
    existing = sorted(path.name for path in folder.glob("*.json"))
    return f"in {folder}/ there are: {', '.join(existing) or 'none; `everypath generate` stores them'}"
