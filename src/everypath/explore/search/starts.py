"""Where paths begin: the first state of any kind of start, the paths that leave it, and a recorded path once more.

Searching and replaying both go through `begin`, so a path cannot mean one thing here and another there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from everypath.errors import Internal
from everypath.explore.machine import Machine
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.search.strategies import Strategy
from everypath.explore.search.subject import Known, Subject
from everypath.explore.state import State
from everypath.heap.inputs import SIMPLEST
from everypath.ir.types import Type
from everypath.options import Options
from everypath.paths import (
    Bounds,
    KnownInputs,
    MadeInputs,
    OpenInputs,
    Path,
    Plain,
    QueuedTasks,
    RealRun,
    Recipe,
    Start,
)
from everypath.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Found:
    """A path that has ended."""

    start: Start
    call: Call
    state: State

    @property
    def path(self) -> Path:
        """What replays this path."""
        return Path(self.start, self.state.choice_sequence())


@dataclass(frozen=True, slots=True)
class Begun:
    """A start, and the state in which the paths from it begin."""

    start: Start
    exploration: Exploration
    state: State
    call: Call

    def paths(self, strategy: Strategy | None = None) -> Iterator[Found]:
        """Every path from here, in the order of the given strategy, or else of the exploration's."""
        return map(partial(Found, self.start, self.call), self.exploration.paths(self.state, strategy))


class Answers:
    """Gives the values of known inputs, and remembers for which it was asked."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._asked: dict[tuple[str, Type], Plain] = {}

    def __call__(self, type: Type, name: str) -> Plain:
        value = self._known(type, name)
        # A value of another type does not count: the simplest one of the right type takes its place.
        if value.__class__ is SIMPLEST[type].__class__:
            self._asked[name, type] = value
        return value

    @property
    def values(self) -> tuple[tuple[str, Plain], ...]:
        """The inputs that were asked for, with their values."""
        return tuple((name, value) for (name, _), value in self._asked.items())


def known_from(values: Iterable[tuple[str, Plain]]) -> Known:
    """These values; an input without a value of the right type gets the simplest one.

    An input may be asked for in several types, on paths that take it for one or the other.
    """
    found = {(name, value.__class__): value for name, value in values}
    return lambda type, name: found.get((name, SIMPLEST[type].__class__), SIMPLEST[type])


def begin(
    subject: Subject, options: Options, start: Start, machine: Machine | None = None, known: Known | None = None
) -> Begun:
    """Begin at a start, within its bounds.

    A `machine` of an earlier beginning with the same bounds may be used again. `known` answers in place of the values
    of known inputs, for a search that does not know yet which of them it will need.
    """
    if isinstance(start, RealRun):
        raise Internal("a path that was only observed is followed by running its case")
    if not isinstance(start, QueuedTasks):
        subject = subject.guessing(start.guess)
        if options.compositional:
            start = replace(start, bounds=replace(start.bounds, composed=options.compositional))
    exploration = subject.exploration(replace(options, limits=start.bounds.within(options.limits)), machine)
    match start:
        case KnownInputs(values=values):
            exploration.inputs.known = known or known_from(values)
            state, call = _open(exploration, subject, None, None)
        case OpenInputs(invariant=invariant):
            state, call = _open(exploration, subject, None, invariant)
        case MadeInputs(recipe=recipe, invariant=invariant):
            state, call = _open(exploration, subject, recipe, invariant)
        case QueuedTasks():
            raise Internal("tasks in a queue are the start of an actor program, not of a call")
    return Begun(start, exploration, state, call)


def _open(
    exploration: Exploration, subject: Subject, recipe: Recipe | None, invariant: str | None
) -> tuple[State, Call]:
    if recipe is None and invariant is None and not subject.requires:
        return _arbitrary(exploration, subject)
    # Few runs make inputs or check them, and what does that is much to load.
    from everypath.explore.search.arranging import arrange

    return arrange(exploration, subject, recipe, invariant)


def _arbitrary(exploration: Exploration, subject: Subject) -> tuple[State, Call]:
    return exploration.initial(subject.method, subject.cls, subject.constructs, subject.lazy, subject.before)


def replay(subject: Subject, options: Options, path: Path) -> Found:
    """Follow a recorded path to its end, in the program as it is now."""
    bounds = getattr(path.start, "bounds", None)
    composed = bounds.composed if isinstance(bounds, Bounds) else ""
    begun = begin(subject, replace(options, compositional=composed), path.start)
    return Found(path.start, begun.call, begun.exploration.replay(begun.state, path.choices))
