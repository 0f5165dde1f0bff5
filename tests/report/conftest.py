"""What tests of pages share: a browser, without which they are skipped, or fail in CI; and pages of real suites."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import everypath
from tests.conftest import ROOT
from tests.report.browser import Browser, missing


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The one browser of all tests."""
    absent = missing()
    if absent is not None and os.environ.get("CI"):
        pytest.fail(f"no browser to test pages in: {absent}")
    if absent is not None:
        pytest.skip(f"no browser to test pages in: {absent}")
    with Browser() as started:
        yield started


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with example programs in it."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("papers/rem_all.py", "papers/int_exp.py", "actors/dining_philosophers.abs", "actors/fact.abs"):
        shutil.copy(ROOT / "examples" / name, folder)
    shutil.copy(ROOT / "examples" / "threads" / "hit_counter.py", folder)
    return folder


def made(folder: Path, name: str, *arguments: str) -> Path:
    """The page that a command writes."""
    page = folder / f"{name}.html"
    if not page.exists():
        result = everypath(folder, *arguments, "--report", page.name)
        assert f"wrote {page.name}" in result.out, result.said
    return page


@pytest.fixture(scope="session")
def heap_page(work: Path) -> Path:
    """A function over linked lists, with a crash."""
    return made(work, "heap", "generate", "rem_all.py")


@pytest.fixture(scope="session")
def tree_page(work: Path) -> Path:
    """The paper's first example."""
    return made(work, "tree", "generate", "int_exp.py")


@pytest.fixture(scope="session")
def actor_page(work: Path) -> Path:
    """An actor program with a deadlock and results that depend on the order."""
    return made(work, "actors", "generate", "dining_philosophers.abs")


@pytest.fixture(scope="session")
def race_page(work: Path) -> Path:
    """A class with a lost update."""
    return made(work, "race", "race", "hit_counter.py::HitCounter", "--time", "10", "--no-confirm")
