"""What the tests of Java share: a compiler, and where there is none, a line that says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "sources"
needs_jdk = pytest.mark.skipif(
    shutil.which("javac") is None and "CI" not in os.environ, reason="no JDK on the path: install one, 17 or newer"
)


def compile_java(sources: list[Path], to: Path, *options: str) -> Path:
    """Compile some source files into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    command = ["javac", "-g", "-encoding", "UTF-8", *options, "-d", str(to), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return to
