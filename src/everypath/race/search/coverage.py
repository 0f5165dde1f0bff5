"""Sequential coverage: what a call sequence adds and which ones are redundant (definitions 1-5 of the paper)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from everypath.race.events import Event
from everypath.records import dataclass

Trace = tuple[Hashable, ...]
"""What one outermost call does, event by event, without values; two traces are equal iff their codes are, in order."""
Coverage = frozenset[Trace]
"""A set of method-call traces: M of a sequence, or what it improves."""
NOTHING: Coverage = frozenset()

KIND_BITS = 4
_LONGEST_REPEAT = 64


def code(event: Event) -> int:
    """The event as coverage sees it: place in the code and kind, for entries and exits the function's place."""
    return event.site << KIND_BITS | event.kind


def trace_of(events: Iterable[Event], repeats: int | None = None) -> Trace:
    """The trace of a method call (definition 1), with everything its callees do.

    With `repeats`, loops are told apart only up to that many rounds (see `folded`).
    """
    trace = tuple(map(code, events))
    return trace if repeats is None else folded(trace, repeats)


def folded(trace: Trace, repeats: int) -> Trace:
    """The trace with no part of it more than `repeats` times in a row.

    The paper has no such bound: there a loop over a growing container gives a new trace for each length,
    without end. Two rounds are enough to tell "once" from "more than once", which is what patterns within a call need.
    """
    kept: list[Hashable] = []
    for item in trace:
        kept.append(item)
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
    """Whether the first improves coverage by more traces, or by as many in fewer calls (the paper's "better than")."""
    return (-len(first.improvement), first.length) < (-len(second.improvement), second.length)


def redundant(sequence: Reached, other: Reached) -> bool:
    """Whether the other makes the sequence redundant (definition 5).

    No extension of the sequence then improves coverage by more traces than the same extension of the other. It can do
    so in fewer calls, against the last step of theorem 1's proof: where the other covers more, the traces in which it
    is ahead may come anyway in the extension, and then the longer way to them was in vain.
    """
    if sequence.state != other.state:
        return False
    mine, its = sequence.improvement, other.improvement
    return mine < its or (mine == its and other.length <= sequence.length)


def replaceable(sequence: Reached, other: Reached) -> bool:
    """A narrower redundancy that loses neither traces nor shortness, at any saturation level.

    A sequence that covers more may saturate where one that covers less is still improving, so the
    improvements have to be equal, and the other must have as many calls left before it saturates.
    """
    return (
        sequence.state == other.state
        and sequence.improvement == other.improvement
        and other.length <= sequence.length
        and other.idle <= sequence.idle
    )


class Explored:
    """The sequences explored in an iteration (Q), of each state those alone that no other one makes redundant."""

    def __init__(self, rule: Callable[[Reached, Reached], bool] = redundant) -> None:
        self._rule = rule
        self._best: dict[Hashable, list[Reached]] = {}

    def redundant(self, sequence: Reached) -> bool:
        """Whether another explored sequence makes this one redundant; a sequence does not do that to itself."""
        return any(
            other is not sequence and self._rule(sequence, other) for other in self._best.get(sequence.state, ())
        )

    def add(self, sequence: Reached) -> None:
        """Note an explored sequence; since the relation is transitive, a redundant one need not be kept."""
        if self.redundant(sequence):
            return
        best = self._best.setdefault(sequence.state, [])
        best[:] = [other for other in best if not self._rule(other, sequence)]
        best.append(sequence)
