"""Termination criteria of actor programs: what stops a task from being taken or an actor from appearing.

`SwitchBound` is the task-level criterion and `ActorBound` the actor-number criterion, Definitions 2 and 3 of "Test Case
Generation of Actor Systems". Another criterion is a class like these; `ActorExploration` takes any number of them. A
criterion keeps its counts in the world, so that each path has its own.
"""

from __future__ import annotations

from everypath.explore.actors.world import Task, World
from everypath.explore.outcomes import Cut
from everypath.options import ActorOptions


class Criterion:
    """Allows everything; `cut` is the end of an execution that goes beyond the criterion."""

    cut = Cut("depth")

    def may_take(self, world: World, task: Task) -> bool:
        """Whether the task may be taken from its queue; asked once each time."""
        return True

    def may_appear(self, world: World, place: str, created: bool) -> bool:
        """Whether an actor may be created, or one that was there from the start may be met, at this place."""
        return True


class SwitchBound(Criterion):
    """At most this many tasks are taken from the queue of one processor; the start of the call under test is free."""

    cut = Cut("switch")

    def __init__(self, most: int) -> None:
        self._most = most

    def may_take(self, world: World, task: Task) -> bool:
        name = task.name
        if name.parent is None and name.index == 0 and not task.begun:
            return True
        count = world.switches.get(name.cog, 0) + 1
        world.switches = {**world.switches, name.cog: count}
        return count <= self._most


class ActorBound(Criterion):
    """At most this many actors appear at one place in the program; with `spare`, one more may be created."""

    cut = Cut("actor")

    def __init__(self, most: int, spare: bool = False) -> None:
        self._most = most
        self._spare = spare

    def may_appear(self, world: World, place: str, created: bool) -> bool:
        count = world.places.get(place, 0) + 1
        world.places = {**world.places, place: count}
        return count <= self._most + (self._spare and created)


def criteria_of(options: ActorOptions) -> tuple[Criterion, ...]:
    """The criteria that the options name; the machine itself bounds loops, and the start bounds queues."""
    found: list[Criterion] = []
    if options.switches is not None:
        found.append(SwitchBound(options.switches))
    if options.actors is not None:
        found.append(ActorBound(options.actors, options.spare_actor))
    return tuple(found)
