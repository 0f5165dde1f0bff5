"""What comes of Java code that nobody here wrote: methods with tests, and the branches that these take on a JVM.

    java_code.py classes::shop.Cart guava.jar::com.google.common.base.Strings --classpath failureaccess.jar

Some classes at a time are one run of the command. Each file that it writes is compiled and run once more, with a probe
at every branch; what counts as a branch is each way out of a conditional jump, and each place that a switch leads to. A
method's branches are those of its own code; lambdas and private methods count for the class only. Paths without a test
are counted by reason.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from everypath.languages.java.frontend.hierarchy import JavaClass, JavaMethod
from everypath.languages.java.frontend.load import JDK_TARGET, JavaLoaded, Loader
from everypath.languages.java.observing.reached import branches_of, line_at
from everypath.languages.java.runtime.jdk import usable_jdk
from everypath.languages.java.runtime.junit import find_junit
from everypath.languages.java.runtime.runner import Setting, run_suite
from everypath.options import Options
from everypath.workers.reserve import kept_workers

_ENTRY = re.compile(
    r"^(?:\S*::(?P<name>\S.*?): cases (?P<cases>\d+)(?: \(\d+ observed\))?, "
    r"|\S+ {2,}(?P<row>\S.*?) {2,}(?P<count>\d+) )"
)
_PROBLEM = re.compile(r"^\S+?:\d+: (?P<kind>[a-z-]+): (?P<text>.*)$")
_TEST = re.compile(r"^    void (\w+)\(\)", re.M)
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+\b|<[^<>]*>")
_PATIENCE = 60.0


@dataclass(slots=True)
class Row:
    """What came of one method."""

    cls: str
    name: str
    cases: int = 0
    branches: int = 0
    taken: int = 0
    missed: list[str] = field(default_factory=list)
    """the lines of branches that no test takes"""

    @property
    def full(self) -> bool:
        """Whether it has tests, and these take all its branches."""
        return self.cases > 0 and self.taken == self.branches


@dataclass(slots=True)
class Result:
    """What came of one class."""

    target: str
    """the place and the class"""
    named: tuple[str, ...] = ()
    """the class, or some of its methods, as targets of the command"""
    rows: list[Row] = field(default_factory=list)
    tests: int = 0
    failing: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    branches: int = 0
    """of all code of the class, private methods and nested classes included"""
    taken: int = 0
    trouble: str = ""
    """why there is no file"""


class Measurement:
    """Runs the command on targets and the tests on a JVM."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.options = Options(classpath=tuple(arguments.classpath), private=True)
        self.folder = Path(arguments.keep or tempfile.mkdtemp())

    def grouped(self, targets: Sequence[str]) -> list[Result]:
        """The classes that the targets are, or of which they are methods."""
        found: dict[str, list[str]] = {}
        for target in targets:
            module = Loader(self.options)(target).module
            found.setdefault(f"{target.partition('::')[0]}::{module}", []).append(target)
        return [Result(target, tuple(named)) for target, named in found.items()]

    def several(self, results: Sequence[Result]) -> Sequence[Result]:
        """The whole way for some classes, which share the command and the JVM."""
        targets = [target for result in results for target in result.named]
        folder = self.folder / re.sub(r"\W+", "_", targets[0])
        command = [sys.executable, "-m", "everypath", "generate", *targets, "-o", str(folder), *self.arguments.flag]
        for place in self.arguments.classpath:
            command += ["--classpath", place]
        folder.mkdir(parents=True, exist_ok=True)
        told = folder / "told.txt"
        with told.open("w") as output, contextlib.suppress(subprocess.TimeoutExpired):
            seconds = self.arguments.seconds * len(targets) + _PATIENCE
            subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, timeout=seconds, check=False)
        text = told.read_text(encoding="utf-8")
        for result in results:
            name = result.target.partition("::")[2]
            simple = name.rpartition(".")[2]
            cases = self._read(text, simple, result)
            file = next(folder.rglob(f"{simple}GeneratedTest.java"), None)
            reached: frozenset[str] = frozenset()
            if file is not None:
                reached = self._run(result.target, file, result)
            else:
                result.trouble = result.trouble or "no tests"
                cases = {}
            for target in result.named:
                self._count(target, cases, reached, result)
        return results

    def _read(self, text: str, simple: str, result: Result) -> dict[str, int]:
        cases: dict[str, int] = {}
        mine = re.compile(rf"\b{simple}[.$]|/{simple}\.java:")
        for line in text.splitlines():
            if entry := _ENTRY.match(line):
                cases[entry["name"] or entry["row"]] = int(entry["cases"] or entry["count"])
            elif (problem := _PROBLEM.match(line)) and mine.search(line):
                if problem["kind"] in ("runtime-error", "assertion", "contract"):
                    result.findings.append(line)
                else:
                    result.problems.append((problem["kind"], problem["text"]))
            elif "Traceback" in line:
                result.trouble = "a traceback"
        return cases

    def _run(self, target: str, file: Path, result: Result) -> frozenset[str]:
        place = target.partition("::")[0]
        source = file.read_text(encoding="utf-8")
        others = tuple(map(Path, self.arguments.classpath))
        own, probed = ((), target.partition("::")[2]) if place == JDK_TARGET else ((Path(place),), "")
        junit = find_junit("", (*own, *others))
        setting = Setting(usable_jdk(), own, self.options.fence, others, junit, probed)
        package = re.search(r"^package (\S+);", source, re.M)
        name = f"{package[1]}.{file.stem}" if package else file.stem
        tests = _TEST.findall(source)
        ended = run_suite(name, source, tests, setting)
        result.tests = len(tests)
        result.failing += [f"{file.name}: {error}" for error in ended.errors]
        for test, ending in ended.tests.items():
            if not ending.passed:
                result.failing.append(f"{name}.{test}: {ending.text}")
        return frozenset(place for ending in ended.tests.values() for place in ending.branches())

    def _count(self, target: str, cases: dict[str, int], reached: frozenset[str], result: Result) -> None:
        loaded: JavaLoaded = Loader(self.options)(target)
        entries = {(entry.cls, entry.method): entry for entry in loaded.entries}
        outer = loaded.running.find(loaded.module)
        assert outer is not None
        for cls in self._nest(loaded, outer):
            for method in cls.methods.values():
                row = self._row(cls, method, reached)
                entry = entries.get((cls.name, method.ir_name))
                if entry is None and "." in target.partition("::")[2].removeprefix(loaded.module):
                    # Only the methods that were named count.
                    continue
                result.branches += row.branches
                result.taken += row.taken
                if entry is not None and (method.access != "private" or entry.qualname in cases):
                    row.name = entry.qualname
                    row.cases = cases.get(entry.qualname, 0)
                    result.rows.append(row)

    def _row(self, cls: JavaClass, method: JavaMethod, reached: frozenset[str]) -> Row:
        row = Row(cls.name, method.name)
        code = cls.file.code(method.info)
        for offset, to in branches_of(code) if code is not None else ():
            row.branches += 1
            if f"{cls.name}#{method.name}{method.descriptor}@{offset}>{to}" in reached:
                row.taken += 1
            else:
                assert code is not None
                row.missed.append(f"{line_at(code, offset)}>{line_at(code, to)}")
        return row

    def _nest(self, loaded: JavaLoaded, outer: JavaClass) -> list[JavaClass]:
        found = [outer]
        for name in loaded.program.own:
            if name.startswith(f"{outer.name}$"):
                cls = loaded.program.find_java(name)
                if cls is not None:
                    found.append(cls)
        return found


def _short(text: str) -> str:
    """A reason without what differs from case to case."""
    return _VARIABLE.sub("_", text.partition(": ")[2] or text)[:110]


def show(results: Sequence[Result], verbose: bool) -> None:
    """The tables."""
    reasons: Counter[str] = Counter()
    print("class: methods with tests / all, with every branch; branches of these / of all code; tests; findings")
    rows = [row for result in results for row in result.rows]
    for result in results:
        mine = result.rows
        print(
            f"{result.target.partition('::')[2]}: {sum(row.cases > 0 for row in mine)}/{len(mine)},"
            f" {sum(row.full for row in mine)}; {sum(row.taken for row in mine)}/{sum(row.branches for row in mine)},"
            f" {result.taken}/{result.branches}; {result.tests}; {len(result.findings)}"
            + (f"; {result.trouble}" if result.trouble else "")
        )
        if verbose:
            for row in mine:
                if not row.full:
                    print(f"    {row.name}: {row.cases} cases, {row.taken}/{row.branches} {' '.join(row.missed[:12])}")
        for kind, text in result.problems:
            reasons[f"{kind}: {_short(text)}"] += 1
    for result in results:
        for line in result.failing:
            print(f"FAILS {line}")
    print("reasons:")
    for reason, count in reasons.most_common(60):
        print(f"  {count:4} {reason}")
    with_cases, full = sum(row.cases > 0 for row in rows), sum(row.full for row in rows)
    total, taken = sum(row.branches for row in rows), sum(row.taken for row in rows)
    print(
        f"{len(rows)} methods: {with_cases} with tests, {full} with every branch; {taken} of {total} branches;"
        f" {sum(result.tests for result in results)} tests, {sum(len(result.failing) for result in results)} fail;"
        f" {sum(len(result.findings) for result in results)} findings"
    )


def main() -> None:
    """Measure the targets of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--classpath", action="append", default=[])
    parser.add_argument("--flag", action="append", default=["--time", "10"], help="for the command")
    parser.add_argument("--seconds", type=float, default=60.0, help="for one class")
    parser.add_argument("--together", type=int, default=8, help="classes that share a run of the command")
    parser.add_argument("--keep", help="a folder for the tests")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--json", help="a file for the numbers")
    arguments = parser.parse_args()
    measurement = Measurement(arguments)
    results: list[Result] = []
    with kept_workers():
        classes = measurement.grouped(arguments.targets)
        for start in range(0, len(classes), arguments.together):
            results += measurement.several(classes[start : start + arguments.together])
            print(f"... {len(results)}", file=sys.stderr, flush=True)
    show(results, arguments.verbose)
    if arguments.json:
        numbers = [[row.cls, row.name, row.cases, row.taken, row.branches] for r in results for row in r.rows]
        Path(arguments.json).write_text(json.dumps(numbers), encoding="utf-8")


if __name__ == "__main__":
    main()
