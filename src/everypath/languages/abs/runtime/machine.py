"""Takes macro-steps: continues one task until it releases its cog, blocks it or ends.

A task is a stack of frames. The code of a frame is either native, one Python function that runs through, or a list of
pieces, so that a task can rest between two of them without keeping a Python stack. A piece returns the number of the
next one, or says why the task stops: it returned, calls, waits for a guard, asks for a future's value, or lets others
go first.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from everypath.concurrency.names import Name, Reference, TaskName
from everypath.concurrency.system import Policy
from everypath.errors import LimitReached, Span
from everypath.languages.abs.runtime.blocks import AWAIT, CALL, EXCEPTION, GET, HANDLERS, WAITED
from everypath.languages.abs.runtime.compile import DEEPEST, MACHINE, Compiled, Guard, raised_value
from everypath.languages.abs.runtime.expressions import place
from everypath.languages.abs.runtime.running import Running, slots_for
from everypath.languages.abs.runtime.state import BLOCKED, READY, WAITING, Failure, Frame, State, Task
from everypath.languages.abs.runtime.statements import RETURNED
from everypath.languages.abs.runtime.values import Data, Died, Raised, no_value

TURNS = 10_000_000
"""The most loop iterations and tail calls in one macro-step; a task that needs more is taken not to end."""


@contextmanager
def deep_calls() -> Iterator[None]:
    """Inside this block functions of the program may call each other deeply, and no cyclic garbage is collected."""
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(before, DEEPEST))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()


class Machine:
    """Executes a program; holds no state of an execution between two steps."""

    def __init__(
        self, compiled: Compiled, policies: Mapping[str, Policy] | None = None, seed: int = 0, turns: int = TURNS
    ) -> None:
        self.compiled = compiled
        self.policies = dict(policies or {})
        """class -> how a cog chooses whose first object is of this class; other cogs take any task"""
        self.running = Running(compiled, seed, turns)
        compiled.namespace["X"] = self.running
        self.main = TaskName(None, 0, "main", None)
        self.writers: dict[tuple[Reference, int], TaskName] = {}
        """object and field -> the task that wrote it last; kept while a schedule is followed"""

    def initial(self) -> State:
        """The state in which the main block is about to begin."""
        code = self.compiled.main
        assert code is not None
        slots = slots_for(code.slots, ()) if code.native is None else []
        state = State()
        state.tasks[self.main] = Task(self.main, [Frame(code, None, slots)], True)
        state.enqueue(self.main, self.main)
        return state

    def policy(self, cog: Name) -> Policy:
        """How a cog chooses among its tasks."""
        return self.policies.get(cog.label, Policy.ANY) if self.policies else Policy.ANY

    def moves(self, state: State) -> Iterator[TaskName]:
        """The tasks that can be continued, in the order of their creation."""
        for name in state.tasks:
            if self.may_go_on(state, name):
                yield name

    def may_go_on(self, state: State, name: TaskName) -> bool:
        """Whether a task can be continued."""
        task = state.tasks[name]
        return self._can_go_on(state, task) and (not self.policies or self._is_next(state, task))

    def _is_next(self, state: State, task: Task) -> bool:
        """Whether this task is the one that the policy of its cog takes next, of those that could go on."""
        cog = task.name.cog
        policy = self.policy(cog)
        if policy is Policy.ANY or task.status is BLOCKED:
            return True
        queue = state.queues[cog]
        for name in queue if policy is Policy.FIFO else reversed(queue):
            if self._can_go_on(state, state.tasks[name]):
                return name is task.name
        return False

    def _can_go_on(self, state: State, task: Task) -> bool:
        status = task.status
        if status is BLOCKED:
            return task.waited in state.futures
        if state.holders and task.name.cog in state.holders:
            return False
        return status is READY or self.holds(state, task)

    def guard(self, task: Task) -> Guard:
        """What a waiting task waits for."""
        frame = task.frames[-1]
        return frame.code.guards[frame.piece]

    def awaited(self, state: State, task: Task) -> tuple[TaskName | None, ...]:
        """The futures that the guard of a waiting task looks at now; none if evaluating it fails."""
        guard = self.guard(task)
        if guard.futures is None:
            return ()
        try:
            return guard.futures(*self._scope(state, task))
        except MACHINE:
            return ()

    def holds(self, state: State, task: Task) -> bool:
        """Whether the guard of a waiting task holds; a guard that fails lets the task go on, so that the task fails."""
        guard = self.guard(task)
        scope = self._scope(state, task)
        try:
            if guard.futures is not None:
                # A null future is not waited for: the task goes on and fails there.
                for future in guard.futures(*scope):
                    if future not in state.futures:
                        return future is None
            return guard.condition is None or guard.condition(*scope)
        except MACHINE:
            return True

    def _scope(self, state: State, task: Task) -> tuple[list[Any], Any, Any]:
        frame = task.frames[-1]
        running = self.running
        running.task, running.current, running.state = task.name, task, state
        running.turns_left, running.texts = TURNS, []
        if frame.this is None:
            return frame.slots, None, None
        instance = state.objects[frame.this]
        return frame.slots, instance, instance.values

    def step(self, state: State, name: TaskName) -> Running:
        """Continue an enabled task; this changes the state, so fork it first if it is still needed."""
        # The state before may share the task, so a copy of it is changed.
        task = state.tasks[name].copy()
        cog = name.cog
        if task.status is BLOCKED:
            del state.holders[cog]
        else:
            state.dequeue(cog, name)
        running = self.running
        running.begin(state, task)
        task.steps += 1
        try:
            self._run(state, task, running)
        except Died as died:
            self._end(state, task, running, Failure(died.value, self._place(died)))
        except LimitReached as limit:
            limit.span = self._place(limit)
            raise
        if running.texts:
            state.output = (state.output, tuple(running.texts))
        return running

    def _run(self, state: State, task: Task, running: Running) -> None:
        """Run pieces until the task rests or ends."""
        frames = task.frames
        frame = frames[-1]
        status, task.status = task.status, READY
        waited, task.waited = task.waited, None
        resumed = status is not READY
        while True:
            slots, code = frame.slots, frame.code
            instance = running.instance(frame.this) if frame.this is not None else None
            fields = instance.values if instance is not None else None
            try:
                if resumed:
                    resumed = False
                    if status is BLOCKED:
                        assert waited is not None
                        slots[WAITED] = running.take(waited)
                    elif not self._passes(code.guards[frame.piece], slots, instance, fields):
                        raise AssertionError("a task was continued before its guard held")
                if code.native is not None:
                    running.result = code.native(instance, fields, *slots)
                    why = RETURNED
                else:
                    pieces, piece = code.pieces, frame.piece
                    while True:
                        piece = pieces[piece](slots, instance, fields)
                        if piece < 0:
                            why = piece
                            frame.piece = running.next
                            # A guard that holds at once does not end the macro-step.
                            if why != AWAIT or not self._passes(code.guards[frame.piece], slots, instance, fields):
                                break
                            piece = frame.piece
                after = self._after(state, task, running, why)
            except MACHINE as error:
                after = self._handler(state, task, running, error)
            if after is None:
                return
            frame = after

    def _after(self, state: State, task: Task, running: Running, why: int) -> Frame | None:
        """The frame in which the task goes on after a piece has ended for this reason; None if it rests or ends."""
        frames = task.frames
        frame = frames[-1]
        if why == RETURNED:
            frames.pop()
            if not frames:
                self._end(state, task, running, running.result)
                return None
            frames[-1].slots[WAITED] = running.result
            return frames[-1]
        if why == CALL:
            return self._call(state, task, running, frame.slots)
        if why == GET:
            future = frame.slots[WAITED]
            if future is None:
                raise no_value()
            if future not in running.gets:
                self._block(state, task, future)
                return None
            # The task has waited for it in this step, so it is there in every schedule that comes here.
            frame.slots[WAITED] = running.take(future)
            return frame
        self._rest(state, task, WAITING if why == AWAIT else READY)
        return None

    def _passes(self, guard: Guard, slots: list[Any], instance: Any, fields: Any) -> bool:
        """Whether a task may go on past a guard; what the guard looks at becomes part of the step's footprint."""
        running = self.running
        if instance is not None:
            instance.read |= guard.fields
        if guard.futures is not None:
            for future in guard.futures(slots, instance, fields):
                if not running.is_resolved(future):
                    return False
        return guard.condition is None or guard.condition(slots, instance, fields)

    def _call(self, state: State, task: Task, running: Running, slots: list[Any]) -> Frame | None:
        """Make a synchronous call: on the stack within a cog, else as a message and a blocking `get`; None if it
        waits.
        """
        target, method, arguments = running.callee, running.method, running.arguments
        if target is None:
            raise no_value()
        if target.cog is not running.cog or target in state.dead:
            # It blocks even where the object is dead and the result there, as every `get` does.
            self._block(state, task, running.send(target, method, arguments))
            return None
        code = self.compiled.classes[target.label].methods[method]
        if code.native is not None:
            instance = running.instance(target)
            slots[WAITED] = code.native(instance, instance.values, *arguments)
            return task.frames[-1]
        frame = Frame(code, target, slots_for(code.slots, arguments))
        task.frames.append(frame)
        return frame

    def _block(self, state: State, task: Task, future: TaskName) -> None:
        task.status, task.waited = BLOCKED, future
        state.tasks[task.name] = task
        state.holders[task.name.cog] = task.name

    def _rest(self, state: State, task: Task, status: str) -> None:
        task.status = status
        state.tasks[task.name] = task
        state.enqueue(task.name.cog, task.name)

    def _place(self, error: BaseException) -> Span:
        if isinstance(error, Raised) and error.span.file:
            return error.span
        return place(error.__traceback__, self.compiled.spans)

    def _handler(self, state: State, task: Task, running: Running, error: BaseException) -> Frame | None:
        """The frame that goes on after an exception; None if no frame handles it, and then the task has ended."""
        frames = task.frames
        where = self._place(error)
        if not where.file and frames:
            where = resting_place(frames[-1])
        raised = Raised(raised_value(error), where)
        while frames:
            frame = frames[-1]
            handlers = frame.slots[HANDLERS] if frame.code.native is None else None
            if handlers is not None:
                frame.piece, frame.slots[HANDLERS] = handlers
                frame.slots[EXCEPTION] = raised
                return frame
            frames.pop()
        failure = Failure(raised.value, raised.span)
        receiver = task.name.receiver
        if receiver is not None and self._recovers(running, receiver, raised.value):
            self._resolve(state, task, running, failure)
            del state.failed[task.name]
            del state.tasks[task.name]
        else:
            self._end(state, task, running, failure)
        return None

    def _recovers(self, running: Running, receiver: Reference, value: Data) -> bool:
        recover = self.compiled.classes[receiver.label].recover
        if recover is None:
            return False
        instance = running.instance(receiver)
        try:
            return recover(instance, instance.values, value)
        except MACHINE:
            return False

    def _end(self, state: State, task: Task, running: Running, result: Any) -> None:
        """End the task; an exception that it does not handle takes its object along."""
        self._resolve(state, task, running, result)
        del state.tasks[task.name]
        receiver = task.name.receiver
        if result.__class__ is not Failure or receiver is None:
            return
        running.killed = True
        state.dead[receiver] = None
        cog = receiver.cog
        for other in [t for t in state.tasks.values() if t.name.receiver is receiver]:
            del state.tasks[other.name]
            if state.holders.get(cog) is other.name:
                del state.holders[cog]
            else:
                state.dequeue(cog, other.name)
            if not other.unused:
                state.futures[other.name] = result
                running.resolved.append(other.name)

    def _resolve(self, state: State, task: Task, running: Running, result: Any) -> None:
        running.result = result
        if result.__class__ is Failure:
            state.failed[task.name] = result
        if not task.unused:
            state.futures[task.name] = result
        running.resolved.append(task.name)


def resting_place(frame: Frame) -> Span:
    """Where in the source a frame waits, or has just not waited."""
    guard = frame.code.guards.get(frame.piece)
    return guard.span if guard is not None else frame.code.gets.get(frame.piece, frame.code.span)
