"""Folders that code under test may write to: one for each child process, and in it one for each run of a case.

The process that starts a child names the folder and removes it when the child is ended, whatever became of it; nobody
makes it before it is needed. Children load this file by its path, so it needs nothing but the library.
"""

from __future__ import annotations

import os

VARIABLE = "EVERYPATH_SCRATCH"
"""Under this name a child is told where its folder is."""


def make(folder: str) -> str:
    """Make a new folder that only the user can look into, with those above it; give its real place."""
    os.makedirs(folder, mode=0o700)
    return os.path.realpath(folder)


def empty(folder: str) -> None:
    """Remove what is in a folder; links are removed, and what they lead to is left alone.

    Somebody else may be removing the same at the same time, such as a fork that is about to be ended.
    """
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except PermissionError:
        os.chmod(folder, 0o700)
        with os.scandir(folder) as entries:
            found = list(entries)
    except FileNotFoundError:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            remove(entry.path)
        else:
            try:  # noqa: SIM105 - contextlib takes long to load
                os.unlink(entry.path)
            except FileNotFoundError:
                pass


def remove(folder: str) -> None:
    """Remove a folder with everything in it, if it is there."""
    if os.path.isdir(folder) and not os.path.islink(folder):
        # Whoever made a folder that nothing can be removed from left one that can be opened again.
        try:
            os.chmod(folder, 0o700)
            empty(folder)
            os.rmdir(folder)
        except FileNotFoundError:
            pass
