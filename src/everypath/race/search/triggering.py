"""Which coverage requirements a run has met: the accesses were made, to the same memory, in the order required."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everypath.concurrency.access import Access
from everypath.race.events import Event
from everypath.race.running import Run
from everypath.race.search.predict import Requirement

Happened = tuple[int, Event]
"""An event and its position in the run."""
_FIRST_DOUBLE = 6
"""Patterns from here on concern two places."""


def triggered(run: Run, outer: int, requirements: Iterable[Requirement]) -> set[Requirement]:
    """The requirements of which the run shows the pattern, with `outer` as the divided call."""
    wanted = list(requirements)
    sites = {site for each in wanted for site in (each.first, *each.other, each.second)}
    found: tuple[dict[int, list[Happened]], dict[int, list[Happened]]] = ({}, {})
    for position, (thread, event) in enumerate(run.events):
        if event.site in sites:
            found[thread].setdefault(event.site, []).append((position, event))
    ours, theirs = found[outer], found[1 - outer]
    return {each for each in wanted if _met(each, ours, theirs)}


def _met(wanted: Requirement, ours: dict[int, list[Happened]], theirs: dict[int, list[Happened]]) -> bool:
    """Section 4.4: the other call's accesses lie after the first and before the second one of the divided call.

    With two places it is enough that they do so at each place by itself, which is what makes the cycle.
    """
    firsts, seconds = ours.get(wanted.first, ()), ours.get(wanted.second, ())
    others = [theirs.get(site, ()) for site in wanted.other]
    after, before = (others[0], others[-1]) if wanted.pattern % 2 == 0 else (others[-1], others[0])
    if wanted.pattern < _FIRST_DOUBLE:
        inside = [each for each in others[0] if _some(firsts, each, earlier=True)]
        return any(_some(seconds, each, earlier=False) for each in inside)
    return any(_some(firsts, each, earlier=True) for each in after) and any(
        _some(seconds, each, earlier=False) for each in before
    )


def _some(ours: Sequence[Happened], theirs: Happened, *, earlier: bool) -> bool:
    """Whether the divided call has visited the same memory before, or does so afterwards."""
    position, event = theirs
    return any((at < position) == earlier and _same_memory(each, event) for at, each in ours)


def _same_memory(one: Event, two: Event) -> bool:
    return one.target is two.target and Access("", one.key, True, True).same_place(Access("", two.key, True, True))
