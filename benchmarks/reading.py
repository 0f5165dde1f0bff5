"""Prints what our tests of the examples are worth and how much there is to read: branches, mutants, assertions.

`python benchmarks/reading.py [FOLDER]`; with a folder, the files `test_<example>.py` in it are measured instead of new
ones, which tells what a change of ours has done.
"""

from __future__ import annotations

import ast
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine import EXAMPLES
from side_by_side.generators import Produced, everypath
from versus_generators import PROGRAMS, measure, reached

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class QualityRow:
    """The tests of one program."""

    program: str
    tests: int
    branches: int
    all_branches: int
    mutants: int
    all_mutants: int
    asserted: tuple[int, ...]
    """for each test function, the lines that its assertions take"""
    names: tuple[int, ...]
    """the lengths of the functions' names"""


def asserted_lines(test: ast.FunctionDef) -> int:
    """The lines of a test function's assertions; the head of a `with pytest.raises` is one."""
    found = 0
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            found += (node.end_lineno or node.lineno) - node.lineno + 1
        found += isinstance(node, ast.With)
    return found


def functions(text: str) -> Iterator[ast.FunctionDef]:
    """The test functions of a file."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def rows(folder: Path | None = None) -> Iterator[QualityRow]:
    """One row for each example with declared types."""
    for program in PROGRAMS:
        source = EXAMPLES / program
        with tempfile.TemporaryDirectory() as temporary:
            if folder is None:
                produced = everypath(source, Path(temporary), SECONDS)
            else:
                produced = Produced("given", [(folder / f"test_{source.stem}.py").resolve()])
            found = measure(source, produced)
            tests = [test for file in produced.files for test in functions(file.read_text(encoding="utf-8"))]
        figures = reached(found)
        yield QualityRow(
            program,
            len(found["tests"]),
            figures["branches"],
            found["branches"],
            figures["mutants"],
            found["mutants"],
            tuple(map(asserted_lines, tests)),
            tuple(len(test.name) for test in tests),
        )


def main() -> None:
    """The table."""
    show = partial(print, flush=True)
    show(f"{'program':20}{'tests':>6}{'branches':>12}{'mutants':>12}", end="")
    show(f"{'asserted lines: median':>24}{'mean':>6}{'longest name':>14}")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    total: list[QualityRow] = []
    for row in rows(folder):
        total.append(row)
        show(_line(row.program, [row]))
    show(_line("all", total))


def _line(name: str, of: list[QualityRow]) -> str:
    asserted = [lines for row in of for lines in row.asserted]
    branches = f"{sum(row.branches for row in of)}/{sum(row.all_branches for row in of)}"
    mutants = f"{sum(row.mutants for row in of)}/{sum(row.all_mutants for row in of)}"
    median, mean = statistics.median(asserted), statistics.mean(asserted)
    longest = max(length for row in of for length in row.names)
    return f"{name:20}{sum(row.tests for row in of):>6}{branches:>12}{mutants:>12}{median:>24}{mean:>6.1f}{longest:>14}"


if __name__ == "__main__":
    main()
