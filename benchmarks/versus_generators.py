"""Compares the tests that we, CrossHair and Pynguin generate for the same programs in the same time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from engine import EXAMPLES
from side_by_side.generators import OTHERS, Generator, Produced, everypath, everypath_limited

HERE = Path(__file__).resolve().parent
# Every program directly in examples/, but for the two that have neither objects nor strings nor containers.
PROGRAMS = (
    "account.py",
    "bounded_stack.py",
    "bst.py",
    "intervals.py",
    "inventory.py",
    "shapes.py",
    "sorted_list.py",
    "tokenizer.py",
)
MEASURES = ("branches", "paths", "mutants")


@dataclass(frozen=True, slots=True)
class GeneratorRow:
    """One generator on one program."""

    program: str
    generator: str
    tests: int
    calls: int
    """of functions of the program: a test may make several"""
    dropped: int
    branches: int
    all_branches: int
    paths: int
    undeclared: int
    mutants: int
    all_mutants: int
    seconds: float
    processor: float
    notes: tuple[str, ...]
    behind: dict[str, tuple[str, ...]]
    """for another tool, the columns in which we are not as good: `default`, and `limited` to fewer tests than it has"""


def rows(seconds: float, programs: tuple[str, ...] = PROGRAMS, keep: Path | None = None) -> Iterator[GeneratorRow]:
    """Each generator on each program, ours first; after another's comes ours with fewer tests than that has."""
    for program in programs:
        source = EXAMPLES / program

        def tried(generate: Generator, name: str, source: Path = source) -> tuple[Produced, dict[str, Any]]:
            with tempfile.TemporaryDirectory() as temporary:
                folder = (keep or Path(temporary)) / source.stem / name
                # Files of an earlier run must not be taken for those of this one.
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                produced = generate(source, folder, seconds)
                return produced, measure(source, produced)

        usual, ours = tried(everypath, "everypath")
        yield row(program, usual, ours, {})
        for other in OTHERS:
            produced, theirs = tried(other, other.__name__)
            count = max(1, len(theirs["tests"]) - 1)
            limited, few = tried(partial(everypath_limited, count), f"everypath_{other.__name__}")
            yield row(program, produced, theirs, {"default": ours, "limited": few})
            yield row(program, limited, few, {})


def measure(source: Path, produced: Produced) -> dict[str, Any]:
    """What the tests are worth, from a process of its own."""
    if not produced.files:
        return {"branches": 0, "mutants": 0, "dropped": 0, "import": [], "tests": []}
    command = [sys.executable, "-m", "side_by_side.measure", str(source), *map(str, produced.files)]
    environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=produced.files[0].parent)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(program: str, produced: Produced, found: dict[str, Any], ours: dict[str, dict[str, Any]]) -> GeneratorRow:
    """The figures of one suite, beside those of ours when there are some."""
    figures = reached(found)
    undeclared = together(found["tests"], "undeclared") - together(found["tests"], "paths")
    behind = {name: tuple(losses(suite, found, fewer=name == "limited")) for name, suite in ours.items()}
    return GeneratorRow(
        program,
        produced.generator,
        len(found["tests"]),
        sum(test["calls"] for test in found["tests"]),
        found["dropped"],
        figures["branches"],
        found["branches"],
        figures["paths"],
        len(undeclared),
        figures["mutants"],
        found["mutants"],
        produced.seconds,
        produced.processor,
        tuple(produced.notes),
        behind,
    )


def losses(ours: dict[str, Any], theirs: dict[str, Any], fewer: bool) -> Iterator[str]:
    """The columns in which we are behind; as many tests as theirs are too many where ours should be `fewer`."""
    best, figures = reached(ours), reached(theirs)
    yield from (what for what in MEASURES if best[what] < figures[what])
    if len(ours["tests"]) + fewer > len(theirs["tests"]):
        yield "tests"


def reached(suite: dict[str, Any]) -> dict[str, int]:
    """How much the tests of a suite reach together."""
    found = {what: together(suite["tests"], what) for what in MEASURES}
    found["mutants"] |= set(suite["import"])
    return {what: len(things) for what, things in found.items()}


def together(tests: list[dict[str, Any]], what: str) -> set[Any]:
    """The distinct things of one kind that some test reaches."""
    return {tuple(item) if isinstance(item, list) else item for test in tests for item in test[what]}
