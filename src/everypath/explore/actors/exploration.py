"""The exploration of a method of an actor program: all inputs, and all orders of messages that can be told apart.

It starts with the call under test in the queue of an arbitrary actor, as section 3 of "Test Case Generation of Actor
Systems" does; other actors of the input appear when a message is sent to an unknown reference (`operations.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from everypath.concurrency.executions import Counts, Execution
from everypath.concurrency.executions import Limits as SearchLimits
from everypath.concurrency.names import TaskName
from everypath.concurrency.orders import Order, explore
from everypath.concurrency.stability import Statics, WithoutStable
from everypath.concurrency.system import Policy
from everypath.errors import Internal
from everypath.explore.actors.criteria import Criterion, criteria_of
from everypath.explore.actors.operations import Actors
from everypath.explore.actors.stepping import OutOfTime, Stepper
from everypath.explore.actors.system import ActorsOfState, SymbolicSystem
from everypath.explore.actors.world import World
from everypath.explore.machine import Machine
from everypath.explore.semantics import Semantics
from everypath.explore.state import State
from everypath.heap.inputs import Inputs
from everypath.heap.solver import make_heap
from everypath.heap.values import Ref, Value
from everypath.ir.program import Method
from everypath.ir.types import ClassType
from everypath.logic.clock import now
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.options import Options
from everypath.paths import QueuedTasks, bounds_of
from everypath.records import dataclass, replace

THIS = "this"
"""The name of the actor under test among the inputs."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A task in a queue at the start and its arguments, as they were before anything ran."""

    name: TaskName
    method: Method
    arguments: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Start:
    """The initial state: the actor under test, the call, and other tasks in its queue."""

    state: State
    this: Ref
    queued: tuple[Queued, ...]
    tasks: QueuedTasks
    """what is recorded of it, to begin there again"""


class ActorExploration:
    """What all executions of one method share."""

    def __init__(
        self,
        semantics: Semantics,
        options: Options,
        statics: Statics,
        policies: Mapping[str, Policy] | None = None,
        criteria: Sequence[Criterion] | None = None,
    ) -> None:
        program = self.program = semantics.program
        self.options = options
        self.order = Order(options.actors.order)
        self.decider = Decider(options.solver)
        # Messages need to know which actor they go to, so that nothing is left for the heap solver to put off.
        self._heap = "noalias" if options.heap == "noalias" else "lazy"
        self.inputs = Inputs(
            program, options.solver.int_range, options.limits.fixed_length, knowledge=semantics.knowledge
        )
        self.inputs.input_errors = options.actors.input_errors
        self.inputs.ascending = semantics.ascending
        self.actors = Actors(program, options.actors, self._heap != "noalias", policies or {})
        self.actors.criteria = criteria_of(options.actors) if criteria is None else tuple(criteria)
        self.machine = Machine(semantics, options.limits, actors=self.actors.operations())
        self.actors.calls = self.machine.calls
        # What `optimal` reverses must be the same step in another order, wherever a bound is reached.
        self.machine.whole_cuts = self.actors.ends_steps = self.order is Order.OPTIMAL
        self.system = SymbolicSystem(Stepper(self.machine, self.actors), self.actors)
        self._described = ActorsOfState(program, self.actors, statics, options.actors.bound_references)
        self.counts = Counts()
        self.system.deadline = self.machine.deadline = now() + options.limits.time

    def start(self, cls: str, method: str, queued: Sequence[str] = ()) -> Start:
        """The state in which the call under test, and other calls, are in the queue of an arbitrary actor."""
        state = State(make_heap(self._heap, self.inputs), PathCondition(self.decider))
        world = state.world = World(self.actors)
        this = state.heap.resolve(self.inputs.fresh(ClassType(cls), THIS))
        assert isinstance(this, Ref)
        self.actors.meet(state, this)
        reference = self.actors.name(this)
        found = []
        for number, name in enumerate((method, *queued)):
            body = self.program.find_method(cls, name)
            assert body is not None
            arguments = tuple(
                (
                    param.name,
                    self.inputs.fresh(param.type, param.name if not number else f"{name}{number}.{param.name}"),
                )
                for param in body.params[1:]
            )
            task = TaskName(None, number, name, reference)
            self.actors.post(state, task, this, tuple(value for _, value in arguments))
            found.append(Queued(task, body, arguments))
        world.begin(None, None)
        actors = self.options.actors
        bounds = replace(bounds_of(self.options.limits), switches=actors.switches, actors=actors.actors)
        return Start(state, this, tuple(found), QueuedTasks(bounds, tuple(queued)))

    def replay(self, start: Start, schedule: Sequence[str], choices: tuple[int, ...]) -> State:
        """Follow a recorded path to its end: the schedule names the tasks, the choices decide about data."""
        state = start.state
        for task in schedule:
            moves = [move for move in self.system.enabled(state) if move.task == task]
            after = [branch.state for move in moves for branch in self.system.step(state, move)]
            # The choices within a step are a path in a tree, so just one branch can begin as recorded.
            followed = [s for s in after if s.choice_sequence() == choices[: len(s.choice_sequence())]]
            if len(followed) != 1:
                raise Internal(f"the recorded step of {task} is not possible here; was the code changed?")
            (state,) = followed
        return state

    def executions(self, start: Start) -> Iterator[Execution[State]]:
        """The executions from the state; past the time limit there are no more."""
        try:
            yield from self._executions(start)
        except OutOfTime:
            self.counts.complete = False

    def _executions(self, start: Start) -> Iterator[Execution[State]]:
        actors = self.options.actors
        described = self.order in (Order.STABLE, Order.INDEPENDENT, Order.ROUND_ROBIN)
        return explore(
            self.system,
            start.state,
            self.order,
            limits=SearchLimits(executions=self.options.limits.paths),
            counts=self.counts,
            described=self._described if described else None,
            static=actors.static_independence and self.order is Order.INDEPENDENT,
            without_stable=WithoutStable.OLDEST if actors.oldest_first else WithoutStable.EVERY,
        )
