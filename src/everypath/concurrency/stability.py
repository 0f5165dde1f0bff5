"""Temporarily stable actors: those that can go first without losing an execution.

An actor is temporarily stable if no other actor can add a task to its queue, before it moves itself, that depends on
those already there (Definition 1 of "Test Case Generation of Actor Systems"). Theorem 1 there gives conditions that can
be checked: for every task of every other actor, no chain of calls from its method reaches the actor's class (condition
1); or the methods at the ends of the chains are independent of the actor's tasks (condition 2); or no actor along the
chains can refer to this one (condition 3).

The theorem is about actors that share nothing and queues without an order. Three things that its language does not have
are looked at when the steps are known (`commits`): a future that was found unresolved, one that is resolved while
another actor may still find it unresolved, and a call into a queue that has an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, Protocol, TypeVar

from everypath.concurrency.system import Branch, Pending, Policy, State, System
from everypath.records import dataclass, field

Seen = TypeVar("Seen", contravariant=True)


class Method(NamedTuple):
    """A method of a class."""

    owner: str
    name: str


@dataclass(slots=True)
class Statics:
    """What the program's text says about its methods; a method that is missing is taken to do anything."""

    calls: Mapping[Method, frozenset[Method]]
    """the methods that its body may call asynchronously, also through methods that it runs itself"""
    reads: Mapping[Method, frozenset[str]]
    writes: Mapping[Method, frozenset[str]]
    """fields of the actor, including those touched by methods that it runs itself; different fields have different
    names
    """
    blocking: frozenset[Method] = frozenset()
    """methods that may block their processor in a get, so that no other task of it can run in between"""
    _reached: dict[Method, frozenset[Method]] = field(default_factory=dict)
    _all_known: dict[Method, bool] = field(default_factory=dict)

    def known(self, method: Method) -> bool:
        """Whether something is known about the method."""
        return method in self.calls and method in self.reads and method in self.writes

    def all_known(self, method: Method) -> bool:
        """Whether something is known about the method and all that its calls lead to."""
        found = self._all_known.get(method)
        if found is None:
            found = self.known(method) and all(map(self.known, self.reached(method)))
            self._all_known[method] = found
        return found

    def independent(self, first: Method, second: Method) -> bool:
        """Whether neither writes a field that the other touches, nor keeps the other from running."""
        if not (self.known(first) and self.known(second)) or first in self.blocking or second in self.blocking:
            return False
        return not (
            self.writes[first] & (self.reads[second] | self.writes[second]) or self.writes[second] & self.reads[first]
        )

    def reached(self, method: Method) -> frozenset[Method]:
        """The ends of all chains of calls from the method, of one call or more: Ch in Theorem 1."""
        found = self._reached.get(method)
        if found is None:
            seen: set[Method] = set()
            todo = list(self.calls.get(method, ()))
            while todo:
                called = todo.pop()
                if called not in seen:
                    seen.add(called)
                    todo += self.calls.get(called, ())
            found = self._reached[method] = frozenset(seen)
        return found

    def classes_towards(self, method: Method, targets: Iterable[Method]) -> set[str]:
        """The classes along the chains from the method to a target; that of the target itself only if a chain goes
        on there.
        """
        wanted = set(targets)
        on_chains = {step.owner for step in self.reached(method) if self.reached(step) & wanted}
        return on_chains | {method.owner}


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor as Theorem 1 sees it."""

    processor: str
    classes: frozenset[str]
    """of its objects"""
    tasks: tuple[tuple[str, Method], ...]
    """name and method of every task that has not ended"""
    refers: frozenset[str]
    """processors that its fields, its tasks' variables and the results that these can get may refer to"""
    futures: frozenset[str] = frozenset()
    """unresolved futures that it may come to look at: those that it knows, but not what a blocked task waits for"""


class Described(Protocol[Seen]):
    """Tells what Theorem 1 asks."""

    @property
    def statics(self) -> Statics:
        """About the program."""

    def actors(self, state: Seen) -> Sequence[Actor]:
        """All actors, the oldest first."""


class WithoutStable(Enum):
    """What to explore first when no actor is temporarily stable."""

    EVERY = "every"
    """all actors that can move: loses nothing"""
    OLDEST = "oldest"
    """only the oldest of them, as in the figures of the paper: loses executions"""


def temporarily_stable(actor: Actor, actors: Sequence[Actor], statics: Statics, ordered: bool) -> bool:
    """Whether no other actor can add a task to this one that depends on those it has: Theorem 1.

    With `ordered`, the actor's queue has an order, so that a new task matters even if it is independent of the others:
    condition 2 does not help.
    """
    return all(
        _harmless(method, actor, actors, statics, ordered)
        for other in actors
        if other.processor != actor.processor
        for _, method in other.tasks
    )


def _harmless(method: Method, actor: Actor, actors: Sequence[Actor], statics: Statics, ordered: bool) -> bool:
    # What an unknown method may call is unknown as well.
    if not statics.all_known(method):
        return False
    targets = [called for called in statics.reached(method) if called.owner in actor.classes]
    # Condition 1.
    if not targets:
        return True
    # Condition 2.
    if not ordered and all(statics.independent(target, mine) for target in targets for _, mine in actor.tasks):
        return True
    # Condition 3: some actor on a chain may refer to this one.
    classes = statics.classes_towards(method, targets)
    return not any(actor.processor in other.refers and not classes.isdisjoint(other.classes) for other in actors)


def awaits_nobody(actor: Actor, pending: Sequence[Pending], enabled: frozenset[str], statics: Statics) -> bool:
    """Whether no task that waits for a future could come in between and depend on one that can run now."""
    methods = dict(actor.tasks)
    waiting = [
        task.move.task
        for task in pending
        if task.move.processor == actor.processor and task.futures and task.move.task not in enabled
    ]
    ready = [method for task, method in actor.tasks if task in enabled]
    return all(task in methods and statics.independent(methods[task], other) for task in waiting for other in ready)


def commits(system: System[State], branches: Iterable[Branch[State]], watched: frozenset[str] = frozenset()) -> bool:
    """Whether the steps are the same whatever other actors do first, apart from tasks that these may add.

    `watched` are the futures of which other actors may see whether they are resolved.
    """
    for branch in branches:
        footprint = branch.footprint
        # Shared places, such as what is printed, belong to no actor: every other one can touch them first.
        if footprint.unknown or footprint.shared:
            return False
        # A future that the step itself has created is unresolved in any order.
        own = {send.task for send in footprint.sends}
        if not own.issuperset(footprint.misses) or not watched.isdisjoint(footprint.resolves):
            return False
        if any(system.policy(send.processor) is not Policy.ANY for send in footprint.sends):
            return False
    return True
