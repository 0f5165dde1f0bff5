"""Exploring an entry for what a selection asks for: the search is guided, and every wanted item is accounted for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from everypath.cases.accounts import Wanted
from everypath.cases.collect import Collector
from everypath.cases.frontiers import UNWANTED
from everypath.cases.model import CallSuite, Problem, SomeCase, SomeSuite
from everypath.errors import BadInput, Span
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.guidance.guide import Guide
from everypath.explore.search.guidance.points import last_line, points_in, resolve, same_file
from everypath.explore.search.guidance.selections import make_guide, points_of
from everypath.explore.search.starts import Begun, Found
from everypath.explore.search.subject import Subject
from everypath.explore.traces import Place
from everypath.generate.surviving import Ready
from everypath.languages.base import EntryPoint, Loaded
from everypath.options import Options


def guided_paths(
    subject: Subject, options: Options, begun: Begun, collector: Collector, add: Callable[[Found], None]
) -> Iterator[Found]:
    """The paths that a guided search follows; each is added as a case first, because only that counts as covered."""
    guide = make_guide(subject, options)
    stats = collector.suite.stats
    # Branches and lines are on the case already.
    named = options.select not in ("branches", "statements")
    try:
        for found in begun.paths(guide):
            ended = isinstance(found.state.outcome, (Finished, Uncaught))
            collector.serves = guide.items(found.state) if named and ended else ()
            before = stats.cases + stats.duplicates
            add(found)
            # Inputs that callers do not give lead nowhere.
            if not (ended and found.call.made is not None and found.state.arranged is None):
                guide.ended(found.state, stats.cases + stats.duplicates > before)
            yield found
    finally:
        collector.serves = ()
        _account(guide, collector)
        for state in guide.unwanted():
            collector.leaves.see(begun.start, state, "" if state.outcome is not None else UNWANTED)


def _account(guide: Guide, collector: Collector) -> None:
    suite = collector.suite
    suite.stats.traces += guide.traces
    # States that were never run were not explored.
    suite.stats.states -= guide.unexplored
    known = {each.item for each in suite.wanted if each.verdict == "covered"}
    verdicts = [Wanted(v.item, v.found, "", v.reason) for v in guide.criterion.verdicts() if v.item not in known]
    new = {each.item for each in verdicts}
    suite.wanted = [each for each in suite.wanted if each.item not in new] + verdicts


def settle_wanted(suite: SomeSuite) -> None:
    """Say which case has each wanted item, now that it is known which cases there are."""
    if not suite.wanted:
        return
    first: dict[str, str] = {}
    for case in suite.cases:
        for item in _had_by(case):
            first.setdefault(item, case.id)
    suite.wanted = [_settled(each, first) for each in suite.wanted]


def _settled(wanted: Wanted, first: dict[str, str]) -> Wanted:
    case = first.get(wanted.item)
    if case is not None:
        return Wanted(wanted.item, "covered", case)
    if wanted.verdict == "covered":
        return Wanted(wanted.item, "not reached", "", "the test of the path there could not be run or did not pass")
    return wanted


def _had_by(case: SomeCase) -> Iterable[str]:
    yield from case.serves
    yield from case.covers
    yield from (f"{step.file}:{step.line}" for step in case.trace)


def check_points(ready: Iterable[Ready], options: Options) -> None:
    """Refuse points that are no code of the targets, or to which no entry leads."""
    named = points_in(options.select)
    programs = list(ready)
    if not named or not programs:
        return
    places = resolved([each.loaded for each in programs], named)
    reached = {
        place
        for each in programs
        for entry in each.entries
        if not entry.problems
        for place in points_of(each.loaded.subject(entry), options)
    }
    for file, line in places:
        if (file, line) not in reached:
            raise _outside(Span(file, line))


def resolved(programs: Sequence[Loaded], named: Sequence[Place]) -> list[Place]:
    """The points as the programs name their files; BadInput for what is no code of theirs."""
    try:
        return resolve(named, [each.program for each in programs])
    except BadInput as error:
        # A program may leave out functions that its targets do not use.
        if any(_is_defined(each, error.span) for each in programs):
            raise _outside(error.span) from None
        raise


def _is_defined(loaded: Loaded, span: Span) -> bool:
    """Whether the line belongs to a function of the text that the program does not hold."""
    known = any(method.span.line <= span.line <= last_line(method) for method in loaded.program.methods())
    return not known and any(
        each.first <= span.line <= each.last and same_file(span.file, loaded.file) for each in loaded.definitions
    )


def _outside(span: Span) -> BadInput:
    return BadInput("no call leads from the targets to this point; name a target that uses it", span)


def has_points(subject: Subject, entry: EntryPoint, options: Options, suite: CallSuite) -> bool:
    """Whether there is anything to look for from an entry; that is told where there is not."""
    if not points_in(options.select) or points_of(subject, options):
        return True
    span = entry.span
    message = f"{entry.qualname}: no call leads from here to any of the points"
    suite.problems.append(Problem("note", span.file, span.line, message))
    return False
