"""The result of a run, while it grows and when it is complete, and the listener that hears of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from everypath.cases.model import Problem, SomeCase, SomeSuite
from everypath.languages.base import Language, Module, Source
from everypath.planning.plan import Plan
from everypath.records import dataclass, field
from everypath.report.summary import Row, row_of


@dataclass(slots=True)
class Run:
    """The result of a run."""

    language: Language
    modules: dict[str, Module] = field(default_factory=dict)
    """modules whose cases are still held, in order"""
    rows: list[Row] = field(default_factory=list)
    """the results of finished modules, including entries that were refused"""
    results: list[SomeSuite | Row] = field(default_factory=list)
    """the results of the entries of the current module"""
    problems: list[Problem] = field(default_factory=list)
    """what the front end could not handle"""
    interrupted: bool = False
    dropped: int = 0
    """cases that were found but, because of an interrupt, not run"""
    defective: bool = False
    """whether some entry could not be finished because of a defect of our own"""
    unusable: set[str] = field(default_factory=set)
    """modules that cannot be imported"""
    failed: bool = False
    """whether something that the user named cannot be used"""

    def refuse(self, source: Source, function: str, problem: Problem) -> None:
        """Note that there are no tests of a function, or of a whole module, and why."""
        target = f"{source.place}::{function}" if function else source.target
        self.results.append(Row(target, source.module, function, refused=problem))

    def settle_refusal(self, function: str, suite: SomeSuite) -> None:
        """Record the tests of a function; if it was refused before, the reason is kept among their problems."""
        for number, each in enumerate(self.results):
            if isinstance(each, Row) and each.function == function and each.refused is not None:
                suite.problems.append(each.refused)
                self.results[number] = suite
                return
        self.results.append(suite)

    def conclude(self, module: str) -> None:
        """Record the result of a module."""
        self.rows += [each if isinstance(each, Row) else row_of(each, module) for each in self.results]
        self.results.clear()

    def forget(self, module: Module) -> None:
        """Drop the cases of a module whose tests are written; what remains is small."""
        del self.modules[module.name]

    @property
    def suites(self) -> list[SomeSuite]:
        """The suites that are still held."""
        return [suite for module in self.modules.values() for suite in module.suites]

    @property
    def cases(self) -> list[SomeCase]:
        """Every case of every suite."""
        return [case for suite in self.suites for case in suite.cases]

    @property
    def findings(self) -> list[SomeCase]:
        """The cases that a person should look at."""
        return [case for case in self.cases if case.finding is not None]

    @property
    def mispredicted(self) -> bool:
        """Whether some case ran differently from its prediction, which is a defect of our own."""
        return any(problem.kind == "defect" for row in self.rows for problem in row.problems)

    @property
    def contradicted(self) -> bool:
        """Whether assumptions left some entry without any possible input."""
        return any(problem.kind == "assumption" for row in self.rows for problem in row.problems)


class Listener:
    """Hears of a run; this one does nothing, others derive from it."""

    def planned(self, plan: Plan) -> Sequence[str]:
        """Called with the plan before anything is explored; an error raised here ends the run.

        The run is also about the targets that it returns, and is then planned once more.
        """
        return ()

    def progress(self, target: str, paths: int, cases: int, cuts: int, findings: int) -> None:
        """Called on every path, with how far the exploration of a target has come."""

    def working(self, what: str) -> None:
        """Called when something that may take long begins and is not exploring, in a few words such as `reading`."""

    def interrupted(self, cases: int) -> None:
        """Called when the user wants the run to end, with the number of cases that are still to be run."""

    def stands(
        self, sources: Sequence[Source], written: Mapping[str, str], stored: Sequence[str], functions: int
    ) -> bool:
        """Whether the file of a module that has not changed is as it was written, so that there is nothing to do.

        `written` says what files were then, as digests, and `stored` where the suites of its functions were put.
        """
        return False

    def lacks(self, source: Source) -> Callable[[str], bool]:
        """Which functions have earlier tests that somebody has edited or removed; asked where only changes count."""
        return lambda qualified: False

    def told(self, message: str) -> None:
        """Called with what the user should know about what earlier runs have left."""

    def module_done(self, run: Run, module: Module) -> None:
        """Called when the cases of a module are complete; the run may then be told to forget them."""


class Told:
    """Tells a listener how far the exploration of a function has come, and how many findings there are so far."""

    def __init__(self, listener: Listener, suite: SomeSuite) -> None:
        self._listener = listener
        self._suite = suite
        self._seen = 0
        self._findings = 0

    def __call__(self, paths: int, cases: int, cuts: int) -> None:
        found = self._suite.cases
        while self._seen < len(found):
            self._findings += found[self._seen].finding is not None
            self._seen += 1
        self._listener.progress(self._suite.target, paths, cases, cuts, self._findings)
