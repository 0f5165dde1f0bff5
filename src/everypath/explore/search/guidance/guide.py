"""Guided search, Algorithm 1 of "Test Case Generation by Symbolic Execution" (section 3.6), in one tree.

    TestCases = {}
    while TraceGen has more traces and TestCases does not satisfy SC
        Ask TraceGen to generate a new trace in Trace
        TestCases = TestCases + firstOf-tgTCG(M, TC, Trace)

The traces that the paper's generator gives are tried against symbolic execution one after the other, each from the
start. Here no prefix is executed twice: a state that a trace leaves behind waits, and is the feasible beginning of
other traces. To ask for a trace is to take the waiting state that is nearest to something wanted; it is followed depth
first to its first feasible completion, where it can by something that it has not passed itself, and else the shortest
way to an end. What is covered by then makes other states superfluous (incremental feedback).
They wait until the end without being run, so a guided search never explores more than an unguided one, and when no
waiting state is wanted any more, what is missing is proved to be infeasible within the bounds.
"""

from __future__ import annotations

from collections.abc import Iterable

from everypath.explore.outcomes import Cut, Finished, NotSupported, Uncaught, Undecided
from everypath.explore.search.guidance.criterion import Criterion, Element, Memo, Rank
from everypath.explore.state import Chain, Mark, State
from everypath.records import dataclass

_LOOKED_AT = 256
"""Among so many of the newest states the nearest is looked for: a look at all would take longer than a few detours."""
_LAST: Rank = (1 << 60,)


@dataclass(slots=True)
class _Waiting:
    """A state, with what the criterion remembers about its trace."""

    state: State
    trace: Chain[Element]
    memo: Memo
    tried: bool = False
    """whether it must run in any case, to see what an operation gives"""
    fixed: bool = False
    """whether it was told that the path goes on with some values only"""


class Guide:
    """A strategy that only selects states that may lead to something wanted."""

    def __init__(self, criterion: Criterion, probing: bool = False) -> None:
        """With `probing`, every alternative of an operation is tried once: it may be an error worth a finding."""
        self.criterion = criterion
        self.traces = 1
        """how many traces were asked for"""
        self._probing = probing
        self._probed: set[object] = set()
        self._stack: list[_Waiting] = []
        self._parked: list[_Waiting] = []
        """states that nothing is wanted of, as long as nothing new is"""
        self._given_up = 0
        """how many states were wanted when the search was ended"""
        self._running: _Waiting | None = None
        self._size = criterion.size
        self._followed = False
        """whether the newest states continue the trace that is being followed"""

    # The strategy.

    def add(self, states: list[State]) -> None:
        """Take new states; of those that go on from the last one, the most promising is tried first."""
        # The last one is taken first; among equals that is the first choice, as in a depth-first search.
        found = [self._waiting(state) for state in states][::-1]
        if len(found) > 1:
            found.sort(key=self._direction, reverse=True)
        self._stack += found
        self._followed = bool(found) and found[-1].state.outcome is None

    def select(self) -> State:
        """Ask for a trace, or follow the last one further."""
        if not self._followed:
            self.traces += 1
            self._bring_nearest()
        waiting = self._stack.pop()
        self._followed = False
        self._running = waiting
        return waiting.state

    def _bring_nearest(self) -> None:
        """Put the state on top that is nearest to something wanted, and of several the newest."""
        first = max(0, len(self._stack) - _LOOKED_AT)
        best = min(
            range(len(self._stack) - 1, first - 1, -1),
            key=lambda at: self._nearness(self._stack[at]),
        )
        if self._wanted(self._stack[best]):
            self._stack.append(self._stack.pop(best))

    # A state that a bound has ended only tells what was lost, if anything is still missing when all others have run.

    def _direction(self, waiting: _Waiting) -> Rank:
        state = waiting.state
        return _LAST if state.outcome is not None else self.criterion.direction(waiting.memo, state)

    def _nearness(self, waiting: _Waiting) -> Rank:
        state = waiting.state
        return _LAST if state.outcome is not None else self.criterion.nearness(waiting.memo, state)

    def pending(self) -> Iterable[State]:
        """The states that were still wanted."""
        left = [each for each in self._stack if self._wanted(each)]
        self._parked += [each for each in self._stack if not self._wanted(each)]
        self._stack.clear()
        self._given_up = len(left)
        for each in left:
            self._running = each
            yield each.state

    def __len__(self) -> int:
        """Whether there is a trace to ask for; states that nothing is wanted of are put aside."""
        self._revive()
        while self._stack and not self._wanted(self._stack[-1]):
            self._parked.append(self._stack.pop())
            self._followed = False
        return len(self._stack)

    @property
    def unexplored(self) -> int:
        """The states that were never run, because nothing was wanted of them."""
        return len(self._parked) + len(self._stack) + self._given_up

    def unwanted(self) -> Iterable[State]:
        """The states that were never run."""
        return [each.state for each in (*self._parked, *self._stack)]

    # Feedback.

    def items(self, state: State) -> tuple[str, ...]:
        """The wanted items on a path that has just ended."""
        assert self._running is not None
        return self.criterion.items(self._memo(self._running, state), state)

    def ended(self, state: State, kept: bool) -> None:
        """The path has become a case or not."""
        waiting = self._running
        assert waiting is not None
        memo = self._memo(waiting, state)
        if kept:
            self.criterion.learn(memo, state)
            return
        match state.outcome:
            case Cut(kind="loop"):
                self.criterion.lost(memo, state, "", bound=True)
            case Cut(kind=kind, message=message):
                self.criterion.lost(memo, state, message or f"the limit on {kind} was reached", bound=False)
            case NotSupported(message=message) | Undecided(message=message):
                self.criterion.lost(memo, state, message, bound=False)
            case Finished() | Uncaught():
                self.criterion.lost(memo, state, "a path there has no test", bound=False)

    def _revive(self) -> None:
        """States that were put aside count again if something new is wanted."""
        if self.criterion.size == self._size:
            return
        self._size = self.criterion.size
        again = [each for each in self._parked if self._wanted(each)]
        if again:
            kept = set(map(id, again))
            self._parked = [each for each in self._parked if id(each) not in kept]
            self._stack = again + self._stack

    def _wanted(self, waiting: _Waiting) -> bool:
        if waiting.state.outcome is not None:
            return not self.criterion.satisfied
        return waiting.tried or self.criterion.wants(waiting.memo, waiting.state)

    def _waiting(self, state: State) -> _Waiting:
        parent = self._running
        if parent is None:
            return _Waiting(state, state.trace, self.criterion.begin(state))
        memo = self._memo(parent, state)
        if state.fixed and not parent.fixed:
            # With another value the path might have come to more.
            self.criterion.lost(memo, state, f"only some values were tried: {state.fixed}", bound=False)
        tried = self._probing and self._is_new_alternative(state)
        return _Waiting(state, state.trace, memo, tried, bool(state.fixed))

    def _memo(self, parent: _Waiting, state: State) -> Memo:
        elements: list[Element] = []
        chain = state.trace
        while chain is not None and chain is not parent.trace:
            elements.append(chain[0])
            chain = chain[1]
        return self.criterion.follow(parent.memo, reversed(elements), state)

    def _is_new_alternative(self, state: State) -> bool:
        """Whether this alternative of an operation was never tried; the operation is executed once more then."""
        segment = state.next
        if state.outcome is not None or segment is None or state.frame is None or state.choices is None:
            return False
        last = state.trace[0] if state.trace is not None else None
        # What follows a branch is a block that the trace does not have yet.
        if segment.index == 0 and not (isinstance(last, Mark) and last.label == segment.label):
            return False
        key = (id(state.frame.code), segment.label, segment.index, state.choices[0])
        if key in self._probed:
            return False
        self._probed.add(key)
        return True
