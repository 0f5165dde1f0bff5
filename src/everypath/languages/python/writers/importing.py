"""Whether a test finds the code under test by itself, and where it must look if it does not."""

from __future__ import annotations

import os
import re
import site
import sys
from collections.abc import Iterator
from pathlib import Path

_CONFIGURATIONS = {
    "pytest.ini": "[pytest]",
    ".pytest.ini": "[pytest]",
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
"""The files that configure pytest, in the order in which it looks for them, with the head of its section."""


def import_path(test: Path, root: Path, *, fresh: bool = False) -> str | None:
    """The folder of the modules under test, relative to that of the test; None where imports succeed without it.

    With `fresh`, it is not the test's own process that imports them, so that what pytest does is of no help.
    """
    folder = test.resolve().parent
    root = root.resolve()
    if root in ({folder} if fresh else _found_by_pytest(folder)) or root in _installed():
        return None
    return Path(os.path.relpath(root, folder)).as_posix()


def _installed() -> set[Path]:
    """Where this interpreter looks for modules in every process: what the caller's environment adds does not count."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    lasting = [path for path in sys.path[1:] if path and path not in given]
    return {Path(path).resolve() for path in (os.path.dirname(os.__file__), *site.getsitepackages(), *lasting)}


def _found_by_pytest(folder: Path) -> set[Path]:
    """Where pytest makes the tests of a folder look for modules."""
    configured, section = next(_configurations(folder), (None, ""))
    found: set[Path] = set()
    if configured is not None:
        found.update((configured / place).resolve() for place in _listed(section))
    if "importlib" not in section:
        # It adds the folder of a test, or the one around its packages; so it does for what it loads before the tests.
        tops = [each for each in folder.parents if (each / "conftest.py").is_file()] if configured is not None else []
        inside = [each for each in tops if configured is not None and each.is_relative_to(configured)]
        found.update(_outside_packages(each) for each in (folder, *inside))
    return found


def _outside_packages(folder: Path) -> Path:
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def _configurations(folder: Path) -> Iterator[tuple[Path, str]]:
    """The folders that configure pytest for this one, nearest first, with what their files say about it."""
    for each in (folder, *folder.parents):
        for name, head in _CONFIGURATIONS.items():
            try:
                text = (each / name).read_text(encoding="utf-8")
            except (OSError, ValueError):
                continue
            before, found, rest = text.partition(head)
            if found and before.rpartition("\n")[2].strip() == "":
                yield each, re.split(r"(?m)^\[", rest)[0]


def _listed(section: str) -> list[str]:
    """The folders that the option `pythonpath` names, in the syntax of either kind of file."""
    found = re.search(r"(?ms)^\s*pythonpath\s*=\s*(\[.*?\]|.*?$(?:\n[ \t]+[^\n]*)*)", section)
    if found is None:
        return []
    listed = re.findall(r"\"([^\"]*)\"|'([^']*)'", found[1])
    return [first or second for first, second in listed] if listed else found[1].split()
