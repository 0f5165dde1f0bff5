"""What ABS code asks about its own actor and task."""

from __future__ import annotations

from everypath.explore.actors.world import world_of
from everypath.explore.outcomes import Died
from everypath.explore.signals import Ended
from everypath.explore.state import State
from everypath.heap.values import Data, Future, Ref, Value
from everypath.languages.abs.semantics.registry import native


@native("same_processor")
def same_processor(st: State, this: Ref, other: Value) -> bool:
    """Whether a synchronous call stays on the processor of the caller."""
    world = world_of(st)
    mark = st.trace[0] if st.trace is not None else None
    callee = world.actors.callee(st, other, f"call {getattr(mark, 'number', 0)}")
    return callee not in world.dead and world.actors.name(callee).cog is world.actors.name(this).cog


@native("die")
def die(st: State, this: Ref, exception: Data) -> Value:
    """End the task and its object, whatever handlers there are."""
    raise Ended(Died(exception, exception.constructor, False, st.span()))


@native("destiny")
def destiny(st: State) -> Future:
    """The future of the running task."""
    return Future(world_of(st).running)
