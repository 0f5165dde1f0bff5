"""Compares our exploration with the papers' constraint-logic engine in SWI-Prolog, on the same programs and bounds."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine import measure

SCRIPT = Path(__file__).resolve().parent / "clp" / "everypath_clp.pl"

TURNS = 3
ROWS = (
    ("rem_all", "papers/rem_all.py::List.rem_all", "lazy", (1, 2, 3, 4)),
    ("rem_all", "papers/rem_all.py::List.rem_all", "noalias", (1, 2, 3, 4)),
    ("int_exp", "papers/int_exp.py::int_exp", "lazy", (1, 20, 60)),
    ("sorted_insert", "sorted_list.py::SortedList.insert", "lazy", (3, 6)),
    ("sorted_insert", "sorted_list.py::SortedList.insert", "noalias", (3, 6, 20)),
)


@dataclass(frozen=True, slots=True)
class PrologRow:
    """Both engines on one program: cases, steps and CPU seconds of one exploration, process start excluded."""

    program: str
    heap: str
    loops: int
    prolog_cases: int
    prolog_steps: int
    prolog_seconds: float
    our_cases: int
    our_steps: int
    our_seconds: float

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.prolog_seconds / self.our_seconds if self.our_seconds > 0 else float("inf")


def installed() -> str | None:
    """The SWI-Prolog executable, if there is one."""
    return shutil.which("swipl")


def run_prolog(swipl: str, program: str, loops: int, heap: str, *, at_least: float = 0.3) -> tuple[int, int, float]:
    """Cases, steps and seconds of one exploration, from enough repetitions to be measurable."""
    repeat = 1
    while True:
        command = [swipl, "-O", str(SCRIPT), "--", program, str(loops), heap, str(repeat)]
        row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        if row["seconds"] >= at_least or repeat >= 100_000:
            return row["cases"] // repeat, row["steps"] // repeat, row["seconds"] / repeat
        repeat = max(repeat * 2, int(repeat * at_least * 1.2 / max(row["seconds"], 1e-4)))


def rows(swipl: str) -> Iterator[PrologRow]:
    """All comparisons: the two engines in turns, and the best turn of each, for other load only ever adds time."""
    for program, target, heap, bounds in ROWS:
        for loops in bounds:
            turns = [
                (run_prolog(swipl, program, loops, heap), measure(target, loops, heap, at_least=0.3))
                for _ in range(TURNS)
            ]
            cases, steps, seconds = min((theirs for theirs, _ in turns), key=lambda row: row[2])
            ours = min((ours for _, ours in turns), key=lambda row: row.seconds)
            yield PrologRow(program, heap, loops, cases, steps, seconds, ours.cases, ours.steps, ours.seconds)
