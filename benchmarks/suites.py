"""What guided and minimised suites are worth: tests and killed mutants, beside the suite with a test for each path.

    python benchmarks/suites.py [PROGRAM...]

A row is one example program. `full` has a test for each path; `branches` and `local-paths` are guided searches;
`mutants` is `--select mutants`; `kills` are as few tests of the full suite as this program finds to kill the same. Real
tests are run.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from side_by_side.generators import ours
from versus_generators import measure, reached

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAMS = "account bounded_stack bst intervals inventory shapes sorted_list tokenizer triangle".split()
SECONDS = 40.0
WAYS = {
    "full": [],
    "branches": ["--select", "branches"],
    "local-paths": ["--select", "local-paths"],
    "mutants": ["--select", "mutants"],
}


def suite(source: Path, options: list[str]) -> dict[str, Any]:
    """What the tests of a program are worth that are generated with these options."""
    generate = partial(ours, " ".join(options), ["--predicted-only", *options])
    with tempfile.TemporaryDirectory() as folder:
        return measure(source, generate(source, Path(folder), SECONDS))


def fewest(tests: list[dict[str, Any]]) -> int:
    """How many tests the greedy algorithm takes to kill what all kill."""
    left = {mutant for test in tests for mutant in test["mutants"]}
    count = 0
    while left:
        best = max(tests, key=lambda test: len(left.intersection(test["mutants"])))
        left.difference_update(best["mutants"])
        count += 1
    return count


def main(programs: list[str]) -> None:
    """Print the table: tests / killed mutants."""
    print(f"{'program':16} {'mutants':>8} " + " ".join(f"{way:>16}" for way in (*WAYS, "kills")))
    sums: dict[str, list[int]] = {way: [0, 0] for way in (*WAYS, "kills")}
    total = 0
    for program in programs or PROGRAMS:
        found = {way: suite(EXAMPLES / f"{program}.py", options) for way, options in WAYS.items()}
        figures = {way: (len(each["tests"]), reached(each)["mutants"]) for way, each in found.items()}
        figures["kills"] = (fewest(found["full"]["tests"]), figures["full"][1])
        total += found["full"]["mutants"]
        for way, (tests, killed) in figures.items():
            sums[way][0] += tests
            sums[way][1] += killed
        cells = " ".join(f"{f'{tests} / {killed}':>16}" for tests, killed in figures.values())
        print(f"{program:16} {found['full']['mutants']:8} {cells}", flush=True)
    cells = " ".join(f"{f'{tests} / {killed}':>16}" for tests, killed in sums.values())
    print(f"{'all':16} {total:8} {cells}")


if __name__ == "__main__":
    main(sys.argv[1:])
