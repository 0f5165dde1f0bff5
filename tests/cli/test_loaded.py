"""What a run loads: for a small function that takes longer than everything else, so it must not grow unnoticed."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import everypath

MOST = 270
"""Modules of ours that generating for one plain function loads."""
SELDOM = (
    "everypath.app.arguments",
    "everypath.app.race",
    "everypath.cases.json_writer",
    "everypath.explore.guesses",
    "everypath.explore.handlers",
    "everypath.explore.search.recipes",
    "everypath.explore.standins",
    "everypath.generate.assumed",
    "everypath.generate.guessing",
    "everypath.generate.reaching",
    "everypath.languages.abs.generation",
    "everypath.languages.python.frontend.classes",
    "everypath.languages.python.frontend.evidence",
    "everypath.languages.python.frontend.typeshed",
    "everypath.languages.python.natives.raising",
    "everypath.languages.python.natives.standins",
    "everypath.languages.python.semantics.attributes",
    "everypath.languages.python.semantics.items",
    "everypath.languages.python.semantics.seeds",
    "everypath.languages.python.scripts.mocks",
    "everypath.logic.smt",
    "everypath.race",
    "everypath.workers.fence",
    "click",
    "dataclasses",
    "fractions",
    "inspect",
    "rich",
    "signal",
    "textwrap",
    "tomllib",
    "z3",
)
"""What plain functions have no use for."""


@cache
def loaded() -> frozenset[str]:
    """The modules that generating for an example imports."""
    example = Path(__file__).parents[2] / "examples" / "triangle.py"
    command = [sys.executable, "-X", "importtime", "-c", "from everypath.app.cli import main; main()"]
    with TemporaryDirectory() as folder:
        arguments = [*command, "generate", str(example), "-o", f"{folder}/test_it.py"]
        run = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=folder)
    return frozenset(re.findall(r"^import time: .*\| +(\S+)$", run.stderr, re.MULTILINE))


def test_a_plain_function_needs_few_modules() -> None:
    own = sorted(name for name in loaded() if name.startswith("everypath"))
    assert "everypath.explore.machine" in own
    assert len(own) <= MOST, f"load what is seldom needed where it is needed: {own}"


@pytest.mark.parametrize("module", SELDOM)
def test_what_is_seldom_needed_is_not_loaded(module: str) -> None:
    assert module not in loaded()


def test_next_to_nothing_is_loaded_before_processes_are_started() -> None:
    """Describing the languages comes first, and what starts early waits for it."""
    code = "import sys, everypath.languages.every; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=_found())
    assert not {"pathlib", "ast", "json", "everypath.options", "everypath.languages.base"} & set(told.stdout.split())


def _found() -> dict[str, str]:
    """Where the package lies, for an interpreter that looks nowhere by itself."""
    return {"PYTHONPATH": str(Path(everypath.__file__).parents[1])}
