"""Sequential coverage: what a call sequence adds and which sequences are redundant.

Definitions 1 to 5 of AutoConTest. The measure is cheap because it needs no interleavings: a new method-call trace means
new accesses, or the same ones in another order, and so new interleavings with other calls.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from everypath.race.events import Event
from everypath.records import dataclass

Trace = tuple[Hashable, ...]
"""What one outermost call does, event by event, without values; equal if the same code runs in the same order."""
Coverage = frozenset[Trace]
"""A set of method-call traces: M of a sequence, or what it improves."""
NOTHING: Coverage = frozenset()

KIND_BITS = 4
_LONGEST_REPEAT = 64


def code(event: Event) -> int:
    """The event as coverage sees it: kind and place in the code; for entries and exits, the place of the function."""
    return event.site << KIND_BITS | event.kind


def trace_of(events: Iterable[Event], repeats: int | None = None) -> Trace:
    """The trace of a method call (definition 1), with everything its callees do.

    With `repeats`, loops are told apart only up to that many rounds (see `folded`).
    """
    trace = tuple(map(code, events))
    return trace if repeats is None else folded(trace, repeats)


def folded(trace: Trace, repeats: int) -> Trace:
    """The trace without parts that occur more than `repeats` times in a row.

    The paper has no such bound: there, a loop over a growing container gives a new trace for each length, without end.
    Two rounds are enough to tell "once" from "more than once", which is what patterns within a call need.
    """
    kept: list[Hashable] = []
    for item in trace:
        kept.append(item)
        # Any length of a round that fits `repeats` + 1 times into what is kept; the newest round is taken out again.
        for size in range(1, min(_LONGEST_REPEAT, len(kept) // (repeats + 1)) + 1):
            if kept[-1 - size] != item:
                continue
            last = kept[-size:]
            if all(kept[-size * (n + 1) : -size * n] == last for n in range(1, repeats + 1)):
                del kept[-size:]
                break
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class Reached:
    """What decides about the extensions of an explored call sequence."""

    state: Hashable
    """of the shared object after the sequence"""
    improvement: Coverage
    length: int
    """in outermost calls"""
    idle: int = 0
    """how many of the latest calls improved nothing"""


def better(first: Reached, second: Reached) -> bool:
    """Whether the first improves coverage by more traces, or by as many in fewer calls ("better than" in the paper)."""
    return (-len(first.improvement), first.length) < (-len(second.improvement), second.length)


def redundant(sequence: Reached, other: Reached) -> bool:
    """Whether the other sequence makes this one redundant (definition 5).

    No extension of the sequence then improves coverage by more traces than the same extension of the other one. It may
    do so in fewer calls, against the last step of the proof of theorem 1: the traces by which the other one is ahead
    may come anyway in the extension, and then the longer way to them was in vain.
    """
    if sequence.state != other.state:
        return False
    mine, its = sequence.improvement, other.improvement
    return mine < its or (mine == its and other.length <= sequence.length)


def replaceable(sequence: Reached, other: Reached) -> bool:
    """A narrower redundancy that loses neither traces nor shortness, at any saturation level.

    A sequence that covers more may saturate where one that covers less still improves. So the improvements have to be
    equal, and the other sequence must have as many calls left before it saturates.
    """
    return (
        sequence.state == other.state
        and sequence.improvement == other.improvement
        and other.length <= sequence.length
        and other.idle <= sequence.idle
    )


class Explored:
    """The explored sequences of an iteration (Q in the paper); of each state, only those that no other makes
    redundant.
    """

    def __init__(self, rule: Callable[[Reached, Reached], bool] = redundant) -> None:
        self._rule = rule
        self._best: dict[Hashable, list[Reached]] = {}

    def redundant(self, sequence: Reached) -> bool:
        """Whether another explored sequence makes this one redundant; a sequence does not do that to itself."""
        return any(
            other is not sequence and self._rule(sequence, other) for other in self._best.get(sequence.state, ())
        )

    def add(self, sequence: Reached) -> None:
        """Note an explored sequence; the relation is transitive, so a redundant one need not be kept."""
        if self.redundant(sequence):
            return
        best = self._best.setdefault(sequence.state, [])
        best[:] = [other for other in best if not self._rule(other, sequence)]
        best.append(sequence)
