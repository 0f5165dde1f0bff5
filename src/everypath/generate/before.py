"""What an earlier search of an entry has found, and the paths that go on from where it left off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from everypath.cases.collect import Collector
from everypath.cases.frontiers import Leaves
from everypath.cases.model import CallCase
from everypath.explore.search.continuing import NONE_KEPT, Walk
from everypath.explore.search.starts import Begun, Found
from everypath.explore.state import State
from everypath.paths import USUAL, Frontier, Guess, Leaf, OpenInputs, RealRun, Start
from everypath.records import dataclass, replace


@dataclass(slots=True)
class Before:
    """What an earlier search has found, and where it left paths."""

    cases: tuple[CallCase, ...] = ()
    frontier: tuple[Frontier, ...] = ()
    enough: int | None = None
    """so many cases more are wanted; None for all"""
    restarted: bool = False
    """whether everything had to be explored once more"""

    @property
    def keys(self) -> frozenset[str]:
        """What tells the paths of its cases from others."""
        return frozenset(case.key for case in self.cases if case.key)

    def leaves(self, start: Start) -> tuple[Leaf, ...] | None:
        """Where paths from a start were left, whatever the bounds were; None if nothing began there."""
        wanted = _unbounded(start)
        found = [each.leaves for each in self.frontier if _unbounded(each.start) == wanted]
        return tuple(chain.from_iterable(found)) if found else None

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """The types with which arbitrary inputs were explored, where others were guessed first."""
        return tuple({each.start.guess: None for each in self.frontier if isinstance(each.start, OpenInputs)})

    def continued(
        self,
        begun: Begun,
        leaves: Sequence[Leaf],
        collector: Collector,
        add: Callable[[Found], None],
        kept: Mapping[tuple[int, ...], State] = NONE_KEPT,
    ) -> Iterator[Found]:
        """The paths that go on from some leaves; each has been added to the cases.

        If the program does not offer the recorded choices any more, all paths are followed: the cases that there are
        already are then told by their keys.
        """
        if not leaves:
            return
        exploration, suite = begun.exploration, collector.suite
        walk = Walk(exploration.machine, begun.state.copy(), leaves, kept)
        for state in exploration.continued(walk):
            found = Found(begun.start, begun.call, state)
            add(found)
            exploration.enough = self.enough is not None and len(suite.cases) >= self.enough
            yield found
        left = walk.left()
        if left:
            collector.leaves.keep(begun.start, left)
            if not exploration.enough:
                suite.stats.cut["time"] += len(left)
        if walk.lost and not exploration.enough:
            self.restarted = True
            collector.leaves = Leaves()
            suite.stats.cut = dict.fromkeys(suite.stats.cut, 0)
            suite.stats.paths = suite.stats.unknown = 0
            for found in begun.paths():
                add(found)
                yield found


def _unbounded(start: Start) -> Start:
    return start if isinstance(start, RealRun) else replace(start, bounds=USUAL)
