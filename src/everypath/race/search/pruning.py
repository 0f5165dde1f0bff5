"""Which rules prune the tree of call sequences (Figure 8), where the search ends, and the work it did."""

from __future__ import annotations

from enum import Enum

from everypath.race.calls import Call
from everypath.records import dataclass, field


class Rule(Enum):
    """When a sequence is not extended (D, depth) or its remaining extensions are left out (B, breadth)."""

    D1 = "it raised"
    D2 = "its last call changed neither coverage nor state"
    D3 = "its last call did not improve coverage and another sequence makes it redundant"
    B1 = "a call improved coverage and left the state as it was"
    B2 = "another sequence has made it redundant"


class Stop(Enum):
    """Why a search ended early."""

    DEADLINE = "time"
    EXECUTIONS = "executions"
    NODES = "nodes"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Which rules prune the search tree, and where it ends."""

    saturation: int = 3
    """k: a sequence is not extended once its latest k calls improved nothing"""
    last_saturation: int = 6
    """where the restarts with k + 1 end"""
    seed: int = 0
    """0 tries the calls in the order given; any other number shuffles them, for diversity across iterations"""
    rules: frozenset[Rule] = frozenset(Rule)
    lossless: bool = False
    """redundancy only where it can cost neither traces nor length (see `coverage.replaceable`); B1 is then off"""
    remember: bool = True
    """a call is executed once per state: the paper takes it to be deterministic given the state (section 4.2)"""
    length: int = 100
    """of the longest sequence"""
    executions: int = 2_000
    """a safety net for one iteration: most is found early, and the next iterations look for the rest"""
    nodes: int = 200_000


@dataclass(slots=True)
class SearchStats:
    """The work done, over all restarts."""

    nodes: int = 0
    """sequences looked at"""
    executions: int = 0
    """calls of the executor"""
    remembered: int = 0
    """calls whose outcome in that state was known"""
    restarts: int = 0
    cut: dict[Rule, int] = field(default_factory=lambda: dict.fromkeys(Rule, 0))
    saturated: int = 0
    """sequences not extended because of the saturation level, at the last level"""
    too_long: int = 0
    """sequences not extended because of their length, at the last level"""
    unusable: int = 0
    deepest: int = 0
    diverged: Call | None = None
    """a call that did something else in a state that looked the same; from then on nothing is remembered"""
    stopped: Stop | None = None
