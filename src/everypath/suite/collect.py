"""Collects the paths of one entry into a suite: counts every outcome, names every case once."""

from __future__ import annotations

from dataclasses import dataclass, field

from everypath.errors import Unsupported
from everypath.explore import traces
from everypath.explore.explorer import Call
from everypath.explore.outcomes import Cut, Finished, NotSupported, Uncaught, Undecided
from everypath.explore.state import State
from everypath.suite.concretise import Concrete, concretise
from everypath.suite.conditions import describe
from everypath.suite.model import Entry, Finding, Problem, Raised, Returned, Step, Suite, TestCase


@dataclass(slots=True)
class Collector:
    """Takes the last states of paths and keeps one case per path and aliasing."""

    entry: Entry
    call: Call
    suite: Suite
    seen: set[object] = field(default_factory=set)
    reported: set[tuple[str, int, str]] = field(default_factory=set)

    def add(self, state: State) -> None:
        """Count the outcome; a finished path becomes a case unless an equal one is there."""
        stats = self.suite.stats
        match state.outcome:
            case Finished() | Uncaught():
                stats.paths += 1
                self._case(state)
            case Cut(kind=kind):
                stats.cut[kind] += 1
            case NotSupported(span=span, message=message):
                self._report(Problem("unsupported", span.file, span.line, message))
            case Undecided(span=span, message=message):
                stats.unknown += 1
                self._report(Problem("unknown", span.file, span.line, message))
            case None:
                raise AssertionError("the path has not ended")

    def _report(self, problem: Problem) -> None:
        key = (problem.file, problem.line, problem.message)
        if key not in self.reported:
            self.reported.add(key)
            if problem.kind == "unsupported":
                self.suite.stats.unsupported.append(problem)
            else:
                self.suite.problems.append(problem)

    def _case(self, state: State) -> None:
        try:
            concrete = concretise(state, self.call)
        except Unsupported as problem:
            span = problem.span if problem.span.line else state.span()
            self._report(Problem("unsupported", span.file, span.line, problem.message))
            return
        key = (traces.signature(state), concrete.aliases, _kind(concrete))
        if key in self.seen:
            self.suite.stats.duplicates += 1
            return
        self.seen.add(key)
        self.suite.cases.append(self._make(state, concrete))
        self.suite.stats.cases += 1

    def _make(self, state: State, concrete: Concrete) -> TestCase:
        covers = {f"{span.file}:{span.line}->{place[1]}": None for span, place in traces.branches(state)}
        return TestCase(
            id=f"{self.entry.qualified}#{len(self.suite.cases) + 1}",
            entry=self.entry,
            inputs=concrete.inputs,
            expected=concrete.expected,
            condition=tuple(describe(state)),
            trace=tuple(Step(file, line) for file, line in traces.lines(state)),
            choices=state.choice_sequence(),
            covers=tuple(covers),
            finding=_finding(state),
        )


def _kind(concrete: Concrete) -> object:
    outcome = concrete.expected.outcome
    return "returned" if isinstance(outcome, Returned) else (outcome.cls, outcome.line)


def _finding(state: State) -> Finding | None:
    outcome = state.outcome
    if not isinstance(outcome, Uncaught):
        return None
    cell = state.heap.cells[outcome.exception]
    span = outcome.span
    if "$assert" in cell:
        return Finding("assertion", "the assertion can fail", span.file, span.line)
    if not outcome.implicit:
        return None
    args = cell.get("args", ())
    detail = f": {args[0]}" if args and isinstance(args[0], str) else ""
    return Finding("runtime-error", f"{outcome.cls}{detail}", span.file, span.line)


__all__ = ["Collector", "Raised"]
