"""Which state to advance next. Strategies have three methods each and can wrap each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Protocol

from everypath.errors import BadInput
from everypath.explore.state import State


class Strategy(Protocol):
    """A collection of states that decides which one comes next."""

    def add(self, states: list[State]) -> None:
        """Take new states, in the order of their choices."""

    def select(self) -> State:
        """Remove and return the next state."""

    def pending(self) -> Iterable[State]:
        """The states that wait, in no particular order."""

    def __len__(self) -> int: ...


class DepthFirst(list[State]):
    """The newest state first, first choices before later ones."""

    select = list.pop

    def add(self, states: list[State]) -> None:
        # Reversed, because the last one is taken first.
        self.extend(states[::-1])

    def pending(self) -> Iterable[State]:
        return self


class BreadthFirst(deque[State]):
    """The oldest state first."""

    add = deque.extend
    select = deque.popleft

    def pending(self) -> Iterable[State]:
        return self


class RandomOrder:
    """Any state, the same one for the same seed."""

    def __init__(self, seed: int) -> None:
        self._states: list[State] = []
        from random import Random

        self._random = Random(seed)

    def add(self, states: list[State]) -> None:
        self._states.extend(states)

    def select(self) -> State:
        at = self._random.randrange(len(self._states))
        self._states[at], self._states[-1] = self._states[-1], self._states[at]
        return self._states.pop()

    def pending(self) -> Iterable[State]:
        return self._states

    def __len__(self) -> int:
        return len(self._states)


class CoverageFirst:
    """States whose next block is new come first; the others as the wrapped strategy says."""

    def __init__(self, inner: Strategy) -> None:
        self._inner = inner
        self._fresh: list[State] = []
        self._seen: set[object] = set()

    def add(self, states: list[State]) -> None:
        known = []
        for state in states:
            if state.next in self._seen:
                known.append(state)
            else:
                self._seen.add(state.next)
                self._fresh.append(state)
        self._inner.add(known)

    def select(self) -> State:
        return self._fresh.pop() if self._fresh else self._inner.select()

    def pending(self) -> Iterable[State]:
        return [*self._fresh, *self._inner.pending()]

    def __len__(self) -> int:
        return len(self._fresh) + len(self._inner)


class Hurried:
    """For the time that is left: one path after the other to its end, starting where the least was tried so far.

    A depth-first search that runs out of time has seen one corner of the program in every detail. The states that have
    waited longest lead elsewhere; of these, states whose next block was not entered from here come first.
    """

    def __init__(self, states: Iterable[State]) -> None:
        self._following: State | None = None
        self._states = deque[State]()
        self._fresh = deque[State]()
        self._seen: set[object] = set()
        for state in states:
            self._keep(state)

    def add(self, states: list[State]) -> None:
        if not states:
            return
        chosen = next((state for state in states if state.next not in self._seen), states[0])
        self._seen.add(chosen.next)
        self._following = chosen
        for state in states:
            if state is not chosen:
                self._keep(state)

    def _keep(self, state: State) -> None:
        (self._states if state.next in self._seen else self._fresh).append(state)
        self._seen.add(state.next)

    def select(self) -> State:
        state, self._following = self._following, None
        return state or (self._fresh or self._states).popleft()

    def pending(self) -> Iterable[State]:
        following = [] if self._following is None else [self._following]
        return [*following, *self._fresh, *self._states]

    def __len__(self) -> int:
        return (self._following is not None) + len(self._fresh) + len(self._states)


def make_strategy(name: str, seed: int = 0) -> Strategy:
    """The strategy of this name."""
    if name == "depth-first":
        return DepthFirst()
    if name == "breadth-first":
        return BreadthFirst()
    if name == "random":
        return RandomOrder(seed)
    if name == "coverage-first":
        return CoverageFirst(BreadthFirst())
    raise BadInput(f"unknown strategy {name!r}; choose depth-first, breadth-first, coverage-first or random")
