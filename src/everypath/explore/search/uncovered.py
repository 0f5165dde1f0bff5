"""Looks again for branches of a method that a bound, or values that had to be fixed, left out.

Three ways, each of which keeps only the paths that take a branch which no other case takes:

- *More iterations.* A branch that only a second or third iteration takes is on no path within the bound on loops. If
  every branch is wanted, the search starts anew with one more iteration, then with two. If every path is wanted, the
  bound is what the user has set, and stays.
- *Other types.* Where a type stands for any, one is tried first, and others where that leaves branches out.
- *Known inputs.* The bound on loops counts iterations that a symbolic condition decides. On known inputs nothing is
  symbolic, so such a path reaches its end. Inputs are what the language suggests and solutions of paths that were
  stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import partial

from everypath.errors import SolverUnknown
from everypath.explore.machine import Machine
from everypath.explore.outcomes import Cut, Finished, Uncaught
from everypath.explore.search.starts import Answers, Found, begin, known_from
from everypath.explore.search.subject import Known, Subject
from everypath.explore.state import State
from everypath.explore.traces import branches_of, branches_taken
from everypath.ir.program import Method
from everypath.ir.types import BOOL, FLOAT, INT, STR, Type
from everypath.logic.clock import now
from everypath.logic.condition import Infeasible
from everypath.options import Options
from everypath.paths import KnownInputs, OpenInputs, Plain, bounds_of
from everypath.records import replace

_MOST = 2
"""At most this many more iterations are tried."""
_PATHS = 400
"""How many paths are looked at; a number, so that the result does not depend on the speed of the machine."""
_SOLUTIONS = 3
_ENDS = 20
"""How many of the paths that were stopped first, and how many of those stopped last, are kept."""
_SHARE = 0.25
"""The share of the time for exploring that may be added."""
_SMALL: tuple[dict[Type, Plain], ...] = (
    {INT: 1, BOOL: True, STR: "a", FLOAT: 1.0},
    {INT: 2, BOOL: False, STR: "ab", FLOAT: 2.5},
)
"""Most code is written for small positive numbers and short words, which a solver has no reason to choose."""


class Stopped:
    """Some of the paths that a bound stopped."""

    def __init__(self) -> None:
        self.first: list[State] = []
        self._last: list[State] = []

    def see(self, state: State) -> None:
        """Keep the state if its path was stopped."""
        if isinstance(state.outcome, Cut) and state.outcome.kind in ("loop", "time"):
            if len(self.first) < _ENDS:
                self.first.append(state)
            else:
                self._last.append(state)
                del self._last[:-_ENDS]

    @property
    def states(self) -> list[State]:
        """Those stopped first, then those stopped last."""
        return [*self.first, *self._last]


def with_known_inputs(
    subject: Subject, options: Options, stopped: Sequence[State], covered: set[str], cases: Sized
) -> Iterator[Found]:
    """Paths with known inputs that take new branches, or any path while there are no `cases` at all.

    The search ends when every branch of the method is covered.
    """
    wanted = branches_of(subject.program, subject.method)
    if cases and wanted <= covered:
        return
    deadline = now() + _SHARE * options.limits.time
    bounds = bounds_of(options.limits)
    machine: Machine | None = None
    suggested = subject.seeds or partial(_plain_seeds, subject.method)
    for seed in suggested(_solutions(stopped, covered)):
        left = deadline - now()
        if left <= 0 or (cases and wanted <= covered):
            return
        limited = replace(options, limits=replace(options.limits, time=left))
        answers = Answers(seed)
        begun = begin(subject, limited, KnownInputs(bounds), machine, answers)
        machine = begun.exploration.machine
        for found in begun.paths():
            if not isinstance(found.state.outcome, (Finished, Uncaught)):
                continue
            new = set(branches_taken(found.state)) - covered
            if new or not cases:
                yield replace(found, start=_used(subject, options, KnownInputs(bounds, answers.values), found))
                covered |= new


def with_other_types(subject: Subject, options: Options, covered: set[str]) -> Iterator[Found]:
    """Paths that take new branches where what nobody has declared is of another type than was tried first."""
    wanted = branches_of(subject.program, subject.method)
    deadline = now() + options.limits.time
    for guess in subject.others:
        left = deadline - now()
        if left <= 0 or wanted <= covered:
            return
        limited = replace(options, limits=replace(options.limits, time=left))
        for found in begin(subject, limited, OpenInputs(bounds_of(options.limits), guess=guess)).paths():
            if isinstance(found.state.outcome, (Finished, Uncaught)):
                new = set(branches_taken(found.state)) - covered
                if new:
                    yield found
                    covered |= new


def _used(subject: Subject, options: Options, start: KnownInputs, found: Found) -> KnownInputs:
    """The start with only those values that this path asks for.

    Paths from one start share their inputs, so it is not known which of them asked for a value. Replaying the path
    alone tells.
    """
    answers = Answers(known_from(start.values))
    begun = begin(subject, options, start, known=answers)
    begun.exploration.replay(begun.state, found.path.choices)
    return replace(start, values=answers.values)


def _solutions(states: Sequence[State], covered: set[str]) -> Iterator[Known]:
    """Inputs of paths that were stopped, starting with those that came to the most new branches."""
    ranked = sorted(range(len(states)), key=lambda at: (-len(set(branches_taken(states[at])) - covered), at))
    found: list[dict[str, Plain]] = []
    for at in ranked:
        try:
            model = states[at].pc.model()
        except (SolverUnknown, Infeasible):
            continue
        values: dict[str, Plain] = {variable.name: value for variable, value in model.items()}
        if values not in found:
            found.append(values)
            yield known_from(values.items())
        if len(found) == _SOLUTIONS:
            break


def _plain_seeds(method: Method, solutions: Iterable[Known]) -> Iterator[Known]:
    """The inputs that are worth a try in any language."""
    yield from small_inputs(defaults_of(method))
    yield from solutions


def small_inputs(defaults: Mapping[str, Plain]) -> Iterator[Known]:
    """The same value for all inputs of a type; at first only for those without a default."""
    for kept in (defaults, {}) if defaults else ({},):
        for values in _SMALL:
            yield lambda type, name, values=values, kept=kept: kept.get(name, values[type])  # type: ignore[misc]


def defaults_of(method: Method) -> dict[str, Plain]:
    """The plain defaults of parameters: what code does without options, it does most often."""
    return {param.name: param.default for param in method.params if isinstance(param.default, (int, float, str))}


def with_more_iterations(subject: Subject, options: Options, covered: set[str]) -> Iterator[Found]:
    """Paths that take branches of the method that are not covered yet; what they take is then covered."""
    wanted = branches_of(subject.program, subject.method)
    deadline = now() + _SHARE * options.limits.time
    for more in range(1, _MOST + 1):
        left = deadline - now()
        if wanted <= covered or left <= 0:
            return
        limits = replace(options.limits, loops=options.limits.loops + more, time=left, paths=_PATHS)
        searched = replace(options, limits=limits, strategy="coverage-first")
        for found in begin(subject, searched, OpenInputs(bounds_of(limits))).paths():
            if isinstance(found.state.outcome, (Finished, Uncaught)):
                new = (wanted - covered).intersection(branches_taken(found.state))
                if new:
                    yield found
                    covered |= new
                if wanted <= covered:
                    return
