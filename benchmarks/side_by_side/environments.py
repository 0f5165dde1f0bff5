"""Installs the other generators, each in an environment of its own, in the versions that pyproject.toml pins."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "side_by_side"
EXTRA = "bench-generators"
NAMES = ("python3.14", "python3.13", "python3.12", "python3.11", "python3.10")


def executable(package: str, command: str) -> str | None:
    """The command of the package, installed first if need be; None when no interpreter at hand can have it."""
    requirement = pinned(package)
    folder = PLACE / requirement.replace("==", "-")
    found = folder / "bin" / command
    if found.exists():
        return str(found)
    for interpreter in interpreters():
        shutil.rmtree(folder, ignore_errors=True)
        if install(interpreter, folder, requirement) and found.exists():
            return str(found)
    shutil.rmtree(folder, ignore_errors=True)
    return None


def pinned(package: str) -> str:
    """The requirement of the package as pyproject.toml states it."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements: list[str] = declared["project"]["optional-dependencies"][EXTRA]
    return next(requirement for requirement in requirements if requirement.startswith(f"{package}=="))


def interpreters() -> list[str]:
    """The running Python first: tests then run on the version they were made for."""
    named = [path for name in NAMES if (path := shutil.which(name)) is not None]
    return [sys.executable, *named]


def install(interpreter: str, folder: Path, requirement: str) -> bool:
    """Whether the package could be installed there; a name on the path may be a shim without a Python behind it."""
    print(f"installing {requirement} under {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
    made = subprocess.run([interpreter, "-m", "venv", str(folder)], capture_output=True)
    if made.returncode:
        return False
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*pip, requirement], capture_output=True).returncode == 0
