"""Temporarily stable actors: those that can go first without losing an execution (002, section 4).

Theorem 1 of "Test Case Generation of Actor Systems" for programs whose actors share nothing and whose queues
have no order. Three things that the theorem's language does not have are looked at when the steps are known
(`commits`): a future that was found unresolved, one that is resolved while another actor may still find it
unresolved, and a call into a queue that has an order.
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
    """What the program's text says about its methods; a method that is missing is taken to do everything."""

    calls: Mapping[Method, frozenset[Method]]
    """the methods that its body may call asynchronously, also through methods that it runs itself"""
    reads: Mapping[Method, frozenset[str]]
    writes: Mapping[Method, frozenset[str]]
    """fields of the actor, also touched by methods that it runs itself; named so that different fields differ"""
    blocking: frozenset[Method] = frozenset()
    """methods that may block their processor in a get: no other task of it can come in between"""
    _reached: dict[Method, frozenset[Method]] = field(default_factory=dict)
    _all_known: dict[Method, bool] = field(default_factory=dict)

    def known(self, method: Method) -> bool:
        """Whether anything is known about the method."""
        return method in self.calls and method in self.reads and method in self.writes

    def all_known(self, method: Method) -> bool:
        """Whether anything is known about the method and about all that its calls lead to."""
        found = self._all_known.get(method)
        if found is None:
            found = self.known(method) and all(map(self.known, self.reached(method)))
            self._all_known[method] = found
        return found

    def independent(self, first: Method, second: Method) -> bool:
        """Neither writes a field that the other touches, nor keeps the other from running."""
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
        """The classes on the chains from the method to one of the targets, those of the targets only in passing."""
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
    """the oldest of them only, as the figures of 002 have it: loses executions"""


def temporarily_stable(actor: Actor, actors: Sequence[Actor], statics: Statics, ordered: bool) -> bool:
    """Theorem 1: no other actor can add a task to this one that depends on those it has.

    With `ordered`, the actor's queue has an order, so that condition 2 does not help.
    """
    return all(
        _harmless(method, actor, actors, statics, ordered)
        for other in actors
        if other.processor != actor.processor
        for _, method in other.tasks
    )


def _harmless(method: Method, actor: Actor, actors: Sequence[Actor], statics: Statics, ordered: bool) -> bool:
    if not statics.all_known(method):
        return False
    targets = [called for called in statics.reached(method) if called.owner in actor.classes]
    if not targets:
        return True
    if not ordered and all(statics.independent(target, mine) for target in targets for _, mine in actor.tasks):
        return True
    classes = statics.classes_towards(method, targets)
    return not any(actor.processor in other.refers and not classes.isdisjoint(other.classes) for other in actors)


def awaits_nobody(actor: Actor, pending: Sequence[Pending], enabled: frozenset[str], statics: Statics) -> bool:
    """No task that waits for a future could come in between and depend on one that can run now."""
    methods = dict(actor.tasks)
    waiting = [
        task.move.task
        for task in pending
        if task.move.processor == actor.processor and task.futures and task.move.task not in enabled
    ]
    ready = [method for task, method in actor.tasks if task in enabled]
    return all(task in methods and statics.independent(methods[task], other) for task in waiting for other in ready)


def commits(system: System[State], branches: Iterable[Branch[State]], watched: frozenset[str] = frozenset()) -> bool:
    """Whether the steps are the same whatever other actors do first, apart from the tasks that these may add.

    `watched` are the futures of which other actors may see whether they are resolved.
    """
    for branch in branches:
        footprint = branch.footprint
        if footprint.unknown or footprint.shared:
            return False
        own = {send.task for send in footprint.sends}
        if not own.issuperset(footprint.misses) or not watched.isdisjoint(footprint.resolves):
            return False
        if any(system.policy(send.processor) is not Policy.ANY for send in footprint.sends):
            return False
    return True
