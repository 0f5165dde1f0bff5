"""Types that nobody declares are guesses: one that the code refuses gives way to another that it accepts.

A type error about a value whose type was guessed is no fault of the program. The parameters that such errors are about
are tried with other types, one after the other; the cases of the guess that is refused least are kept, and those of the
others that take further branches. What no guess explains is left to the user, who is asked for the type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from everypath.cases.collect import Collector, Refuted
from everypath.cases.model import CallCase, CallSuite, Problem
from everypath.ir.types import Type, options_of
from everypath.languages.base import EntryPoint
from everypath.logic.clock import now
from everypath.options import Options
from everypath.paths import Guess
from everypath.records import dataclass, replace

_MOST_ATTEMPTS = 10
"""The most guesses that are tried for one entry."""
_AT_LEAST = 0.5
"""The least number of seconds for an attempt."""
Explore = Callable[[Guess, Options, Collector], None]
"""explores an entry with these types in the place of the first guesses"""


@dataclass(frozen=True, slots=True)
class _Attempt:
    guess: Guess
    collector: Collector

    @property
    def cases(self) -> list[CallCase]:
        return self.collector.suite.cases

    def accepted(self) -> list[CallCase]:
        """The cases that no error about a guess ends."""
        return [case for case in self.cases if case.id not in self.collector.refusals]

    def merit(self) -> tuple[int, int]:
        """How far the code gets with the guess, and how often it refuses it."""
        covered = {taken for case in self.accepted() for taken in case.covers}
        return len(covered), -len(self.collector.refuted)


def explore_other_guesses(
    explore: Explore, entry: EntryPoint, options: Options, collector: Collector, started: float
) -> None:
    """Explore the entry with other types than the first guesses, if the code has refused those."""
    took = now() - started
    first = best = _Attempt((), collector)
    attempts = [first]
    for name in _refused(best, entry.alternatives):
        before = best
        for type_ in entry.alternatives[name]:
            left = started + options.limits.time - now()
            if left <= 0 or len(attempts) > _MOST_ATTEMPTS or name not in _refused(best, entry.alternatives):
                break
            guess = (*before.guess, (name, str(type_)))
            limits = replace(options.limits, time=min(left, max(2 * took, _AT_LEAST)))
            made = _Attempt(guess, _empty(collector))
            explore(guess, replace(options, limits=limits), made.collector)
            attempts.append(made)
            best = max(best, made, key=_Attempt.merit)
    if best is not first:
        _keep(first, best, attempts)
    _tell(entry, first, best, collector.suite)


def _refused(attempt: _Attempt, alternatives: Mapping[str, tuple[Type, ...]]) -> list[str]:
    """The parameters whose guessed types the code refuses and that have other types to try."""
    names = (name for refuted in attempt.collector.refuted for name in refuted.names)
    return [name for name in dict.fromkeys(names) if name in alternatives]


def _empty(collector: Collector) -> Collector:
    suite = collector.suite
    return Collector(
        collector.entry, CallSuite(suite.target, suite.options), collector.describer, freedom=collector.freedom
    )


def _keep(first: _Attempt, best: _Attempt, attempts: list[_Attempt]) -> None:
    """Make the suite that of the best attempt, and add what only other attempts reach."""
    suite, chosen = first.collector.suite, best.collector.suite
    kept = best.accepted()
    covered = {taken for case in kept for taken in case.covers}
    # An error about a guess is worth a test only where nothing else gets as far.
    rest = [case for attempt in attempts for case in attempt.accepted()]
    for case in (*rest, *best.cases, *(case for attempt in attempts for case in attempt.cases)):
        if not covered.issuperset(case.covers):
            kept.append(case)
            covered.update(case.covers)
    stats = chosen.stats
    if chosen is not suite:
        suite.frontier = chosen.frontier
        suite.problems += [problem for problem in chosen.problems if problem not in suite.problems]
        stats.steps += suite.stats.steps
        stats.states += suite.stats.states
        suite.stats = stats
    stats.cases = len(kept)
    prefix = f"{first.collector.entry.module}::{first.collector.entry.qualified}"
    suite.cases[:] = [replace(case, id=f"{prefix}#{number}") for number, case in enumerate(kept, 1)]


def _tell(entry: EntryPoint, first: _Attempt, best: _Attempt, suite: CallSuite) -> None:
    """Report which types were taken instead of which, and which ones the user has to give."""
    taken = dict(best.guess)
    guessed = {param.name: param.type for param in entry.params}
    for refuted, names in _by_name(first.collector.refuted):
        for name in names:
            if name in taken and taken[name] not in map(str, options_of(guessed[name])):
                said = f"{refuted.error} at line {refuted.line} with {guessed[name]}, so that {taken[name]} is tried"
                suite.report(_problem(entry, f"parameter {name!r} of {entry.qualname}: {said} (--types for others)"))
    for refuted, names in _by_name(best.collector.refuted):
        for name in names:
            what = "field" if "." in name else "parameter"
            said = f"no type that was tried fits {what} {name!r} of {entry.qualname}"
            advice = f"give the type with --types '{name}: ...' or an annotation"
            if name.endswith(")"):
                said = f"no type that was tried fits what {name} gives in {entry.qualname}"
                advice = "annotate the result"
            suite.report(_problem(entry, f"{said} ({refuted.error} at line {refuted.line}); {advice}"))


def _by_name(found: list[Refuted]) -> Iterator[tuple[Refuted, list[str]]]:
    """The places that refuse guesses, with the names that were not mentioned before."""
    seen: set[str] = set()
    for refuted in found:
        yield refuted, [name for name in refuted.names if name not in seen]
        seen.update(refuted.names)


def _problem(entry: EntryPoint, message: str) -> Problem:
    return Problem("types", entry.span.file, entry.span.line, message)
