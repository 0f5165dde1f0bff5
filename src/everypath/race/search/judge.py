"""Whether what two threads did could have happened without interleaving, call by call.

The oracle is serializability, which the paper suggests for faults that show no crash. It needs no assertions: a run is
right if one of the serial orders of the same calls, from the same state, ends the same way. Three things are compared:
how each call ended, what the calls returned, and the state that is left. The kind of fault is the first of these in
which no serial order agrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everypath.race.running import Blocked, Endless, NotReached, Outcome, Raised, Refused, Returned
from everypath.race.state.graph import Snapshot
from everypath.race.state.walking import snapshot

WAITS = "waits for ever"


class Observation:
    """What one run came to, in snapshots that are equal if nothing can tell them apart.

    Most runs look like a serial one at first sight, so the parts are computed only when they are asked for. That must
    happen before the next run begins, which changes the same objects.
    """

    __slots__ = ("_results", "_state", "_values", "_visible", "outcomes", "whole")

    def __init__(self, outcomes: tuple[tuple[str, ...], ...], values: Sequence[Any], state: Sequence[Any]) -> None:
        self.outcomes = outcomes
        self._values = values
        self._visible = state
        self.whole = snapshot(*state, *values)
        """state and results together, so that a result that is a part of the state differs from a copy of it"""
        self._results: Snapshot | None = None
        self._state: Snapshot | None = None

    @property
    def results(self) -> Snapshot:
        """The results by themselves."""
        if self._results is None:
            self._results = snapshot(*self._values)
        return self._results

    @property
    def state(self) -> Snapshot:
        """The final state; empty if a call did not come back, since what it left half done says nothing."""
        if self._state is None:
            self._state = snapshot(*self._visible)
        return self._state

    def settled(self) -> Observation:
        """The same observation, with everything computed, so that it can be kept."""
        _ = self.results, self.state
        self._values = self._visible = ()
        return self

    @property
    def ended(self) -> bool:
        """Whether every call came back."""
        return all(each.startswith(("returned", "raised")) for thread in self.outcomes for each in thread)

    def answers_like(self, other: Observation) -> bool:
        """Whether all calls ended in the same way and with the same results."""
        return self.outcomes == other.outcomes and self.results.key == other.results.key

    def same(self, other: Observation) -> bool:
        """Whether nothing tells the two runs apart."""
        return self.outcomes == other.outcomes and self.whole.key == other.whole.key


def signature(outcome: Outcome) -> str:
    """How a call ended, as far as two runs are compared: only the class of an exception counts."""
    match outcome:
        case Returned():
            return "returned"
        case Raised(error):
            # The message often holds a value that rightly depends on the order.
            return f"raised {type(error).__qualname__}"
        case Blocked():
            return WAITS
        case Endless():
            return "does not end"
        case Refused():
            return "refused"
        case NotReached():
            return "not reached"


def verdict(observed: Observation, serial: Sequence[Observation]) -> str | None:
    """The kind of fault that a run shows; None if some serial order looks the same.

    It is the kind of the strongest symptom that no serial order has.
    """
    if any(observed.same(each) for each in serial):
        return None
    if all(observed.outcomes != each.outcomes for each in serial):
        return _by_outcome(observed, serial)
    alike = [each for each in serial if each.answers_like(observed)]
    if not alike:
        return "result"
    if any(each.state.key == observed.state.key for each in alike):
        # Results and state are right by themselves, but a result is no longer the object that is kept.
        return "result"
    return "state"


def strange(observed: Observation, serial: Sequence[Observation]) -> list[tuple[int, int]]:
    """(thread, call) of the endings that no serial order has; all of them if only their combination is new."""
    positions = [(t, i) for t, thread in enumerate(observed.outcomes) for i in range(len(thread))]
    found = [(t, i) for t, i in positions if all(each.outcomes[t][i] != observed.outcomes[t][i] for each in serial)]
    return found or positions


def _by_outcome(observed: Observation, serial: Sequence[Observation]) -> str | None:
    if any("refused" in thread for thread in observed.outcomes):
        # The fence ended the call, so what it would have come to is not known.
        return None
    endings = [observed.outcomes[t][i] for t, i in strange(observed, serial)]
    if _waiting(observed) > max(map(_waiting, serial)) or _waits_instead(observed, serial):
        return "deadlock"
    if "does not end" in endings:
        return "endless"
    if any(each.startswith("raised") for each in endings):
        return "exception"
    return "result"


def _waits_instead(observed: Observation, serial: Sequence[Observation]) -> bool:
    """Whether a call waits for ever that comes back in every serial order."""
    found = strange(observed, serial)
    return any(
        observed.outcomes[t][i] == WAITS and all(each.outcomes[t][i] != WAITS for each in serial) for t, i in found
    )


def _waiting(observation: Observation) -> int:
    return sum(each == WAITS for thread in observation.outcomes for each in thread)
