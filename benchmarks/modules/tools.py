"""Runs one tool on one subject and keeps what it writes and prints in a folder."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from modules.subjects import HERE, ROOT, Subject

PATIENCE = 4.0
STARTING = 60.0
CALLER_SECONDS = 6.0
ENTRY = "import sys; from everypath.app.cli import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Run:
    """How long a command took, and how it ended."""

    seconds: float
    processor: float
    """seconds of all its processes that it waited for"""
    code: int
    """its exit code; -9 if it was ended because it did not end"""


Tool = Callable[[Path, Subject, Path, float, Sequence[str]], Run]


def everypath(python: Path, subject: Subject, folder: Path, seconds: float, options: Sequence[str]) -> Run:
    """Ours, from the sources that EVERYPATH_SOURCES names or those of this project."""
    sources = os.environ.get("EVERYPATH_SOURCES", str(ROOT / "src"))
    target = str(ROOT / subject.target) if subject.is_file else subject.target
    bounds = ["--select", "branches", "--total-time", f"{seconds:g}", "-o", str(folder)]
    command = [str(python), "-c", ENTRY, "generate", target, *bounds, *options]
    return run(command, folder, seconds, {"PYTHONPATH": sources})


def pynguin(python: Path, subject: Subject, folder: Path, seconds: float, options: Sequence[str]) -> Run:
    """Pynguin's default algorithm; exceptions that it expects are asserted."""
    source = Path(locate(python, subject))
    project = source.parents[subject.target.count(".")] if not subject.is_file else source.parent
    module = source.stem if subject.is_file else subject.target
    places = ["--project-path", str(project), "--module-name", module, "--output-path", str(folder)]
    limits = ["--maximum-search-time", str(round(seconds)), "--seed", "1", "--no-xfail", "True", "--no-rich"]
    command = [str(python.parent / "pynguin"), *places, *limits, *options]
    return run(command, folder, seconds, {"PYNGUIN_DANGER_AWARE": "1"})


def caller(python: Path, subject: Subject, folder: Path, seconds: float, options: Sequence[str]) -> Run:
    """The crude random caller, a fixed few seconds; it leaves the report of its coverage and no tests."""
    command = [str(python), str(HERE / "caller.py"), locate(python, subject), subject.target, f"{CALLER_SECONDS:g}"]
    return run([*command, str(folder / "coverage.json"), *options], folder, CALLER_SECONDS, {})


TOOLS: dict[str, Tool] = {"everypath": everypath, "caller": caller, "pynguin": pynguin}
INSTALLED = ("pynguin",)
"""Tools that are installed beside the packages; the others are of this project."""


def locate(python: Path, subject: Subject) -> str:
    """The source file of a subject in an environment."""
    if subject.is_file:
        return str(ROOT / subject.target)
    code = "import importlib.util, sys; print(importlib.util.find_spec(sys.argv[1]).origin)"
    done = subprocess.run([str(python), "-c", code, subject.target], capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


def run(command: list[str], folder: Path, seconds: float, settings: dict[str, str]) -> Run:
    """Runs a command in the folder, which is its home too, and keeps what it prints in `output.txt` there."""
    environment = {**os.environ, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **settings}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with open(folder / "output.txt", "wb") as printed, open(os.devnull, "rb") as nothing:
        process = subprocess.Popen(
            command,
            stdin=nothing,
            stdout=printed,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE * seconds + STARTING)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(time.perf_counter() - start, used, code)
