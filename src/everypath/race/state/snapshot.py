"""A canonical snapshot of everything reachable from some objects, to compare the states that different runs leave."""

from __future__ import annotations

from everypath.race.state.comparison import difference
from everypath.race.state.description import describe, text
from everypath.race.state.graph import Snapshot
from everypath.race.state.walking import walk

__all__ = ["Snapshot", "describe", "difference", "render_value", "snapshot"]

_ALL_SEEN: frozenset[str] = frozenset()


def snapshot(*roots: object) -> Snapshot:
    """The snapshot of these objects together: what they share is part of it."""
    found = walk(roots)
    return Snapshot(
        (found.roots, *found.nodes), frozenset(found.opaque) if found.opaque else _ALL_SEEN, found.truncated
    )


def render_value(value: object) -> str:
    """A short text for a value, the same in every run."""
    return text(snapshot(value), 160)
