"""Definitions 1 to 3 of the paper word by word, for whole sequences; the search works call by call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from everypath.race.events import KIND_NAMES, SITES, Event
from everypath.race.search.coverage import KIND_BITS, Coverage, Trace, trace_of


def readable(code: int) -> str:
    """An event code in words, such as `write self.n`."""
    return f"{KIND_NAMES[code & (1 << KIND_BITS) - 1]} {SITES[code >> KIND_BITS].text}"


def call_traces(events: Sequence[Event], boundaries: Sequence[int], repeats: int | None = None) -> Iterator[Trace]:
    """The partition of a sequence's events into its calls; `boundaries` says after how many events each call began."""
    for begin, end in zip(boundaries, (*boundaries[1:], len(events))):
        yield trace_of(events[begin:end], repeats)


def sequential_coverage(traces: Iterable[Trace]) -> Coverage:
    """M of a call sequence (definition 2): the set of its calls' traces; a call without any event has no trace."""
    return frozenset(trace for trace in traces if trace)


def improvement(coverage: Coverage, covered: Iterable[Coverage]) -> Coverage:
    """What the coverage has that no sequence of the repository has (definition 3)."""
    return coverage.difference(*covered)
