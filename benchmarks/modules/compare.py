"""Prints how many lines and branches of real modules the tests of each tool reach, in the same time.

`python -m modules.compare --seconds 60 --tools everypath,caller tqdm`, in the folder of benchmarks, runs the subjects
whose names begin so; without a name, all of a list.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from modules import environment
from modules.measure import Reached, counts, measured
from modules.subjects import HERE, Subject, read
from modules.tools import INSTALLED, TOOLS, Run, locate

COLUMNS = ("module", "tool", "percent", "covered", "total", "passed", "failed", "seconds", "processor", "ended")


@dataclass(frozen=True, slots=True)
class Row:
    """One tool on one subject."""

    subject: Subject
    tool: str
    reached: Reached
    run: Run
    seconds: float
    """that the tool was given"""

    def late(self) -> str:
        """Whether the tool took more than a tenth, and two seconds, beyond its time, and by which measure.

        On a busy machine the clock says too much, and the processor says nothing of waiting; late by both is late.
        """
        bound = 1.1 * self.seconds + 2
        measures = {"clock": self.run.seconds, "processor": self.run.processor}
        return " and ".join(name for name, seconds in measures.items() if seconds > bound)

    def cells(self) -> tuple[str, ...]:
        """The row as the table shows it."""
        reached, run = self.reached, self.run
        ended = f"exit {run.code}" + (f", late by {self.late()}" if self.late() else "")
        counted = (reached.covered, reached.total, reached.passed, reached.failed)
        times = (f"{run.seconds:.1f}", f"{run.processor:.1f}")
        return (self.subject.name, self.tool, f"{reached.percent:.1f}", *map(str, counted), *times, ended)


def attempt(python: Path, subject: Subject, tool: str, seconds: float, keep: Path, options: list[str]) -> Row:
    """Runs a tool on a subject and measures its tests; everything it leaves is kept in a folder of its own."""
    folder = keep / tool / subject.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run = TOOLS[tool](python, subject, folder, seconds, options)
    report = folder / "coverage.json"
    if report.exists() and report.stat().st_size:  # the caller leaves its own and has no tests
        return Row(subject, tool, Reached(*counts(report)), run, seconds)
    return Row(subject, tool, measured(python, locate(python, subject), folder), run, seconds)


def rows(subjects: list[Subject], chosen: list[Subject], arguments: argparse.Namespace) -> Iterator[Row]:
    """Every tool on every chosen subject; an environment holds the packages of all, so that it is made once."""
    for tool in arguments.tools.split(","):
        python = environment.prepared(subjects, tool if tool in INSTALLED else "")
        for subject in chosen:
            options = arguments.options.split() if tool == "everypath" else []
            yield attempt(python, subject, tool, arguments.seconds, arguments.keep, options)


def main() -> None:
    """Prints the table row by row, and a median for each tool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", help="beginnings of names (default: all)")
    parser.add_argument("--list", type=Path, default=HERE / "modules.txt", help="the list of subjects")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="for each subject and tool (default 60; the caller has 6)"
    )
    parser.add_argument("--tools", default="everypath,caller", help=f"of {', '.join(TOOLS)}")
    parser.add_argument("--options", default="", help="more options for everypath")
    parser.add_argument(
        "--keep", type=Path, default=environment.CACHE / "kept", help="where tests, output and table go"
    )
    arguments = parser.parse_args()
    arguments.keep = arguments.keep.resolve()
    arguments.keep.mkdir(parents=True, exist_ok=True)
    subjects = read(arguments.list)
    chosen = [s for s in subjects if s.name.startswith(tuple(arguments.subjects) or "")]
    found: dict[str, list[Row]] = {}
    with open(arguments.keep / "table.tsv", "a", encoding="utf-8") as table:
        print("\t".join(COLUMNS), file=table)
        for row in rows(subjects, chosen, arguments):
            found.setdefault(row.tool, []).append(row)
            print("\t".join(row.cells()), file=table, flush=True)
            print(f"{row.cells()[0]:48}" + "".join(f"{cell:>10} " for cell in row.cells()[1:]), flush=True)
    for tool, those in found.items():
        median = statistics.median(row.reached.percent for row in those)
        failed, late = sum(row.reached.failed for row in those), Counter(row.late() for row in those if row.late())
        print(f"{tool}: median {median:.1f} % of {len(those)} modules; tests failed: {failed}; runs late: {dict(late)}")


if __name__ == "__main__":
    main()
