"""Makes the environments that the benchmark runs in: the packages with the subjects, coverage, pytest, and a tool."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

from modules.subjects import ROOT, Subject

CACHE = Path(os.environ.get("EVERYPATH_BENCH_CACHE", ROOT / "build" / "modules"))
MEASURING = ("coverage==7.17.3", "pytest==9.2.0")
COMPILED = "black,isort"
"""Their wheels hold machine code in place of the modules; the source distributions do not."""


def prepared(subjects: Iterable[Subject], tool: str = "") -> Path:
    """The interpreter of an environment with all packages of the subjects, made when it is first asked for."""
    packages = sorted({subject.requirement for subject in subjects if subject.requirement})
    first, wanted = pinned(tool) if tool else own_dependencies(), [*packages, *MEASURING]
    name = hashlib.sha256("\n".join([*first, *wanted]).encode()).hexdigest()[:12]
    folder = CACHE / f"environment-{name}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        print(f"installing {len(packages)} packages under {folder}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # The tool comes first, so that the subjects are of their pinned versions where the two disagree.
        subprocess.run([*pip, *first], check=True)
        subprocess.run([*pip, f"--no-binary={COMPILED}", *wanted], check=True)
        (folder / "complete").touch()
    return python


def own_dependencies() -> list[str]:
    """What Everypath itself needs: it is run from its sources, whatever version they are of."""
    return list(_declared()["dependencies"])


def pinned(tool: str) -> list[str]:
    """Another tool, in the version that pyproject.toml pins."""
    return [line for line in _declared()["optional-dependencies"]["bench-generators"] if line.startswith(f"{tool}==")]


def _declared() -> dict[str, dict[str, list[str]]]:
    project: dict[str, dict[str, list[str]]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project
