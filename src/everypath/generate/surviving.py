"""What a run survives: impatient users, sources that cannot be loaded, and defects of our own.

The first Ctrl-C means that nothing new is begun, but the cases at hand are still run, because tests are only worth
having when they are validated. The second one leaves them out. A defect costs the entry where it shows, and a source
that cannot be loaded its own tests, not the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from everypath.cases.model import Problem, SomeSuite
from everypath.errors import BadInput, Internal, Span, debugging
from everypath.generate.results import Listener, Run
from everypath.languages.base import EntryPoint, Load, Loaded, Source, SourceProblem
from everypath.planning.plan import Plan, Selection
from everypath.records import dataclass

_T = TypeVar("_T")
_OUR_DEFECT = (
    "this is a defect of Everypath: please report it with the target, EVERYPATH_DEBUG=1 shows where it happened"
)


def interrupt(run: Run, listener: Listener, cases: int) -> None:
    """Note that nothing new is to begin; the cases found so far are still run."""
    run.interrupted = True
    listener.interrupted(cases)


def insist(run: Run, listener: Listener, work: Callable[[], _T], cases: int) -> _T:
    """The work's result, which survives a first interrupt; a second one ends the work."""
    try:
        return work()
    except KeyboardInterrupt:
        if run.interrupted:
            raise
        interrupt(run, listener, cases)
        return work()


def note_defect(run: Run, suite: SomeSuite, entry: EntryPoint, error: Exception) -> None:
    """Note a defect of our own at the place where it showed, and go on."""
    if debugging():
        raise error
    run.defective = True
    described = error.message if isinstance(error, Internal) else f"{type(error).__name__}: {error}"
    message = f"{entry.qualname}: {described}; {_OUR_DEFECT}"
    suite.problems.append(Problem("internal error", entry.span.file, entry.span.line, message))


@dataclass(frozen=True, slots=True)
class Ready:
    """A loaded program, and which of its entries the run is about."""

    loaded: Loaded
    entries: tuple[EntryPoint, ...]
    """the entries that no pattern leaves out"""


def load_source(run: Run, plan: Plan, load: Load, source: Source) -> Ready | None:
    """Translate a source; None if that is not possible, which ends the run only if there is no other source."""
    try:
        loaded = plan.loaded.get(source) or load(source.target)
    except (BadInput, RecursionError) as error:
        if len(plan.sources) + len(plan.left) == 1 and source.named:
            raise
        span = error.span if isinstance(error, BadInput) else Span()
        text = error.message if isinstance(error, BadInput) else "the code is nested too deeply to be translated"
        run.failed |= source.named
        _refuse(run, source, Problem("refused", span.file or source.file, span.line, text))
        return None
    except Exception as error:
        if len(plan.sources) == 1 or debugging():
            raise
        run.defective = True
        problem = Problem("internal error", source.file, 0, f"{type(error).__name__}: {error}; {_OUR_DEFECT}")
        _refuse(run, source, problem)
        return None
    run.problems.extend(map(problem_of, _wanted_problems(plan.selection, source, loaded)))
    entries = tuple(entry for entry in loaded.entries if not plan.selection.excludes(source, entry.qualname))
    return Ready(loaded, entries)


def _refuse(run: Run, source: Source, problem: Problem) -> None:
    """Note that there are no tests of what a source names; only a table tells refusals by itself."""
    run.refuse(source, source.member, problem)
    run.problems.append(problem)


def _wanted_problems(selection: Selection, source: Source, loaded: Loaded) -> tuple[SourceProblem, ...]:
    """The problems of a program, without those in functions that are not asked for."""
    unwanted = [entry for entry in loaded.entries if not selection.takes(source, entry.qualname)]
    if not unwanted:
        return loaded.problems
    hidden = {problem for entry in unwanted for problem in entry.problems}
    wanted = {entry.qualname for entry in loaded.entries if entry not in unwanted}
    ranges = [(d.first, d.last) for d in loaded.definitions if d.public and d.qualname not in wanted]

    def is_outside(span: Span) -> bool:
        return span.file == loaded.file and any(first <= span.line <= last for first, last in ranges)

    return tuple(p for p in loaded.problems if p not in hidden and not is_outside(p.span))


def problem_of(problem: SourceProblem) -> Problem:
    """What the front end could not handle, in the form of results."""
    return Problem(problem.kind, problem.span.file, problem.span.line, problem.message)


def problems_of(loaded: Loaded) -> list[Problem]:
    """What the front end could not handle, for the module and for each entry."""
    return [problem_of(p) for p in (*loaded.problems, *(p for entry in loaded.entries for p in entry.problems))]
