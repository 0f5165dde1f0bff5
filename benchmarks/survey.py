"""Tries every public function and method of modules and tells, in a table, what came of each.

`survey.py bisect textwrap collections::ChainMap` runs the whole pipeline on each of them; with `--coverage` the emitted
tests are run again and the branches of each function that its own tests take are counted. A process of its own
does each module; where it hangs or ends, the entry at hand is noted as ours to repair and the next one is tried.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

PATIENCE = 45.0
"""Seconds beyond the time for exploring after which an entry counts as hanging."""
_TWIN = re.compile(
    r"^try:\n    from _\w+ import [^\n]+\nexcept ImportError:\n    pass\n"
    r"|^if __name__ == \"__main__\":\n(?:[ ]{4}.*\n|\n)+",
    re.M,
)
"""What replaces a module's functions by those of its twin in C, and its own test run."""
_VARIABLE = re.compile(r"'[^']*'|\b\d+\b|\"[^\"]*\"")


@dataclass(slots=True)
class Row:
    """What came of one function or method."""

    module: str
    name: str
    cases: int = 0
    cut: int = 0
    """paths that a bound stopped"""
    seconds: float = 0.0
    reasons: list[str] = field(default_factory=list)
    """why there is nothing, or not everything; the first one counts"""
    notes: list[str] = field(default_factory=list)
    """types that were assumed and values that were fixed"""
    traceback: bool = False
    """whether the pipeline failed in a way of its own"""
    branches: int | None = None
    taken: int | None = None

    @property
    def full(self) -> bool:
        """Whether every branch of the function is taken."""
        return bool(self.cases) and self.branches is not None and self.branches == self.taken


def python_only(module: str, folder: Path) -> str:
    """The target for a module: itself, or a copy without the lines that replace it by its twin in C."""
    if module.endswith(".py"):
        return str(Path(module).resolve())
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return module
    source = Path(spec.origin).read_text(encoding="utf-8")
    pure = _TWIN.sub("", source)
    if "from _" not in source or pure == source or "__init__" in spec.origin:
        return module
    file = folder / f"pure_{module.rpartition('.')[2]}.py"
    file.write_text(pure, encoding="utf-8")
    return str(file)


def entries_of(target: str) -> list[str]:
    """The qualified names of what the target offers; one that has several names counts once."""
    from everypath.languages.python.frontend import load_target

    return list(dict.fromkeys(entry.qualname for entry in load_target(target).entries))


def survey_entry(module: str, target: str, name: str, seconds: float, loops: int, tests: Path | None) -> Row:
    """Run the pipeline on one entry, and write its tests if they are to be measured."""
    from everypath.errors import EverypathError
    from everypath.generate.run import generate
    from everypath.options import Limits, Options

    row = Row(module, name)
    started = time.monotonic()
    try:
        run = generate([f"{target}::{name}"], Options(limits=Limits(loops=loops, time=seconds)))
    except EverypathError as error:
        row.reasons.append(error.message)
    except Exception as error:
        row.traceback = True
        row.reasons.append(f"traceback: {type(error).__name__}: {error}")
    else:
        row.cases = len(run.cases)
        for suite in run.suites:
            row.cut += sum(suite.stats.cut.values())
            row.notes += [f"{note.line}: {note.message}" for note in getattr(suite.stats, "concretised", ())]
            ranked = sorted(suite.problems, key=lambda p: p.kind not in ("internal error", "defect"))
            row.reasons += [f"{p.kind}: {p.message} [{p.line}]" for p in (*ranked, *suite.stats.unsupported)]
        row.traceback = run.defective
        for problem in sorted(run.problems, key=lambda p: "is only tried as" in p.message):
            text = f"{problem.kind}: {problem.message} [{problem.line}]"
            if problem.message.startswith("assumed from"):
                row.notes.append(text)
            elif not run.suites or not row.reasons:
                row.reasons.append(text)
        if tests is not None and run.cases:
            (imported,) = run.modules
            tests.write_text(run.language.writer("pytest").render([run.modules[imported]]).text, encoding="utf-8")
    row.seconds = time.monotonic() - started
    return row


def child(arguments: argparse.Namespace) -> None:
    """Survey the entries from a position on; one line of JSON for each."""
    module, target, *names = arguments.targets
    wanted = names or entries_of(target)
    print(json.dumps(wanted), flush=True)
    for number in range(arguments.start, len(wanted)):
        tests = Path(arguments.tests) / f"test_{number}.py" if arguments.tests else None
        name = wanted[number]
        with open(os.devnull, "w") as quiet, contextlib.redirect_stdout(quiet):
            row = survey_entry(module, target, name, arguments.seconds, arguments.loops, tests)
        print(json.dumps(asdict(row)), flush=True)


def survey_module(spec: str, seconds: float, loops: int, measure: bool) -> Iterator[Row]:
    """Every row of a module; `module::Class` limits it to what begins with that name."""
    module, _, prefix = spec.partition("::")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = python_only(module, folder)
        tests = folder / "tests"
        tests.mkdir()
        rows = list(_rows(module, target, prefix, seconds, loops, tests if measure else None))
        if measure and any(row.cases for row in rows):
            _count_branches(target, tests, rows)
        yield from rows


def _rows(module: str, target: str, prefix: str, seconds: float, loops: int, tests: Path | None) -> Iterator[Row]:
    names: list[str] = []
    start = 0
    if prefix:
        try:
            names = [n for n in entries_of(target) if n == prefix or n.startswith(f"{prefix}.")]
        except Exception as error:
            yield Row(module, prefix, reasons=[f"{type(error).__name__}: {error}"])
            return
    while True:
        command = [sys.executable, __file__, "--child", f"--seconds={seconds}", f"--loops={loops}", f"--start={start}"]
        command += [f"--tests={tests}"] if tests else []
        ended = ""
        with subprocess.Popen(
            [*command, module, target, *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            lines = _lines(process, seconds + PATIENCE)
            first = next(lines, None)
            if first is None:
                process.kill()
                error = process.stderr.read().decode(errors="replace").strip() if process.stderr else ""
                last = error.splitlines()[-1] if error else "no answer"
                yield Row(module, "(module)", reasons=[last], traceback="Everypath" not in last and "Input" not in last)
                return
            wanted = json.loads(first)
            for line in lines:
                yield Row(**json.loads(line))
                start += 1
            if start < len(wanted):
                ended = "hangs" if process.poll() is None else f"ended with {process.returncode}"
                process.kill()
        if start >= len(wanted):
            return
        yield Row(module, wanted[start], reasons=[f"the process {ended}"], traceback=True)
        start += 1


def _lines(process: subprocess.Popen[bytes], patience: float) -> Iterator[bytes]:
    """Whole lines of the output until it ends or nothing comes for too long."""
    assert process.stdout is not None
    stream = process.stdout.fileno()
    buffer = b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while selector.select(patience):
            data = os.read(stream, 65536)
            if not data:
                return
            *whole, buffer = (buffer + data).split(b"\n")
            yield from whole


_MEASURE = """
import json, sys, coverage, pytest, contextlib
source, folder, count = sys.argv[1:]
cov = coverage.Coverage(branch=True, data_file=None, include=[source], config_file=False)
cov.set_option("run:dynamic_context", "test_function")
cov.start()
with contextlib.redirect_stdout(sys.stderr):
    pytest.main(["-q", "-c", "/dev/null", "-p", "no:cacheprovider", "--rootdir", folder, folder])
cov.stop()
found = {}
for number in range(int(count)):
    with contextlib.suppress(coverage.CoverageException):
        with contextlib.redirect_stdout(sys.stderr):
            cov.json_report(outfile=folder + "/report.json", contexts=[rf"^test_{number}\\."])
        files = json.load(open(folder + "/report.json"))["files"]
        for data in files.values():
            counts = {name: function["summary"] for name, function in data["functions"].items()}
            found[number] = {name: (c["num_branches"], c["covered_branches"]) for name, c in counts.items()}
print(json.dumps(found))
"""


def _count_branches(target: str, tests: Path, rows: list[Row]) -> None:
    """Run all tests once under coverage.py and split what they take by the file that each comes from."""
    source = target
    if not target.endswith(".py"):
        spec = importlib.util.find_spec(target)
        if spec is None or spec.origin is None:
            print(f"no coverage for {target}: its source is not found", file=sys.stderr)
            return
        source = spec.origin
    folders = [str(Path(source).parent)] if target.endswith(".py") else []
    folders += [str(Path(path).absolute()) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-c", _MEASURE, source, str(tests), str(len(rows))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tests)
    try:
        found = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        print(f"no coverage for {target}: {done.stderr[-500:]}", file=sys.stderr)
        return
    for number, row in enumerate(rows):
        counts = found.get(str(number), {}).get(row.name)
        if counts and row.cases:
            row.branches, row.taken = counts


def shown_reason(row: Row) -> str:
    """The first reason without what differs from place to place."""
    reason = row.reasons[0].replace(row.name, "…")
    return _VARIABLE.sub("…", reason.rpartition(" [")[0] or reason)[:110]


def table(rows: list[Row]) -> Iterator[str]:
    """One line for each row."""
    for row in rows:
        covered = "" if row.branches is None else f"{row.taken}/{row.branches}"
        reason = (row.reasons or [""])[0][:110]
        mark = "!" if row.traceback else " "
        yield f"{mark}{row.module}.{row.name:42.42} {row.cases:4} {covered:>7} {row.seconds:5.1f}s  {reason}"


def summary(title: str, rows: list[Row], measured: bool) -> Iterator[str]:
    """What share works, and what keeps the rest from it."""
    total = len(rows) or 1
    useful = sum(bool(row.cases) for row in rows)
    line = f"{title}: {len(rows)} tried, {useful} ({useful / total:.0%}) with validated cases"
    if measured:
        # A function without branches has them all taken by any test, which says little.
        branching = [row for row in rows if row.branches]
        full = sum(row.full for row in branching)
        straight = sum(row.branches == 0 for row in rows)
        taken, every = sum(row.taken or 0 for row in branching), sum(row.branches or 0 for row in branching)
        line += f", every branch taken in {full} of {len(branching)} that have branches ({taken}/{every})"
        line += f", {straight} have none"
    broken = sum(row.traceback for row in rows)
    yield f"{line}, {broken} tracebacks, {sum(len(row.notes) for row in rows)} notes"


def top_reasons(rows: list[Row], most: int = 30) -> Iterator[str]:
    """The most frequent first reasons, where there are no cases and where there are."""
    for title, chosen in (("without cases", False), ("with cases", True)):
        counts = Counter(shown_reason(r) for r in rows if r.reasons and bool(r.cases) == chosen)
        yield f"-- {title}"
        for reason, count in counts.most_common(most):
            yield f"{count:4}  {reason}"


def main() -> None:
    """Survey the modules named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="+", help="module or module::Class")
    parser.add_argument("--seconds", type=float, default=5.0, help="for exploring one entry")
    parser.add_argument("--loops", type=int, default=2)
    parser.add_argument("--coverage", action="store_true", help="measure the branches that the tests take")
    parser.add_argument("--json", help="write all rows to this file")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--tests", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments)
        return
    rows: list[Row] = []
    for spec in arguments.targets:
        found = list(survey_module(spec, arguments.seconds, arguments.loops, arguments.coverage))
        rows += found
        print("\n".join([*table(found), *summary(spec, found, arguments.coverage)]), flush=True)
    print("\n".join(top_reasons(rows)))
    print("\n".join(summary("total", rows, arguments.coverage)))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
