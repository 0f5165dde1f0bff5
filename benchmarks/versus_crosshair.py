"""Compares our command line with CrossHair's: time to the same branch coverage, process start included."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine import EXAMPLES, TARGETS

HERE = Path(__file__).resolve().parent
TURNS = 3
SHORT = 5.0
"""Seconds up to which a run is repeated: other load is most of what differs between short runs."""
BUDGET_GROWTH = 2.5

Branches = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class CrossHairRow:
    """Both tools on one function; `reached` says whether CrossHair got to our coverage within the cap."""

    target: str
    our_branches: int
    our_seconds: float
    their_branches: int
    their_seconds: float
    reached: bool

    @property
    def ratio(self) -> float:
        """How many times faster we are, a lower bound when the coverage was not reached."""
        return self.their_seconds / self.our_seconds


def installed() -> str | None:
    """The CrossHair executable: on the path or beside the running Python."""
    beside = Path(sys.executable).parent / "crosshair"
    return shutil.which("crosshair") or (str(beside) if beside.exists() else None)


def rows(crosshair: str, cap: float) -> Iterator[CrossHairRow]:
    """One comparison per example program, as soon as it is made.

    Short runs are made in turns, and the best turn of each tool counts, for other load only ever adds time.
    """
    for target, _ in TARGETS:
        file, _, function = target.partition("::")
        source = EXAMPLES / file
        ours, our_seconds = run_ours(source, function)
        most, their_seconds, options = to_coverage(crosshair, source, function, len(ours), cap)
        if options is not None and their_seconds < SHORT:
            for _ in range(TURNS - 1):
                our_seconds = min(our_seconds, run_ours(source, function)[1])
                their_seconds = min(their_seconds, run_crosshair(crosshair, source, function, options)[1])
        yield CrossHairRow(target, len(ours), our_seconds, most, their_seconds, options is not None)


def to_coverage(
    crosshair: str, source: Path, function: str, wanted: int, cap: float
) -> tuple[int, float, list[str] | None]:
    """The most branches that CrossHair took, its seconds, and the options with which it took as many as wanted."""
    most, seconds = 0, 0.0
    for each in attempts(cap):
        longest = 0.0
        for options in each:
            found, seconds = run_crosshair(crosshair, source, function, options)
            most, longest = max(most, len(found)), max(longest, seconds)
            if len(found) >= wanted:
                return most, seconds, options
        # A budget is processor time spent on conditions; the process can take several times as long.
        if each[0] and longest > cap:
            break
    return most, seconds, None


def run_ours(source: Path, function: str) -> tuple[Branches, float]:
    """Branches that our emitted tests take, and the seconds it took to emit them."""
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "test_emitted.py"
        program = str(Path(sys.executable).parent / "everypath")
        command = [program, "generate", f"{source}::{function}", "--format", "pytest", "-o", str(tests)]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
        return branches(["pytest", str(source), str(tests)]), seconds


def attempts(cap: float) -> Iterator[list[list[str]]]:
    """CrossHair's own default first, then both of its coverage types under growing time budgets up to the cap."""
    yield [[]]
    budget = 1.0
    while budget < cap:
        yield [[f"--coverage_type={kind}", f"--per_condition_timeout={budget:.1f}"] for kind in ("opcode", "path")]
        budget *= BUDGET_GROWTH


def run_crosshair(crosshair: str, source: Path, function: str, options: list[str]) -> tuple[Branches, float]:
    """Branches that CrossHair's examples take, and the seconds it took to print them."""
    command = [crosshair, "cover", f"{source.stem}.{function}", "--example_output_format=arg_dictionary", *options]
    environment = {**os.environ, "PYTHONPATH": str(source.parent)}
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=source.parent)
    seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "arguments"
        listed.write_text(done.stdout, encoding="utf-8")
        return branches(["calls", str(source), function, str(listed)]), seconds


def branches(arguments: list[str]) -> Branches:
    """What `branches.py` measures, in a process of its own."""
    command = [sys.executable, str(HERE / "branches.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return frozenset((origin, target) for origin, target in json.loads(done.stdout.splitlines()[-1]))
