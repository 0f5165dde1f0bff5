"""A path through a program is where it starts and which way it goes at every choice.

Nothing else about a run of the machine is undetermined. A start is one of a few kinds of plain values, choices are
numbers, and the two together *are* the path: they are stored with its case, are understood in another process, and
lead along the same path there. (In Hypothesis, likewise, the choice sequence is the run.)

A choice is a number among the alternatives that the machine offers at that point. Which ones it offers depends on the
inputs and on the bounds, and so both are part of the start.
"""

from __future__ import annotations

from everypath.options import Limits
from everypath.records import dataclass, replace

Plain = None | bool | int | float | str
Guess = tuple[tuple[str, str], ...]
"""(parameter, type) for parameters that are taken to be of another type than was guessed first"""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits that cut a path, or offer other alternatives on it; see `options.Limits`."""

    loops: int
    lengths: int
    depth: int
    switches: int | None = None
    """this and the next bound actor programs; None does not"""
    actors: int | None = None
    composed: str = ""
    """which calls were answered by summaries, whose questions are choices of the path; see `options.SUMMARISED`"""

    def within(self, limits: Limits) -> Limits:
        """These bounds, and the given limits on everything that they do not bound."""
        return replace(limits, loops=self.loops, lengths=self.lengths, depth=self.depth)


def bounds_of(limits: Limits) -> Bounds:
    """The bounds among some limits."""
    return Bounds(limits.loops, limits.fixed_length, limits.depth)


USUAL = bounds_of(Limits())


@dataclass(frozen=True, slots=True)
class OpenInputs:
    """The inputs are arbitrary, except that an invariant holds for each input object if there is one."""

    bounds: Bounds = USUAL
    invariant: str | None = None
    """a method that tells whether its object is valid"""
    guess: Guess = ()


@dataclass(frozen=True, slots=True)
class KnownInputs:
    """The numbers and texts among the inputs are known; the shape of everything else is arbitrary."""

    bounds: Bounds = USUAL
    values: tuple[tuple[str, Plain], ...] = ()
    """(input, value), at most one value for an input and a type; an input that is not named is 0, false or empty"""
    guess: Guess = ()


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Any value of the declared type that is not, and does not hold, an object of a class that is made by calls."""


@dataclass(frozen=True, slots=True)
class AnyState:
    """Any value of the declared type, objects in any state included, because no call is known that makes one."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """No argument is given: the parameter has its default."""


@dataclass(frozen=True, slots=True)
class SameObject:
    """The very object of an earlier input."""

    place: int
    """which input, counted from 0"""


@dataclass(frozen=True, slots=True)
class NewObject:
    """An object of a class: the arguments of its constructor, then calls of its methods with theirs."""

    cls: str
    arguments: tuple[Ingredient, ...] = ()
    calls: tuple[tuple[str, tuple[Ingredient, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Several:
    """A list or tuple of ingredients."""

    kind: str
    """list or tuple"""
    items: tuple[Ingredient, ...]
    option: int = 0
    """which of the declared types it is of, where a union allows several"""


Ingredient = AnyValue | AnyState | LeftOut | SameObject | NewObject | Several
Recipe = tuple[Ingredient, ...]
"""How each of an entry's inputs comes about, in the order of its parameters."""


@dataclass(frozen=True, slots=True)
class MadeInputs:
    """The input objects are made by calls, as a user of their classes would."""

    bounds: Bounds
    recipe: Recipe
    invariant: str | None = None
    guess: Guess = ()


@dataclass(frozen=True, slots=True)
class QueuedTasks:
    """The call under test, then calls of these methods, are in the queue of an arbitrary actor.

    A main block has neither: it starts an actor program without any inputs.
    """

    bounds: Bounds = USUAL
    methods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RealRun:
    """The inputs of the case as they are: the path was only seen when it ran, so that to follow it is to run it."""


Start = OpenInputs | KnownInputs | MadeInputs | QueuedTasks | RealRun


@dataclass(frozen=True, slots=True)
class Path:
    """A start, and the number of the alternative that was taken at each choice."""

    start: Start
    choices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """Where a search has left a path: larger bounds, or a search for more, go on from here."""

    choices: tuple[int, ...]
    kind: str
    """the bound that cut the path; `unsupported`, `unknown` or `unsolved` where something could not be done; `unwanted`
    where the selection wanted nothing of it"""
    wider: bool = False
    """whether larger bounds offer further alternatives from this one on, in place of this one alone"""


@dataclass(frozen=True, slots=True)
class Frontier:
    """All paths from one start that did not become cases; a start without any is explored up to its bounds."""

    start: Start
    leaves: tuple[Leaf, ...] = ()
