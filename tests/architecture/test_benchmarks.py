"""The benchmarks follow the package: every one of them can be loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.conftest import ROOT

FOLDER = ROOT / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_loads(name: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import {name}"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert loaded.returncode == 0, loaded.stderr
