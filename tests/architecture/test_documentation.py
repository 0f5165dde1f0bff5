"""The documentation names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import everypath

PACKAGE = Path(everypath.__file__).parent
PROJECT = PACKAGE.parent.parent
PAGES = [*sorted((PROJECT / "docs").glob("*.md")), PROJECT / "CONTRIBUTING.md"]
NAMED = re.compile(r"`((?:[a-z_]+/)*[a-z_]+\.py|(?:[a-z_]+/)+)`")
EXAMPLES = {"gate.py"}
"""Files of somebody's project that a page makes up."""


def exists(name: str) -> bool:
    """Whether a name leads somewhere from the project, the package, or any folder below it."""
    homes = (PROJECT, PROJECT / "tests", PACKAGE)
    return (
        any((home / name).exists() for home in homes)
        or any(PROJECT.glob(f"src/**/{name.rstrip('/')}"))
        or any((PROJECT / "tests").rglob(name.rstrip("/")))
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    names = set(NAMED.findall(page.read_text(encoding="utf-8"))) - EXAMPLES
    assert sorted(name for name in names if not exists(name)) == []
