"""The result of generating for some targets, while it grows and when it is complete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from everypath.cases.model import CallCase, CallSuite, Problem, Suite
from everypath.languages.python.targets import Source
from everypath.records import dataclass, field
from everypath.report.summary import Row, row_of


@dataclass(slots=True)
class Run:
    """The result of generating for some targets."""

    suites: list[CallSuite] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    """what finished modules came to, those entries included that were refused"""
    results: list[CallSuite | Row] = field(default_factory=list)
    """what the entries of the module came to that is being worked on"""
    problems: list[Problem] = field(default_factory=list)
    variants: dict[str, int] = field(default_factory=dict)
    """case id -> how its inputs are built in the emitted test"""
    scripts: dict[str, str] = field(default_factory=dict)
    """case id -> the script that validated it"""
    interrupted: bool = False
    defective: bool = False
    """whether some entry could not be finished because of a defect of ours"""
    unusable: set[str] = field(default_factory=set)
    """import names of modules that cannot be imported"""
    failed: bool = False
    """whether something that the user named cannot be used"""
    modules: dict[str, list[CallSuite]] = field(default_factory=dict)
    """import name -> suites, in order"""
    roots: dict[str, Path] = field(default_factory=dict)
    """import name -> folder that Python must search to find it"""
    restored: set[str] = field(default_factory=set)
    """import names whose tests change state that must be put back after each"""
    on_interrupt: Callable[[int], None] | None = None
    """hears how many cases are still to be run when an interrupt arrives"""

    def refuse(self, source: Source, function: str, problem: Problem) -> None:
        """Note that there are no tests of a function, or of a whole module, and why."""
        target = f"{source.target.partition('::')[0]}::{function}" if function else source.target
        self.results.append(Row(target, source.module, function, refused=problem))

    def conclude(self, module: str) -> None:
        """Write down what a module came to."""
        self.rows += [row_of(each, module) if isinstance(each, Suite) else each for each in self.results]
        self.results.clear()

    def forget(self, module: str) -> None:
        """Drop the cases of a module, whose tests are written; what remains is small."""
        for suite in self.modules.pop(module, ()):
            for case in suite.cases:
                self.variants.pop(case.id, None)
            self.suites.remove(suite)
        self.scripts.clear()

    def interrupt(self, cases: int) -> None:
        """Begin nothing new; the cases at hand are still run."""
        self.interrupted = True
        if self.on_interrupt is not None:
            self.on_interrupt(cases)

    @property
    def cases(self) -> list[CallCase]:
        """Every case of every suite."""
        return [case for suite in self.suites for case in suite.cases]

    @property
    def findings(self) -> list[CallCase]:
        """The cases a person should look at."""
        return [case for case in self.cases if case.finding is not None]

    @property
    def contradicted(self) -> bool:
        """Whether assumptions left some entry without any input."""
        return any(problem.kind == "assumption" for row in self.rows for problem in row.problems)
