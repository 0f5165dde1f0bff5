"""Paths that a search has left, as they stand, for a later search of the same process to go on from.

Between processes a path is its choices, and the way to it is gone again (`continuing.py`). Within one, the states
themselves wait. They belong to the program, and the compiled code, of the search that has left them; so the later one
goes on with these, under bounds of its own, as long as the function is still the one that it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everypath.cases.frontiers import Leaves
from everypath.cases.model import SomeSuite
from everypath.explore.search.starts import Begun
from everypath.explore.state import State, unchain
from everypath.generate.before import Before
from everypath.languages.base import EntryPoint, Loaded
from everypath.options import Options
from everypath.paths import Bounds, Frontier, Guess, Leaf, OpenInputs, bounds_of
from everypath.records import dataclass, field, replace

Choices = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Parked:
    """Where the search of a function was left."""

    loaded: Loaded
    entry: EntryPoint
    options: Options
    basis: str
    begun: Begun
    """as it was before anything ran"""
    states: Mapping[Choices, tuple[State, int]]
    """choices -> the path, ready to go on, and the bound on loops under which it came so far; nobody changes it, so
    that it can go on more than once"""


@dataclass(slots=True)
class Slot:
    """What the search of one function finds of an earlier one, and leaves for the next."""

    basis: str
    """tells the function, and all that it uses, from what it was at another time"""
    earlier: Parked | None = None
    later: Parked | None = None

    def suits(self, options: Options, guess: Guess) -> bool:
        """Whether states are kept: not where something else than the choices decides on what is left."""
        return not (options.guided or options.compositional or options.criteria or guess)

    def program(self, loaded: Loaded, entry: EntryPoint, options: Options) -> tuple[Loaded, EntryPoint]:
        """The program to search: that of the earlier search, if it was under the same options but for the bounds."""
        found = self.earlier
        if found is None or found.basis != self.basis or _unbounded(found.options) != _unbounded(options):
            self.earlier = None
        else:
            loaded, entry = found.loaded, found.entry
        self.later = Parked(loaded, entry, options, self.basis, None, {})  # type: ignore[arg-type]
        return loaded, entry

    def waiting(self, leaves: Sequence[Leaf], loops: int) -> Mapping[Choices, State]:
        """The paths that can go on as they stand.

        One that the bound on loops has stopped stands behind that bound, where nothing would stop it any more: it goes
        on only under a larger one.
        """
        if self.earlier is None:
            return {}
        stopped = {leaf.choices for leaf in leaves if leaf.kind == "loop" and not leaf.wider}
        found = self.earlier.states.items()
        return {each: state for each, (state, bound) in found if each not in stopped or bound < loops}

    def again(self, options: Options) -> Begun | None:
        """The beginning of the earlier search, under the bounds of this one."""
        if self.earlier is None:
            return None
        bounds, begun = bounds_of(options.limits), self.earlier.begun
        begun.exploration.widen(replace(options, limits=bounds.within(options.limits)))
        return replace(begun, start=OpenInputs(bounds), state=begun.state.copy())

    def begin(self, begun: Begun) -> None:
        """From now on the search keeps what it leaves."""
        assert self.later is not None
        begun.exploration.machine.keeps = True
        self.later = replace(self.later, begun=replace(begun, state=begun.state.copy()))

    def leave(self, frontier: Sequence[Frontier], leaves: Leaves, before: Before | None) -> None:
        """Take what the search has left: what is new, and what waits still."""
        assert self.later is not None
        walked = _choices(() if before is None else before.frontier)
        waiting = _choices(frontier)
        earlier = {} if self.earlier is None else self.earlier.states
        states = {each: kept for each, kept in earlier.items() if each in waiting or each not in walked}
        for chain, state in leaves.kept.get(self.later.begun.start, ()):
            states[tuple(unchain(chain))] = state, self.later.options.limits.loops
        self.later = replace(self.later, states=states)
        self.earlier = None


def _choices(frontier: Sequence[Frontier]) -> set[Choices]:
    return {leaf.choices for each in frontier for leaf in each.leaves}


@dataclass(slots=True)
class Parking:
    """The slots of a run, by target."""

    earlier: Parking | None = None
    slots: dict[str, Slot] = field(default_factory=dict)

    def slot(self, suite: SomeSuite) -> Slot:
        """The one of a function, whose suite is about to be filled."""
        found = self.earlier.slots.get(suite.target) if self.earlier is not None else None
        slot = self.slots[suite.target] = Slot(suite.basis, None if found is None else found.later)
        return slot


def _unbounded(options: Options) -> Options:
    limits = Bounds(1, 3, 1).within(replace(options.limits, time=1.0, paths=1))
    return replace(options, limits=limits, said=(), total_time=None)
