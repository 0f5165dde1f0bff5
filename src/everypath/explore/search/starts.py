"""Where paths begin: the first state of any kind of start, the paths that leave it, and a recorded path once more.

Searching and replaying both go through `begin`, so that a path cannot mean one thing here and another there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from everypath.errors import Internal
from everypath.explore.machine import Machine
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.state import State
from everypath.heap.inputs import SIMPLEST
from everypath.heap.values import Value
from everypath.ir.program import Method, Program
from everypath.ir.types import Type
from everypath.options import Options
from everypath.paths import KnownInputs, MadeInputs, OpenInputs, Path, Plain, QueuedTasks, Recipe, Start
from everypath.records import dataclass, replace

Known = Callable[[Type, str], Value]
"""The value of the input of this type and name."""


class Subject(Protocol):
    """What is explored: a method of a program, called as its language calls it."""

    @property
    def program(self) -> Program: ...

    @property
    def method(self) -> Method: ...

    def input_types(self) -> Sequence[Type]:
        """The types of the method's inputs: of all parameters but an object under construction or a class."""

    def exploration(self, options: Options, machine: Machine | None = None) -> Exploration:
        """A new exploration of the program, with the assumptions that the options make about the inputs."""

    def arbitrary(self, exploration: Exploration) -> tuple[State, Call]:
        """The state in which the method is about to be called on whatever inputs the exploration has."""

    def made(self, exploration: Exploration, recipe: Recipe | None, invariant: str | None) -> tuple[State, Call]:
        """The same after calls that make the inputs, unless the recipe is None, and checks that they are valid."""

    def seeds(self, solutions: Iterable[Known]) -> Iterator[Known]:
        """Inputs that are worth a try, the most promising first; `solutions` of other paths are among them."""


@dataclass(frozen=True, slots=True)
class Found:
    """A path that has come to an end."""

    start: Start
    call: Call
    state: State

    @property
    def path(self) -> Path:
        """What replays it."""
        return Path(self.start, self.state.choice_sequence())


@dataclass(frozen=True, slots=True)
class Begun:
    """A start, and the state in which the paths from it begin."""

    start: Start
    exploration: Exploration
    state: State
    call: Call

    def paths(self) -> Iterator[Found]:
        """Every path from here, in the order of the exploration's strategy."""
        for last in self.exploration.paths(self.state):
            yield Found(self.start, self.call, last)


class Answers:
    """Values for known inputs, which remembers what it was asked for."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._asked: dict[tuple[str, Type], Plain] = {}

    def __call__(self, type: Type, name: str) -> Value:
        value = self._known(type, name)
        # A value of another type counts for nothing: the simplest one of the right type takes its place.
        if value.__class__ is SIMPLEST[type].__class__:
            self._asked[name, type] = value
        return value

    @property
    def values(self) -> tuple[tuple[str, Plain], ...]:
        """The inputs that were asked for, with their values."""
        return tuple((name, value) for (name, _), value in self._asked.items())


def known_from(values: Iterable[tuple[str, Plain]]) -> Known:
    """These values; inputs that have none of their type are the simplest ones.

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
    exploration = subject.exploration(replace(options, limits=start.bounds.within(options.limits)), machine)
    match start:
        case KnownInputs(values=values):
            exploration.inputs.known = known or known_from(values)
            state, call = subject.arbitrary(exploration)
        case OpenInputs(invariant=None):
            state, call = subject.arbitrary(exploration)
        case OpenInputs(invariant=invariant):
            state, call = subject.made(exploration, None, invariant)
        case MadeInputs(recipe=recipe, invariant=invariant):
            state, call = subject.made(exploration, recipe, invariant)
        case QueuedTasks():
            raise Internal("tasks in a queue are the start of an actor program, not of a call")
    return Begun(start, exploration, state, call)


def replay(subject: Subject, options: Options, path: Path) -> Found:
    """Follow a recorded path to its end, in the program as it is now."""
    begun = begin(subject, options, path.start)
    return Found(path.start, begun.call, begun.exploration.replay(begun.state, path.choices))
