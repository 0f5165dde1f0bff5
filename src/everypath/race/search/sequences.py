"""The call sequence that improves sequential coverage most.

Section 4.2 of AutoConTest: Figure 7, with the prunings of Figure 8. The sequences form a tree: the root is the new
object, each edge one more call. It is searched depth first, and the sequence with the most traces that are not covered
yet is kept (of several, the shortest). A sequence is extended until its latest k calls improved nothing; if no sequence
improves anything, the search starts again with k + 1. Depth pruning (D1-D3) does not extend a sequence, breadth pruning
(B1-B2) drops the remaining extensions of one.

Beyond the paper: what a call does depends on the state alone (the paper assumes that, too), so a call is executed once
for each state and its effect is remembered, across restarts and iterations. The best sequence is run once from the
beginning before it is returned; if it does something else then, the class is not deterministic and nothing more is
remembered.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from enum import Enum
from typing import Protocol

from everypath.race.running import Call
from everypath.race.search.coverage import NOTHING, Coverage, Explored, Reached, Trace, better, redundant, replaceable
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
    """redundancy only where it costs neither traces nor length (see `coverage.replaceable`); B1 is then off"""
    remember: bool = True
    """a call is executed once per state: the paper takes it to be deterministic given the state (section 4.2)"""
    length: int = 100
    """the most calls in a sequence"""
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


@dataclass(frozen=True, slots=True)
class Extension:
    """What one more call came to."""

    trace: Trace
    state: Hashable
    """of the shared object afterwards"""
    raised: bool = False
    """the call ended with an exception; exceptions that the class itself caught do not count"""
    usable: bool = True
    """False for a call that did not come back or that must not be repeated; it neither counts nor is extended"""


class Executor(Protocol):
    """Runs calls on a fresh object; the same sequence always does the same."""

    def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
        """Run the call after the prefix, by replaying it or from a copy of the state that it leads to."""
        ...


class KnownEffects:
    """What calls did in which state; sharing one object among all iterations saves most executions."""

    def __init__(self) -> None:
        self._states: dict[Hashable, int] = {}
        self.routes: dict[Hashable, tuple[Call, ...]] = {}
        """state -> the shortest sequence known to lead to it"""
        self.extensions: dict[tuple[Hashable, Call], Extension] = {}
        """what a call did in a state, as far as that is known"""
        self.reliable = True
        """no call has been seen to do something else in a state that looked the same"""

    def number(self, state: Hashable, route: tuple[Call, ...]) -> int:
        """A small number for the state; the shortest route to it is kept, because it is the cheapest one to replay."""
        number = self._states.setdefault(state, len(self._states))
        known = self.routes.get(number)
        if known is None or len(route) < len(known):
            self.routes[number] = route
        return number

    def visited(self) -> list[tuple[tuple[Call, ...], list[tuple[Call, Extension]]]]:
        """Every state by its route, shortest first, with the calls executed there."""
        calls: dict[Hashable, list[tuple[Call, Extension]]] = {}
        for (state, call), extension in self.extensions.items():
            calls.setdefault(state, []).append((call, extension))
        return sorted(((self.routes[state], known) for state, known in calls.items()), key=lambda each: len(each[0]))


@dataclass(frozen=True, slots=True)
class TracedCall:
    """A call after a prefix, with the trace that it has there."""

    prefix: tuple[Call, ...]
    call: Call
    trace: Trace


@dataclass(frozen=True, slots=True)
class Found:
    """A sequence that improves coverage, the best of those explored (definition 4)."""

    sequence: tuple[Call, ...]
    improvement: Coverage
    k: int
    stats: SearchStats
    raising: tuple[TracedCall, ...] = ()
    """calls that raised on the way, one for each trace that is not covered (D1 keeps them out of the sequence)"""
    calls: tuple[TracedCall, ...] = ()
    """the calls that improve coverage, each after the shortest prefix known to lead to the state in which it does"""


@dataclass(frozen=True, slots=True)
class Saturated:
    """No explored sequence improves coverage."""

    k: int
    stats: SearchStats
    raising: tuple[TracedCall, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing was cut off, so that no sequence of these calls improves coverage at any level."""
        return not (self.stats.stopped or self.stats.saturated or self.stats.too_long)


UNKNOWN: Hashable = object()
"""The state before the first call, if nobody says what it is: equal to no other state."""


def generate(
    executor: Executor,
    calls: Sequence[Call],
    covered: Set[Trace],
    options: SearchOptions,
    deadline: Callable[[], bool],
    *,
    memory: KnownEffects | None = None,
    start: Hashable = UNKNOWN,
) -> Found | Saturated:
    """One iteration: the sequence that improves most on what is covered; restarted with k + 1 while there is none.

    `deadline` says whether the time is up; what was found by then is returned. `memory` may be carried from iteration
    to iteration; `start` is the state before the first call, if it is known.
    """
    ordered = list(dict.fromkeys(calls))
    if options.seed:
        random.Random(options.seed).shuffle(ordered)
    known = KnownEffects() if memory is None else memory
    rules = options.rules - {Rule.B1} if options.lossless else options.rules
    remember = options.remember and known.reliable
    search = _Search(executor, ordered, covered, options, rules, deadline, known, start, remember)
    k = options.saturation
    while True:
        best = search.run(k)
        raising = tuple(search.raising.values())
        if best.reached.improvement:
            return Found(best.sequence(), best.reached.improvement, k, search.stats, raising, search.improving(best))
        cut = search.stats.saturated and search.stats.stopped is None
        if not cut or k >= options.last_saturation:
            return Saturated(k, search.stats, raising)
        k += 1
        search.stats.restarts += 1


@dataclass(slots=True)
class _Node:
    """A call sequence in the search tree."""

    parent: _Node | None
    call: Call | None
    reached: Reached
    pending: Iterator[Call]
    child: Reached | None = None
    """the latest extension"""

    def sequence(self) -> tuple[Call, ...]:
        """The calls from the root to here."""
        calls: list[Call] = []
        node: _Node | None = self
        while node is not None and node.call is not None:
            calls.append(node.call)
            node = node.parent
        return tuple(reversed(calls))


@dataclass(slots=True)
class _Search:
    """Figure 7 without recursion: the stack holds the sequences being extended, the best one so far is kept aside."""

    _executor: Executor
    _calls: list[Call]
    _covered: Set[Trace]
    _options: SearchOptions
    _rules: frozenset[Rule]
    _deadline: Callable[[], bool]
    _memory: KnownEffects
    _start: Hashable
    _remember: bool
    _explored: Explored = field(default_factory=Explored)
    stats: SearchStats = field(default_factory=SearchStats)
    raising: dict[Trace, TracedCall] = field(default_factory=dict)

    def run(self, k: int) -> _Node:
        """The best sequence of the tree at saturation level k; the root if none improves coverage."""
        while True:
            best = self._descend(k)
            if not self._remember:
                return best
            # Its calls were perhaps executed after other prefixes that led to the same state. Only a run of the whole
            # sequence shows that such states really are the same.
            best = self._replayed(best)
            if self._remember or self.stats.stopped is not None:
                return best

    def improving(self, best: _Node) -> tuple[TracedCall, ...]:
        """The calls of a sequence that improve coverage."""
        found, node = [], best
        while node.parent is not None and node.call is not None:
            for trace in node.reached.improvement - node.parent.reached.improvement:
                found.append(TracedCall(self._prefix(node.parent), node.call, trace))
            node = node.parent
        return tuple(reversed(found))

    def _prefix(self, node: _Node) -> tuple[Call, ...]:
        """The calls that lead to where the sequence leads; with memory, the shortest known ones."""
        return self._memory.routes[node.reached.state] if self._remember else node.sequence()

    def _descend(self, k: int) -> _Node:
        self._explored = Explored(replaceable if self._options.lossless else redundant)
        self.stats.saturated = self.stats.too_long = 0
        root = _Node(None, None, Reached(self._memory.number(self._start, ()), NOTHING, 0), iter(self._calls))
        self._explored.add(root.reached)
        best, stack = root, [root]
        while stack and not self._stopped():
            node = stack[-1]
            call = None if self._leaves(node) else next(node.pending, None)
            if call is None:
                stack.pop()
                continue
            child = self._extend(node, call)
            if child is None:
                continue
            if better(child.reached, best.reached):
                best = child
            if child.reached.idle >= k:
                self.stats.saturated += 1
            elif child.reached.length >= self._options.length:
                self.stats.too_long += 1
            else:
                stack.append(child)
        return best

    def _stopped(self) -> bool:
        if self._deadline():
            self.stats.stopped = Stop.DEADLINE
        elif self.stats.executions >= self._options.executions:
            self.stats.stopped = Stop.EXECUTIONS
        elif self.stats.nodes >= self._options.nodes:
            self.stats.stopped = Stop.NODES
        return self.stats.stopped is not None

    def _extend(self, node: _Node, call: Call) -> _Node | None:
        """The sequence with one more call; None if it is not to be looked at any further (depth pruning)."""
        node.child = None
        before = node.reached
        extension = self._execute(node, call)
        self.stats.nodes += 1
        self.stats.deepest = max(self.stats.deepest, before.length + 1)
        if extension.raised and Rule.D1 in self._rules:
            # Figure 7 compares coverage only inside the recursion, so what a raising call does is not covered. Here
            # its sequence is not among the explored ones either and never makes its prefix redundant (B1): both would
            # count on extensions that it does not have.
            self.stats.cut[Rule.D1] += 1
            self._note_raising(node, call, extension.trace)
            return None
        if not extension.usable and not extension.raised:
            self.stats.unusable += 1
            return None
        child = self._child(node, call, extension)
        # The child counts for breadth pruning even if it is not extended itself.
        node.child = child.reached
        cut = self._depth_rule(before, child.reached)
        self._explored.add(child.reached)
        if cut is None:
            return child
        self.stats.cut[cut] += 1
        return None

    def _child(self, node: _Node, call: Call, extension: Extension) -> _Node:
        before, trace = node.reached, extension.trace
        improves = bool(trace) and trace not in self._covered and trace not in before.improvement
        reached = Reached(
            self._memory.number(extension.state, (*self._prefix(node), call)),
            before.improvement | {trace} if improves else before.improvement,
            before.length + 1,
            0 if improves else before.idle + 1,
        )
        return _Node(node, call, reached, iter(self._calls))

    def _execute(self, node: _Node, call: Call) -> Extension:
        if not self._remember:
            self.stats.executions += 1
            return self._executor.extend(node.sequence(), call)
        state = node.reached.state
        known = self._memory.extensions.get((state, call))
        if known is not None:
            self.stats.remembered += 1
            return known
        self.stats.executions += 1
        extension = self._memory.extensions[state, call] = self._executor.extend(self._prefix(node), call)
        return extension

    def _depth_rule(self, before: Reached, after: Reached) -> Rule | None:
        if len(after.improvement) != len(before.improvement):
            return None
        if Rule.D2 in self._rules and after.state == before.state:
            return Rule.D2
        if Rule.D3 in self._rules and self._explored.redundant(after):
            return Rule.D3
        return None

    def _leaves(self, node: _Node) -> bool:
        """Whether the remaining extensions of a sequence are left out (breadth pruning), after its latest one."""
        before, after = node.reached, node.child
        if after is None:
            return False
        improved = len(after.improvement) > len(before.improvement)
        if Rule.B1 in self._rules and improved and after.state == before.state:
            self.stats.cut[Rule.B1] += 1
            return True
        if Rule.B2 in self._rules and self._explored.redundant(before):
            self.stats.cut[Rule.B2] += 1
            return True
        return False

    def _note_raising(self, node: _Node, call: Call, trace: Trace) -> None:
        if not trace or trace in self._covered:
            return
        prefix = self._prefix(node)
        known = self.raising.get(trace)
        if known is None or len(prefix) < len(known.prefix):
            self.raising[trace] = TracedCall(prefix, call, trace)

    def _replayed(self, best: _Node) -> _Node:
        """The sequence as it really runs: its calls were executed one by one, perhaps after other prefixes."""
        node = _Node(None, None, Reached(self._memory.number(self._start, ()), NOTHING, 0), iter(()))
        for call in best.sequence():
            known = self._memory.extensions.get((node.reached.state, call))
            self.stats.executions += 1
            extension = self._executor.extend(node.sequence(), call)
            if extension != known:
                # The snapshot does not show all of the state, or the class rolls dice: start over without memory.
                self._remember = self._memory.reliable = False
                self.stats.diverged = self.stats.diverged or call
            if Rule.D1 in self._rules if extension.raised else not extension.usable:
                break
            node = self._child(node, call, extension)
        return node
