"""Runs each generator on one program with the same number of seconds and keeps the test files that it writes.

A generator is told the seconds in its own terms: Pynguin for its search, CrossHair and ours for each function an equal
share. What it needs beyond that, to start and to write its tests, is measured and shown, and only bounded generously.
"""

from __future__ import annotations

import ast
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from side_by_side.environments import executable

PATIENCE = 6.0
STARTING = 20.0
SEED = "1"


@dataclass(slots=True)
class Produced:
    """The test files of one generator for one program, and the time that its processes took."""

    generator: str
    files: list[Path] = field(default_factory=list)
    seconds: float = 0.0
    processor: float = 0.0
    notes: list[str] = field(default_factory=list)


Generator = Callable[[Path, Path, float], Produced]


def everypath(source: Path, folder: Path, seconds: float) -> Produced:
    """Ours, with its default bounds."""
    return ours("everypath", [], source, folder, seconds)


def everypath_limited(tests: int, source: Path, folder: Path, seconds: float) -> Produced:
    """Ours with a higher bound on loops, but no more tests than that; a test may make many calls, like theirs."""
    options = ["--loops", "3", "--paths-per-test", "12", "--file-tests", str(tests)]
    return ours(f"everypath {' '.join(options)}", options, source, folder, seconds)


def ours(name: str, options: list[str], source: Path, folder: Path, seconds: float) -> Produced:
    """Our command on the whole file."""
    produced = Produced(name)
    share = seconds / max(1, len(functions(source)))
    program = str(Path(sys.executable).parent / "everypath")
    output = folder / "test_everypath.py"
    command = [program, "generate", str(source), "--time", f"{share:.2f}", *options, "-o", str(output)]
    run(produced, command, folder, seconds)
    keep(produced, output)
    return produced


def crosshair_opcodes(source: Path, folder: Path, seconds: float) -> Produced:
    """CrossHair's default: few examples that cover as many instructions as possible."""
    return crosshair("opcode", source, folder, seconds)


def crosshair_paths(source: Path, folder: Path, seconds: float) -> Produced:
    """CrossHair asked for an example of every path that it found."""
    return crosshair("path", source, folder, seconds)


def crosshair(kind: str, source: Path, folder: Path, seconds: float) -> Produced:
    """One process for each function, so that one that does not end costs only its own examples."""
    program = executable("crosshair-tool", "crosshair")
    produced = Produced(f"crosshair {kind}")
    if program is None:
        produced.notes.append("could not be installed")
        return produced
    names = functions(source)
    share = seconds / max(1, len(names))
    for number, name in enumerate(names):
        # Without a limit for one path, a path through an input that grows takes minutes and the share is not kept.
        limits = [f"--per_condition_timeout={share:.2f}", f"--per_path_timeout={share / 4:.2f}"]
        options = ["--example_output_format=pytest", f"--coverage_type={kind}", *limits]
        printed = run(produced, [program, "cover", f"{source.stem}.{name}", *options], source.parent, share)
        output = folder / f"test_crosshair_{kind}_{number}.py"
        # It imports the functions and classes that it calls, but not the exceptions that it expects.
        output.write_text(f"from {source.stem} import *\n{repaired(printed, produced)}", encoding="utf-8")
        if "def test" in output.read_text(encoding="utf-8"):
            keep(produced, output)
    return produced


def repaired(printed: str, produced: Produced) -> str:
    """CrossHair's tests as Python: one that expects an object without a literal keeps its call, not its assertion."""
    first, *blocks = re.split(r"(?m)^(?=def test)", printed)
    kept = [first]
    for block in blocks:
        callable_again = re.sub(r"(?m)^( +)assert (.*) == <.* object at 0x[0-9a-f]+>$", r"\1\2", block)
        try:
            ast.parse(callable_again)
        except SyntaxError:
            produced.notes.append(f"left out, not Python: {block.splitlines()[0]}")
        else:
            kept.append(callable_again)
    return "".join(kept)


def pynguin(source: Path, folder: Path, seconds: float) -> Produced:
    """Pynguin's default algorithm and assertions; expected exceptions are asserted, which kills more mutants."""
    program = executable("pynguin", "pynguin")
    produced = Produced("pynguin")
    if program is None:
        produced.notes.append("could not be installed")
        return produced
    places = ["--project-path", str(source.parent), "--module-name", source.stem, "--output-path", str(folder)]
    options = ["--maximum-search-time", str(round(seconds)), "--seed", SEED, "--no-xfail", "True", "--no-rich"]
    run(produced, [program, *places, *options], folder, seconds)
    keep(produced, folder / f"test_{source.stem}.py")
    return produced


OTHERS: tuple[Generator, ...] = (crosshair_opcodes, crosshair_paths, pynguin)


def functions(source: Path) -> list[str]:
    """The public functions and methods of the program, constructors included."""
    found: list[str] = []
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found.append(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = [member.name for member in node.body if isinstance(member, ast.FunctionDef)]
            found += [f"{node.name}.{name}" for name in methods if name == "__init__" or not name.startswith("_")]
    return found


def run(produced: Produced, command: list[str], folder: Path, seconds: float) -> str:
    """What the command prints; it is ended, with all its children, when its patience is used up."""
    environment = {
        **os.environ,
        "PYNGUIN_DANGER_AWARE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    try:
        printed, complaint = child.communicate(timeout=PATIENCE * seconds + STARTING)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        printed, complaint = child.communicate()
        produced.notes.append(f"{' '.join(command[1:3])} was ended after {time.perf_counter() - start:.0f} s")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    produced.seconds += time.perf_counter() - start
    produced.processor += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if child.returncode not in (0, 1):
        produced.notes.append(f"exit code {child.returncode}: {complaint.strip().splitlines()[-1:]}")
    return printed


def keep(produced: Produced, output: Path) -> None:
    """Adds a file that was written."""
    if output.exists():
        produced.files.append(output)
    else:
        produced.notes.append(f"no {output.name}")
