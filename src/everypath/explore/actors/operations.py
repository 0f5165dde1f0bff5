"""What generated code does with actors: create one, send a message, await, get a result, suspend.

A message to a reference that is an input follows the three rules for asynchronous calls in section 3 of "Test Case
Generation of Actor Systems": the reference is known already; or it is another name of an actor that was there from the
start; or it is an actor of its own, which belongs to the input from now on. Actors that the program has created are no
candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everypath.concurrency.names import InitialReference, Name, Reference, TaskName
from everypath.concurrency.system import Policy
from everypath.errors import LimitReached, Unsupported
from everypath.explore.actors.criteria import Criterion
from everypath.explore.actors.world import BLOCKED, READY, WAITING, Failure, Task, world_of
from everypath.explore.calls import Calls
from everypath.explore.code import Code
from everypath.explore.objects import Restrict, possible_classes
from everypath.explore.outcomes import Paused
from everypath.explore.signals import Fault, Raise
from everypath.explore.state import Compiled, Frame, Segment, State
from everypath.heap.choice import Fork, decide
from everypath.heap.store import ClassBound, without_null
from everypath.heap.values import Data, Future, Ref, Unknown, Value
from everypath.ir.instructions import Await, GetField
from everypath.ir.operands import targets
from everypath.ir.program import Program
from everypath.ir.types import NONE, ClassType, FutureType, Type
from everypath.logic import terms
from everypath.logic.terms import Term
from everypath.options import ActorOptions

PAUSED = Paused()
INITIAL = "<initial>"
"""A made-up field: which reference is which of the initial actors of a class."""
RECOVER = "<recover>"
"""The method of a class that takes an exception and says whether the object goes on."""
DEFERRED = 100
"""A step that creates this many actors beyond the bound is stopped before its end."""


class Actors:
    """The operations of one exploration, and the names of its actors."""

    def __init__(self, program: Program, options: ActorOptions, aliasing: bool, policies: Mapping[str, Policy]) -> None:
        self.program = program
        self.options = options
        self.aliasing = aliasing
        self._policies = policies
        """class -> how its actors choose among their tasks; actors of other classes take any"""
        self.ordered: dict[Name, Policy] = {}
        """the processors whose queues have an order"""
        self.criteria: tuple[Criterion, ...] = ()
        self.ends_steps = False
        """whether a step that goes beyond a criterion runs to its end before it stops the execution

        Then what a step does is the same in whatever order steps are made, which `optimal` relies on.
        """
        self.calls: Calls | None = None
        """set once the machine is there"""
        self._names: dict[Ref, Reference] = {}
        self._ways: dict[str, InitialReference] = {}
        self._made: dict[Reference, Ref] = {}
        self._frames: dict[int, Frame] = {}
        self._watches: dict[tuple[int, str], tuple[str, ...]] = {}
        self._drawn: dict[tuple[TaskName, int], Term] = {}
        self._futures: dict[Unknown, tuple[TaskName, Value]] = {}

    def operations(self) -> dict[str, Any]:
        """The names that generated segments use."""
        return {
            "OBSERVED": True,
            "EVERY_ITERATION": self.options.bound_concrete,
            "spawn": self.spawn,
            "new_actor": self.new_actor,
            "wait": self.wait,
            "get_result": self.get_result,
            "suspend": self.suspend,
        }

    def name(self, ref: Ref) -> Reference:
        """The name of an actor: how it came to be, or the way to it."""
        found = self._names.get(ref)
        if found is None:
            assert ref.input
            # Parts of different constructors may lie on the same way; only one of them is there at a time.
            found = self._ways.get(ref.name)
            if found is None:
                found = self._ways[ref.name] = InitialReference(ref.name)
            self._names[ref] = found
        return found

    def new_actor(self, st: State, cls: str, beside: Ref | None, place: str) -> Ref:
        """Create an object, on a processor of its own or on that of another."""
        world = world_of(st)
        if beside is None:
            self._appears(st, place, True)
        running = world.running
        assert running is not None
        world.created += 1
        name = running.child_object(world.created, cls, None if beside is None else self.name(beside).cog)
        ref = self._made.get(name)
        if ref is None:
            ref = self._made[name] = Ref(cls, str(name))
            self._names[ref] = name
        st.heap.cells[ref] = {}
        world.met = {**world.met, ref: None}
        if self._policies and beside is None:
            self._note_policy(name, cls)
        return ref

    def _note_policy(self, cog: Name, cls: str) -> None:
        policy = self._policies.get(cls, Policy.ANY)
        if self.ordered.setdefault(cog, policy) is not policy:
            raise Unsupported(f"{cog} may be of classes whose queues have different policies")

    def policy(self, cog: Name) -> Policy:
        """How a processor chooses among its tasks."""
        return self.ordered.get(cog, Policy.ANY) if self.ordered else Policy.ANY

    def _appears(self, st: State, place: str, created: bool) -> None:
        """Let the criteria object to an actor that appears."""
        world = world_of(st)
        for criterion in self.criteria:
            if not criterion.may_appear(world, place, created):
                if not self.ends_steps or world.excess == DEFERRED:
                    raise LimitReached(criterion.cut.kind)
                world.excess += 1
                world.over = criterion.cut

    def spawn(self, st: State, receiver: Value, method: str, args: tuple[Value, ...], place: str) -> Future:
        """Send a message, by the three rules: the callee is known, another name of a known actor, or a new one."""
        world = world_of(st)
        ref = self.callee(st, receiver, place)
        running = world.running
        assert running is not None
        world.created += 1
        name = running.child_task(world.created, method, self.name(ref))
        # A call of a dead object has failed at once; its task never exists.
        if ref in world.dead:
            world.results = {**world.results, name: Failure(Data(self.program.profile.dead_error), st.span())}
            world.resolved = (*world.resolved, name)
            return Future(name)
        self.post(st, name, ref, args)
        world.sent = (*world.sent, name)
        return Future(name)

    def post(self, st: State, name: TaskName, ref: Ref, args: tuple[Value, ...]) -> None:
        """Put a task into the queue of the actor's processor."""
        world = world_of(st)
        code = self._code(self._class_of(st, ref), name.label)
        frame = self._frames.get(id(code))
        if frame is None:
            frame = self._frames[id(code)] = Frame(code, None, (), 0, None, None, 0)
        world.put(Task(name, ref, frame, (ref, *args, *code.blank), code.entry))
        world.enqueue(name)

    def _code(self, cls: str, method: str) -> Code:
        found = self.program.find_method(cls, method)
        if found is None:
            raise Unsupported(f"the class {cls} has no method {method}")
        assert self.calls is not None
        return self.calls.load(self.calls.callee(found))

    def recovery(self, st: State, ref: Ref) -> Code | None:
        """What decides whether an actor survives an exception that none of its methods handles."""
        cls = self._class_of(st, ref)
        return self._code(cls, RECOVER) if self.program.find_method(cls, RECOVER) is not None else None

    def _class_of(self, st: State, ref: Ref) -> str:
        return st.heap.class_bound(ref).bound if ref.open else ref.cls

    def callee(self, st: State, receiver: Value, place: str) -> Ref:
        """The actor that a reference is; an unknown one is decided together with its class."""
        world = world_of(st)
        ref = self._resolved(st, receiver)
        if ref is None:
            raise Fault(self.program.profile.null_error)
        if ref.input:
            self.decide_class(st, ref)
            if ref.open:
                world.told = (*world.told, st.heap.class_bound(ref).bound)
            if ref not in world.met:
                self._appears(st, place, False)
                self.meet(st, ref)
        return ref

    def meet(self, st: State, ref: Ref) -> None:
        """Let an actor that was there from the start take part from now on."""
        world = world_of(st)
        world.met = {**world.met, ref: None}
        if self._policies:
            self._note_policy(self.name(ref), self._class_of(st, ref))

    def _resolved(self, st: State, receiver: Value) -> Ref | None:
        if type(receiver) is not Unknown:
            assert receiver is None or isinstance(receiver, Ref)
            return receiver
        heap = st.heap
        if receiver not in heap.bind:
            options = heap.options(receiver)
            if NONE in options:
                # Otherwise inputs are taken to be right, and a reference to which something is sent is not null.
                if self.options.input_errors:
                    heap.is_null(receiver)
                else:
                    heap.narrow(receiver, without_null(options))
        ref = heap.resolve(receiver)
        if self.aliasing and ref is not None:
            self._note_identity(st, receiver)
        assert ref is None or isinstance(ref, Ref)
        return ref

    def _note_identity(self, st: State, receiver: Unknown) -> None:
        """Note that the identity of an unknown reference is decided once, and that whoever asks later depends on it."""
        world = world_of(st)
        first = receiver not in world.used
        if first:
            world.used |= {receiver}
        for option in receiver.options:
            if isinstance(option, ClassType):
                for cls in self.program.subclasses(option.name):
                    key = (cls, INITIAL)
                    st.touched[key] = st.touched.get(key, 0) | (3 if first else 1)

    def decide_class(self, st: State, ref: Ref) -> None:
        """Settle the class of an actor that was there from the start."""
        heap = st.heap
        if not ref.open and self.program.classes[ref.cls].abstract:
            raise unimplemented(self.program, ref.cls, ref.name)
        if heap.class_bound(ref).exact:
            return
        classes = possible_classes(heap, ref)
        if not classes:
            raise unimplemented(self.program, ref.cls, ref.name)
        if len(classes) > 1:
            raise Fork(tuple(Restrict(ref, ClassBound(cls, exact=True)) for cls in classes))
        heap.restrict(ref, ClassBound(classes[0], exact=True))

    def future(self, st: State, value: Value) -> TaskName:
        """The task of a future; a future that is an input has its result from the start."""
        if type(value) is Unknown:
            options = st.heap.options(value)
            wanted = next((o for o in options if isinstance(o, FutureType)), None)
            assert wanted is not None
            return self._input_future(st, value, wanted.result)
        if value is None:
            raise Fault(self.program.profile.null_error)
        assert isinstance(value, Future)
        task: TaskName = value.task
        return task

    def _input_future(self, st: State, unknown: Unknown, type: Type) -> TaskName:
        world = world_of(st)
        known = self._futures.get(unknown)
        if known is None:
            name = TaskName(None, 0, unknown.name, None)
            known = self._futures[unknown] = (name, st.heap.inputs.fresh(type, f"{unknown.name}.get"))
        if known[0] not in world.results:
            world.results = {**world.results, known[0]: known[1]}
        return known[0]

    def input_result(self, unknown: Unknown) -> tuple[TaskName, Value] | None:
        """The future that an input turned out to be, and its result."""
        return self._futures.get(unknown)

    def drawn(self, task: TaskName, number: int) -> Term:
        """The random number with this index that a task draws; all paths share it."""
        found = self._drawn.get((task, number))
        if found is None:
            found = self._drawn[task, number] = terms.int_var(f"random {number + 1} of {task.label}", 0, None)
        return found

    def wait(self, st: State, guards: tuple[Value, ...], target: Segment, again: str) -> Segment | None:
        """`await`: go on if all guards hold, else release the processor."""
        world = world_of(st)
        conditions: list[bool | Term] = []
        futures: list[TaskName] = []
        for guard in guards:
            if guard is True or guard is False or isinstance(guard, Term):
                conditions.append(guard)
            else:
                futures.append(self.future(st, guard))
        # Which of them does not hold makes no difference, and so must not tell executions apart.
        holds = decide(st.pc, terms.and_(*conditions))
        if world.probing is not None:
            st.outcome = Paused(holds, tuple(futures))
            return None
        missing = [future for future in futures if future not in world.results]
        world.gets = (*world.gets, *(future for future in futures if future in world.results))
        if holds and not missing:
            return target
        world.misses = (*world.misses, *missing)
        assert st.frame is not None
        code = st.frame.code
        watches = self._watched(code, again)
        computed = code.segment(again, 0) if watches else None
        self._pause(st, target, WAITING, futures=tuple(futures), holds=holds, again=computed, watches=watches)
        return None

    def _watched(self, code: Compiled, again: str) -> tuple[str, ...]:
        """The fields that the condition of an await may look at."""
        key = (id(code), again)
        found = self._watches.get(key)
        if found is None:
            fields: dict[str, None] = {}
            todo, seen = [again], {again}
            while todo:
                block = code.method.blocks[todo.pop()]
                for instruction in block.instructions:
                    if isinstance(instruction, GetField):
                        fields[instruction.name] = None
                if not isinstance(block.terminator, Await):
                    new = [label for label in targets(block.terminator) if label not in seen]
                    seen.update(new)
                    todo += new
            found = self._watches[key] = tuple(fields)
        return found

    def get_result(self, st: State, dst: int, value: Value, target: Segment, place: tuple[str, int]) -> Segment | None:
        """`get`: take the result if the task waited for it, otherwise block the processor.

        It blocks even if the result is there already: what a step does must not depend on how fast others are.
        """
        world = world_of(st)
        name = self.future(st, value)
        if name in world.gets:
            result = world.take(name)
            if isinstance(result, Failure):
                raise Raise(result.exception)
            st.regs[dst] = result
            return target
        assert st.frame is not None and world.running is not None
        self._pause(st, st.frame.code.segment(*place), BLOCKED, futures=(name,))
        return None

    def suspend(self, st: State, target: Segment) -> None:
        """Release the processor once."""
        self._pause(st, target, READY)

    def _pause(self, st: State, next: Segment, status: str, **details: Any) -> None:
        world = world_of(st)
        running = world.running
        assert running is not None and st.frame is not None
        task = Task(
            running, world.this, st.frame, tuple(st.regs), next, status,
            created=world.created, decisions=st.decisions, begun=True, **details,
        )  # fmt: skip
        world.put(task)
        if status is BLOCKED:
            world.hold(running)
        else:
            world.enqueue(running)
        st.outcome = PAUSED


def unimplemented(program: Program, interface: str, name: str) -> Unsupported:
    """The error for an input that cannot be made, because no class has its interface."""
    shown = interface.removesuffix(".interface")
    advice = f"name the file of one too: {program.profile.several_files}"
    return Unsupported(f"no class implements {shown}, of which {name} is; {advice}")
