"""An actor program with symbolic inputs as a system that the orders of `concurrency` can explore.

Two executions of a concrete program are equivalent if independent steps changed places. With inputs, a step has
branches, and equivalence is for each input. A branch is known by its label: the blocks that it executed and the
messages that it sent, because these are the same in every order; the choices are not, since what one step has decided
is no choice any more for the next.

`ActorsOfState` answers what Theorem 1 of "Test Case Generation of Actor Systems" asks about the actors of a state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from everypath.concurrency.access import Access
from everypath.concurrency.names import Name, TaskName
from everypath.concurrency.stability import Actor, Method, Statics
from everypath.concurrency.system import Branch, Footprint, Move, Pending, Policy, Send
from everypath.explore.actors.operations import INITIAL, Actors
from everypath.explore.actors.stepping import OutOfTime, Stepper
from everypath.explore.actors.world import BLOCKED, READY, WAITING, Failure, Task, World, world_of
from everypath.explore.state import Chain, Interrupted, Mark, State
from everypath.heap.values import Data, Future, Ref, Unknown, Value
from everypath.ir.program import Program
from everypath.ir.types import ClassType, DataType, FutureType, Type, UnionType
from everypath.logic.clock import now
from everypath.records import replace

OUTPUT = Access("<output>", "text", True, True)
"""Everything printed goes to one place: the order of output is part of the outcome."""


class SymbolicSystem:
    """The executions of a call under test, over all inputs."""

    def __init__(self, stepper: Stepper, actors: Actors) -> None:
        self._stepper = stepper
        self._actors = actors
        self.deadline = float("inf")
        self._cogs: dict[str, Name] = {}
        self._moves: dict[TaskName, Move] = {}
        self._tasks: dict[str, TaskName] = {}
        self._accesses: dict[tuple[Ref | str, str, int], Access] = {}

    def _move(self, name: TaskName) -> Move:
        found = self._moves.get(name)
        if found is None:
            found = self._moves[name] = Move(str(name.cog), str(name))
            self._tasks[found.task] = name
            self._cogs[found.processor] = name.cog
        return found

    def task(self, move: Move) -> TaskName:
        """The task that a move continues."""
        return self._tasks[move.task]

    def enabled(self, state: State) -> list[Move]:
        """The moves possible now, in the order in which their tasks were created."""
        world = world_of(state)
        return [self._move(name) for name in self._stepper.enabled(world)]

    def pending(self, state: State) -> list[Pending]:
        """All tasks that wait for something."""
        world = world_of(state)
        holders = world.holders
        return [
            self._pending(task)
            for task in world.tasks.values()
            if task.status is not READY or task.name.cog in holders or self._actors.ordered
        ]

    def _pending(self, task: Task) -> Pending:
        move = self._move(task.name)
        futures = tuple(str(future) for future in task.futures)
        if task.status is BLOCKED:
            return Pending(move, (), futures, True)
        if task.status is WAITING:
            return Pending(move, tuple(self._access(task.watched, field, 1) for field in task.watches), futures)
        return Pending(move)

    def _access(self, owner: Ref | str, field: str, how: int) -> Access:
        key = (owner, field, how)
        found = self._accesses.get(key)
        if found is None:
            text = owner if isinstance(owner, str) else str(self._actors.name(owner))
            found = self._accesses[key] = Access(text, field, bool(how & 1), bool(how & 2))
        return found

    def step(self, state: State, move: Move) -> list[Branch[State]]:
        """Continue the task in every way that data allows."""
        if now() > self.deadline:
            raise OutOfTime
        made = self._stepper.step(state, self._tasks[move.task])
        branches = [self._branch(move, after) for after in made]
        if len(branches) > 1:
            labels = [_whole(branch.label) for branch in branches]
            if len(set(labels)) < len(labels):
                # Something decided that is not on the trace: nothing is known to commute with such a step.
                branches = [
                    Branch(
                        b.state,
                        replace(b.footprint, unknown=True),
                        (*labels[n], *_made_choices(b.state, state)),
                        b.ended,
                    )
                    for n, b in enumerate(branches)
                ]
        return branches

    def _branch(self, move: Move, state: State) -> Branch[State]:
        if state.world is None:
            # A bound has stopped it: nothing but its trace is left.
            return Branch(state, Footprint(), _marks(state.trace, None), state.outcome)
        world = world_of(state)
        return Branch(state, self._footprint(move, state, world), self._label(state, world), state.outcome)

    def _label(self, state: State, world: World) -> tuple[object, ...]:
        """How data decided, forced or chosen, told by the blocks that were executed; and by the messages, who is
        who.
        """
        marks = _marks(state.trace, world.start)
        return (*marks, *world.sent, *world.told) if world.sent or world.told else marks

    def _footprint(self, move: Move, state: State, world: World) -> Footprint:
        accesses: list[Access] = []
        shared: list[Access] = [OUTPUT] if world.printed else []
        for (owner, field), how in state.touched.items():
            (shared if field is INITIAL else accesses).append(self._access(owner, field, how))
        running = world.running
        assert running is not None
        task = world.tasks.get(running)
        return Footprint(
            tuple(accesses),
            tuple([Send(self._move(sent).task, self._move(sent).processor) for sent in world.sent]),
            tuple(map(str, world.resolved)),
            tuple(map(str, world.gets)),
            tuple(map(str, world.misses)),
            (),
            task is not None and task.status is BLOCKED,
            world.uncertain,
            tuple(shared),
        )

    def outcome(self, state: State) -> Hashable:
        """Whether all tasks have ended, or some wait for ever."""
        world = world_of(state)
        return "deadlock" if world.tasks else "finished"

    def policy(self, processor: str) -> Policy:
        """How the processor chooses among its tasks."""
        return self._actors.policy(self._cogs[processor]) if self._actors.ordered else Policy.ANY


def _whole(label: Hashable) -> tuple[object, ...]:
    assert isinstance(label, tuple)
    return label


def _marks(trace: Chain[Mark | Interrupted], start: Chain[Mark | Interrupted]) -> tuple[object, ...]:
    """The blocks since the start, newest first."""
    found: list[object] = []
    while trace is not start and trace is not None:
        mark, trace = trace
        found.append((mark.mark.number, mark.index) if isinstance(mark, Interrupted) else mark.number)
    return tuple(found)


def _made_choices(state: State, before: State) -> Sequence[int]:
    found = []
    chain = state.choices
    while chain is not before.choices and chain is not None:
        found.append(chain[0])
        chain = chain[1]
    return found


class ActorsOfState:
    """Describes states; with `bound_only`, only by references in fields that are bound already, as the paper does."""

    def __init__(self, program: Program, actors: Actors, statics: Statics, bound_only: bool) -> None:
        self._program = program
        self._actors = actors
        self._statics = statics
        self._bound_only = bound_only
        self._methods: dict[tuple[str, str], Method] = {}
        self._mentioned: dict[Type, frozenset[str]] = {}

    @property
    def statics(self) -> Statics:
        """About the program."""
        return self._statics

    def actors(self, state: State) -> list[Actor]:
        """All actors, the oldest first."""
        world = world_of(state)
        groups: dict[Name, list[Ref]] = {}
        for ref in world.met:
            groups.setdefault(self._actors.name(ref).cog, []).append(ref)
        tasks: dict[Name, list[tuple[str, Method]]] = {}
        for name, task in world.tasks.items():
            cls = task.this.cls if task.this is not None and not task.this.open else self._class(state, task.this)
            tasks.setdefault(name.cog, []).append((str(name), self._method(cls, name.label)))
        return [
            Actor(
                str(cog),
                frozenset(self._class(state, ref) for ref in refs),
                tuple(tasks.get(cog, ())),
                *self._knows(state, world, cog, refs),
            )
            for cog, refs in groups.items()
        ]

    def _method(self, cls: str, name: str) -> Method:
        found = self._methods.get((cls, name))
        if found is None:
            found = self._methods[cls, name] = Method(cls, name)
        return found

    def _class(self, state: State, ref: Ref | None) -> str:
        if ref is None:
            return ""
        return state.heap.class_bound(ref).bound if ref.open else ref.cls

    def _knows(self, state: State, world: World, cog: Name, refs: list[Ref]) -> tuple[frozenset[str], frozenset[str]]:
        """The processors that the actor may refer to, and the unresolved futures that it may look at later."""
        actors: set[str] = set()
        futures: set[str] = set()
        fields = state.heap.fields
        for ref in refs:
            self._add(state, world, actors, futures, fields(ref).values())
        if self._bound_only:
            return frozenset(actors), frozenset()
        for ref in refs:
            for name, field in self._program.all_fields(self._class(state, ref)).items():
                # A field that nothing has read may hold any actor of its type.
                if name not in fields(ref) and ref.input:
                    self._add_possible(state, world, actors, self._mentions(field.type))
        for task in world.tasks.values():
            if task.name.cog is cog:
                self._add(state, world, actors, futures, task.regs)
                frame = task.frame
                while frame.parent is not None:
                    self._add(state, world, actors, futures, frame.saved)
                    frame = frame.parent
        return frozenset(actors), frozenset(futures)

    def _add(
        self, state: State, world: World, actors: set[str], futures: set[str], values: Iterable[Value | Failure]
    ) -> None:
        for value in values:
            if type(value) is Unknown:
                bound = state.heap.bind.get(value, value)
                if bound is value:
                    if not self._bound_only:
                        for option in value.options:
                            self._add_possible(state, world, actors, self._mentions(option))
                    continue
                value = bound
            if type(value) is Ref:
                actors.add(str(self._actors.name(value).cog))
            elif type(value) is Data:
                self._add(state, world, actors, futures, value.arguments)
            elif type(value) is Future and not self._bound_only:
                if value.task in world.results:
                    self._add(state, world, actors, futures, (world.results[value.task],))
                else:
                    futures.add(str(value.task))

    def _add_possible(self, state: State, world: World, actors: set[str], classes: frozenset[str]) -> None:
        """Add all actors of these classes that were there from the start: an unknown reference may be any of them."""
        if not self._actors.aliasing:
            return
        for ref in world.met:
            if ref.input and any(self._program.is_subclass(self._class(state, ref), wanted) for wanted in classes):
                actors.add(str(self._actors.name(ref).cog))

    def _mentions(self, type: Type) -> frozenset[str]:
        """The classes of the references that a value of the type may hold."""
        found = self._mentioned.get(type)
        if found is None:
            classes: set[str] = set()
            self._gather(type, classes, set())
            found = self._mentioned[type] = frozenset(classes)
        return found

    def _gather(self, type: Type, classes: set[str], seen: set[str]) -> None:
        match type:
            case ClassType(name=name):
                classes.add(name)
            case UnionType(options=parts):
                for part in parts:
                    self._gather(part, classes, seen)
            case FutureType(result=result):
                self._gather(result, classes, seen)
            case DataType(name=name, arguments=parts):
                for part in parts:
                    self._gather(part, classes, seen)
                if name not in seen and name in self._program.data:
                    seen.add(name)
                    for arguments in self._program.data[name].constructors.values():
                        for part in arguments:
                            self._gather(part, classes, seen)
