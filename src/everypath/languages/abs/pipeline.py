"""From ABS targets to validated cases: every stage of an actor program, each target by itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from everypath.cases.actor_wording import finding_of
from everypath.cases.actors import ActorCase, ActorSuite
from everypath.cases.model import Problem
from everypath.errors import BadInput, EverypathError, Internal, Unsupported
from everypath.languages.abs.closed import explore_closed
from everypath.languages.abs.targets import ActorTarget
from everypath.languages.abs.validation import validate
from everypath.options import Options
from everypath.records import asdict, dataclass, field, replace

_T = TypeVar("_T")
Progress = Callable[[int, int, int, str | None], None]
"""Hears executions, cases, cuts, and what is explored."""


@dataclass(slots=True)
class ActorRun:
    """The result of generating for some targets."""

    targets: list[ActorTarget] = field(default_factory=list)
    suites: list[ActorSuite] = field(default_factory=list)
    """one for each target that was begun, in order"""
    interrupted: bool = False
    defective: bool = False
    """whether something went wrong that is a defect of ours"""

    @property
    def cases(self) -> list[ActorCase]:
        """Every case of every suite."""
        return [case for suite in self.suites for case in suite.cases]

    @property
    def findings(self) -> int:
        """How many things there are that a person should look at."""
        return sum(len(suite.dependences) for suite in self.suites) + sum(c.finding is not None for c in self.cases)


def generate_actors(
    targets: Sequence[ActorTarget],
    options: Options,
    progress: Progress | None = None,
    interrupted: Callable[[int], None] | None = None,
) -> ActorRun:
    """Explore and validate every target; an interrupt keeps what was found.

    `interrupted` hears how many cases are still to be replayed when an interrupt arrives.
    """
    run = ActorRun(list(targets))
    for target in targets:
        suite = ActorSuite(target.target, asdict(options))
        run.suites.append(suite)
        try:
            _explore(target, options, suite, progress)
        except KeyboardInterrupt:
            run.interrupted = True
            suite.stats.complete = False
            if interrupted is not None and options.validate:
                interrupted(len(suite.cases))
        except BadInput:
            raise
        except Unsupported as error:
            suite.stats.unsupported.append(_problem("unsupported", target, error))
        except Exception as error:
            _failed(run, suite, target, error)
        _finish(run, suite, target, options)
        if run.interrupted:
            break
    return run


def _explore(target: ActorTarget, options: Options, suite: ActorSuite, progress: Progress | None) -> None:
    def show(executions: int, cases: int, cuts: int) -> None:
        if progress is not None:
            progress(executions, cases, cuts, target.target)

    show(0, 0, 0)
    entry = target.entry
    if not entry.cls:
        explore_closed(target.program, entry, options, suite, show)
        return
    from everypath.languages.abs.generation import generate_method

    cls = target.program.classes[f"{entry.module}.{entry.cls}"]
    generate_method(target.program, cls, entry.name, options, suite, show)


def _finish(run: ActorRun, suite: ActorSuite, target: ActorTarget, options: Options) -> None:
    """Replay each case on the interpreter and keep those that behave as predicted."""
    cases, suite.cases = suite.cases, []
    for case in cases:
        try:
            result = _insist(run, partial(validate, target.program, case)) if options.validate else case
        except KeyboardInterrupt:
            break
        if isinstance(result, str):
            run.defective = True
            suite.problems.append(_defect(case, result))
        else:
            suite.cases.append(_judged(result))
    kept = {case.id for case in suite.cases}
    suite.dependences = [d for d in suite.dependences if d.first in kept and d.second in kept]
    suite.stats.cases = len(suite.cases)


def _insist(run: ActorRun, work: Callable[[], _T]) -> _T:
    """The work's result: a first interrupt means that nothing else is begun, only a second one ends the work."""
    try:
        return work()
    except KeyboardInterrupt:
        if run.interrupted:
            raise
        run.interrupted = True
        return work()


def _judged(case: ActorCase) -> ActorCase:
    """The run knows more than the prediction: who waits for whom."""
    return replace(case, finding=finding_of(case))


def _defect(case: ActorCase, text: str) -> Problem:
    where = f"when {' and '.join(case.condition[:4])}" if case.condition else f"in case {case.id}"
    message = f"{case.entry.qualified} {where} ran differently than predicted: {text}"
    return Problem("defect", case.entry.file, case.entry.line, message)


def _problem(kind: str, target: ActorTarget, error: EverypathError) -> Problem:
    span, entry = error.span, target.entry
    place = (span.file, span.line) if span.file else (entry.file, entry.line)
    return Problem(kind, *place, f"{entry.qualified}: {error.message}")


def _failed(run: ActorRun, suite: ActorSuite, target: ActorTarget, error: Exception) -> None:
    """A defect of ours costs the entry where it shows, not the others."""
    if os.environ.get("EVERYPATH_DEBUG"):
        raise error
    run.defective = True
    entry = target.entry
    described = error.message if isinstance(error, Internal) else f"{type(error).__name__}: {error}"
    message = (
        f"{entry.qualified}: {described}; this is a defect of Everypath: "
        "please report it with the target, EVERYPATH_DEBUG=1 shows where it happened"
    )
    suite.problems.append(Problem("internal error", entry.file, entry.line, message))
