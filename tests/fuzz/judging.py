"""Compares what brute force sees with the cases of a run: a way that no case takes must be named by what cut it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from everypath.cases.model import CallSuite
from everypath.generate.run import generate
from everypath.options import Limits, Options
from tests.fuzz.domain import inputs
from tests.fuzz.programs import Program
from tests.rendered import rendered

LOOPS = 2
SECONDS = 4.0


@dataclass
class Verdict:
    """What a batch of programs came to."""

    programs: int = 0
    cases: int = 0
    ways: int = 0
    covered: int = 0
    excused: dict[str, int] = field(default_factory=dict)
    """why ways are missing whose reason the result names -> how many"""
    wrong: dict[int, list[str]] = field(default_factory=dict)
    """seed -> silent misses, wrong predictions and tests that fail"""
    missed: dict[int, list[str]] = field(default_factory=dict)
    """seed -> ways that no case takes and nothing explains"""
    bounded: set[int] = field(default_factory=set)
    """seeds of programs with such ways, of which the result says that a bound cut paths"""
    stopped: set[int] = field(default_factory=set)
    """seeds of programs for which there was no time"""

    def add(self, other: Verdict) -> None:
        """Count another batch as well."""
        self.programs += other.programs
        self.cases += other.cases
        self.ways += other.ways
        self.covered += other.covered
        for reason, count in other.excused.items():
            self.excused[reason] = self.excused.get(reason, 0) + count
        self.wrong.update(other.wrong)


def judge(programs: list[Program], folder: Path) -> Verdict:
    """Generate tests for the programs, run them and brute force, and compare.

    A way that is missing where the result tells of a bound on loops or lengths is looked for again beyond that bound.
    """
    verdict = _compared(programs, folder, Limits(loops=LOOPS, time=SECONDS, paths=400))
    cut = [each for each in programs if each.seed in verdict.bounded]
    if cut:
        deeper = _compared(cut, folder / "deeper", Limits(loops=6, lengths=10, time=4 * SECONDS, paths=3000))
        for seed in verdict.bounded:
            still = set(deeper.missed.get(seed, ())) if not deeper.stopped & {seed} else set()
            silent = [miss for miss in verdict.missed.pop(seed) if miss in still]
            verdict.excused["cut: loop"] = verdict.excused.get("cut: loop", 0) + 1
            if silent:
                verdict.missed[seed] = silent
    for seed, misses in verdict.missed.items():
        verdict.wrong.setdefault(seed, []).extend(f"silent miss: {miss}" for miss in misses)
    return verdict


def _compared(programs: list[Program], folder: Path, limits: Limits) -> Verdict:
    folder.mkdir(parents=True, exist_ok=True)
    listed = {}
    for each in programs:
        name = f"p{each.seed}"
        (folder / f"{name}.py").write_text(each.source, encoding="utf-8")
        listed[name] = inputs(each.parameters, each.seed)
    (folder / "programs.json").write_text(json.dumps(listed), encoding="utf-8")
    run = generate([f"{folder / name}.py::f" for name in listed], Options(limits=limits, predicted_only=True))
    suites: dict[str, CallSuite] = {}
    for name, module in run.modules.items():
        for suite in module.suites:
            suites[name] = suite
        (folder / f"test_{name}.py").write_text(rendered(run, name), encoding="utf-8")
    command = [sys.executable, "-m", "tests.fuzz.running", str(folder)]
    root = Path(__file__).resolve().parent.parent.parent
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=root)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    told = json.loads((folder / "observed.json").read_text(encoding="utf-8"))
    verdict = Verdict(len(programs))
    refused = {Path(problem.file).stem: problem.message for problem in run.problems if problem.kind == "unsupported"}
    for each in programs:
        name = f"p{each.seed}"
        found = told[name]
        problems = [f"wrong test: {failure}" for failure in found["failures"]]
        suite = suites.get(name)
        if suite is not None:
            verdict.cases += len(suite.cases)
            named = ("cut", "unknown", "assumed", *each.admits)
            problems += [f"{p.kind}: {p.message}" for p in suite.problems if p.kind not in named]
        taken = set(found["cases"])
        for way in found["brute"]:
            verdict.ways += 1
            reason = "covered" if way["way"] in taken else _reason(way, suite, name, refused.get(name))
            if reason == "covered":
                verdict.covered += 1
            elif reason is not None:
                verdict.excused[reason] = verdict.excused.get(reason, 0) + 1
            else:
                verdict.missed.setdefault(each.seed, []).append(f"{way['call']} takes {way['way']}")
                if suite is not None and suite.stats.cut["loop"]:
                    verdict.bounded.add(each.seed)
        if suite is not None and suite.stats.cut["time"]:
            verdict.stopped.add(each.seed)
        if problems:
            verdict.wrong[each.seed] = problems
    return verdict


def _reason(way: dict[str, object], suite: CallSuite | None, name: str, refused: str | None) -> str | None:
    """What the result says that explains why no case takes this way."""
    if suite is None:
        return "refused" if refused else None
    stats, lines = suite.stats, way["lines"]
    assert isinstance(lines, list) and isinstance(way["rounds"], int)
    if stats.cut["loop"] and way["rounds"] > LOOPS:
        return "cut: loop"
    stopped = next((kind for kind in ("time", "depth") if stats.cut[kind]), None)
    if stopped:
        return f"cut: {stopped}"
    # What a collection that is too long cut stands with the line of the operation.
    for kind, problems in (("unsupported", stats.unsupported), ("concretised", stats.concretised)):
        # What stops a path in the library stands with the library's line.
        if any(problem.line in lines or Path(problem.file).stem != name for problem in problems):
            return kind
    for problem in suite.problems:
        if problem.kind == "unknown" and problem.line in lines:
            return "unknown"
    return "unstable" if any(problem.kind == "unstable" for problem in suite.problems) else None
