"""Where a search has left paths: gathered while it runs, and as it is stored.

Leaves of one tree have long beginnings in common, so each is stored as how many choices it shares with the one before
it, and the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from everypath.cases.codec import Codec, Damaged, Form
from everypath.cases.model import SomeCase, SomeSuite
from everypath.explore.outcomes import Cut, NotSupported, Undecided
from everypath.explore.state import Chain, State, unchain
from everypath.paths import Frontier, Leaf, Start

_MOST_CHOICES = 2_000_000
"""A frontier with more choices than this is not kept: to start anew costs less than to read it."""
_MOST_KEPT = 20_000
"""States that wait for one start; they take some kilobytes each. The way to others is gone once more."""
UNSOLVED = "unsolved"
"""The path has come to its end, but no case could be made of it."""
UNWANTED = "unwanted"
"""The selection asked for nothing that the path could have shown, or the case was left out."""


class Leaves:
    """Takes the ends of paths that did not become cases."""

    def __init__(self) -> None:
        self._found: dict[Start, list[tuple[Chain[int], str, bool]]] = {}
        self.keeps = False
        """whether the paths themselves are kept as well"""
        self.kept: dict[Start, list[tuple[Chain[int], State]]] = {}
        """of those that were kept, the path as it can go on"""

    def begin(self, start: Start) -> None:
        """Paths from this start are explored."""
        self._found.setdefault(start, [])

    def see(self, start: Start, state: State, kind: str = "") -> None:
        """Keep where a path was left, if it was."""
        found = self._found.setdefault(start, [])
        outcome = state.outcome
        if isinstance(outcome, Cut):
            kind = kind or outcome.kind
        elif isinstance(outcome, NotSupported):
            kind = "unsupported"
        elif isinstance(outcome, Undecided):
            kind = "unknown"
        if kind:
            # The choices themselves are made when all is over: as long as they are chained, paths share them.
            found.append((state.choices, kind, isinstance(outcome, Cut) and outcome.wider))
            if self.keeps:
                self._keep_state(start, state)

    def _keep_state(self, start: Start, state: State) -> None:
        outcome, there = state.outcome, self.kept.setdefault(start, [])
        # What has ended otherwise than by a bound goes on as it is, to be looked at once more.
        kept = state.kept if isinstance(outcome, Cut) else None if isinstance(outcome, Undecided) else state
        if kept is not None and len(there) < _MOST_KEPT:
            there.append((state.choices, kept))

    def keep(self, start: Start, leaves: list[Leaf]) -> None:
        """Keep leaves of an earlier search to which this one did not come."""
        for leaf in leaves:
            chain: Chain[int] = None
            for choice in leaf.choices:
                chain = (choice, chain)
            self._found.setdefault(start, []).append((chain, leaf.kind, leaf.wider))

    def frontiers(self) -> list[Frontier]:
        """All leaves by their starts; nothing where they are too many."""
        frontiers, choices = [], 0
        for start, found in self._found.items():
            leaves = []
            for chain, kind, wider in found:
                leaves.append(Leaf(tuple(unchain(chain)), kind, wider))
                choices += len(leaves[-1].choices)
                if choices > _MOST_CHOICES:
                    return []
            leaves.sort(key=lambda leaf: leaf.choices)
            frontiers.append(Frontier(start, tuple(leaves)))
        return frontiers


def leave_open(suite: SomeSuite, cases: Sequence[SomeCase]) -> None:
    """Remember the paths of cases that are left out: another selection may want them."""
    by_start = {each.start: [*each.leaves] for each in suite.frontier}
    for case in cases:
        if case.start in by_start:
            by_start[case.start].append(Leaf(case.choices, UNWANTED))
    suite.frontier = [
        Frontier(start, tuple(sorted(leaves, key=lambda leaf: leaf.choices))) for start, leaves in by_start.items()
    ]


def frontier_form(codec: Codec) -> Form:
    """How a frontier is stored."""

    def encode(frontier: Frontier) -> Any:
        return {"start": codec.encode(Start, frontier.start), "leaves": list(_shortened(frontier.leaves))}

    def decode(data: Any) -> Frontier:
        if not isinstance(data, dict) or not isinstance(data.get("leaves"), list):
            raise Damaged("is no frontier")
        start: Any = codec.form(Start).decode(data.get("start"))
        return Frontier(start, tuple(_lengthened(data["leaves"])))

    return Form(encode, decode)


def _shortened(leaves: tuple[Leaf, ...]) -> Iterator[list[object]]:
    before: tuple[int, ...] = ()
    for leaf in leaves:
        shared = 0
        for old, new in zip(before, leaf.choices):
            if old != new:
                break
            shared += 1
        before = leaf.choices
        yield [shared, " ".join(map(str, before[shared:])), leaf.kind, *([True] if leaf.wider else [])]


def _lengthened(rows: list[Any]) -> Iterator[Leaf]:
    before: tuple[int, ...] = ()
    for row in rows:
        try:
            shared, rest, kind, *wider = row
            if not 0 <= shared <= len(before) or not isinstance(kind, str) or wider not in ([], [True]):
                raise ValueError
            before = (*before[:shared], *map(int, rest.split()))
        except (ValueError, TypeError, AttributeError):
            raise Damaged(f"has a leaf {row!r} that cannot be read") from None
        yield Leaf(before, kind, bool(wider))
