"""Macro-steps: continue one task until it releases its processor, blocks it or ends, in all the ways data allows.

Between these points no other task of the processor can run, so only macro-steps are put in different orders ("Test Case
Generation of Actor Systems", section 2). The task's frame is put into the state, the machine runs it through all
choices of data, and what is left of the task goes back into the world.

When the task rests, the conditions that other tasks of its processor await are computed anew, as a part of the same
step, if they look at a field that the step has written. So a state always tells which tasks can go on, and a condition
that depends on the input forks where it was changed, not where somebody happens to look at it.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.concurrency.names import TaskName
from everypath.concurrency.system import Policy
from everypath.explore.actors.operations import Actors
from everypath.explore.actors.world import BLOCKED, READY, WAITING, Failure, Task, World, world_of
from everypath.explore.machine import Machine
from everypath.explore.outcomes import Died, Finished, Outcome, Paused, Uncaught
from everypath.explore.state import Frame, State
from everypath.heap.values import Data
from everypath.logic.clock import now
from everypath.records import replace

CHECK_EVERY = 256
"""The clock is read once in this many ways to go on within a step."""


class OutOfTime(Exception):
    """The time for the search is over."""


class Stepper:
    """Takes macro-steps of one exploration."""

    def __init__(self, machine: Machine, actors: Actors) -> None:
        self._machine = machine
        self._actors = actors

    def able(self, world: World, task: Task) -> bool:
        """Whether the task could go on, apart from its turn in the queue."""
        status = task.status
        if status is BLOCKED:
            return task.futures[0] in world.results
        if world.holders and task.name.cog in world.holders:
            return False
        return status is READY or (task.holds and all(future in world.results for future in task.futures))

    def enabled(self, world: World) -> list[TaskName]:
        """The tasks that can be continued, in the order of their creation."""
        able = [name for name, task in world.tasks.items() if self.able(world, task) or self._polls(world, task)]
        return [name for name in able if self._is_next(world, name, able)] if self._actors.ordered else able

    def _polls(self, world: World, task: Task) -> bool:
        """Whether the task may take its turn only to find that it still has to wait."""
        return self._actors.options.poll and task.status is WAITING and task.name.cog not in world.holders

    def _is_next(self, world: World, name: TaskName, able: Sequence[TaskName]) -> bool:
        policy = self._actors.policy(name.cog)
        if policy is Policy.ANY or world.tasks[name].status is BLOCKED:
            return True
        queue = world.queues[name.cog]
        return next(n for n in (queue if policy is Policy.FIFO else reversed(queue)) if n in able) is name

    def step(self, state: State, name: TaskName) -> list[State]:
        """The states after continuing the task; a state that a bound or a defect has ended has its outcome."""
        machine = self._machine
        first = state.copy()
        world = world_of(first)
        task = world.tasks[name]
        if not self._begin(first, world, task):
            return [first]
        # The machine's own list, for the time of this step: branches of data within the step are explored depth first
        # here, whatever the search outside does.
        waiting, machine.waiting = machine.waiting, []
        work = machine.waiting
        work.append(first)
        done: list[State] = []
        turns = 0
        while work:
            turns += 1
            if turns % CHECK_EVERY == 0 and now() > machine.deadline:
                machine.waiting = waiting
                raise OutOfTime
            st = work.pop()
            if st.outcome is None:
                machine.run(st)
            if st.outcome is None:
                assert st.successors is not None
                work.extend(reversed(st.successors))
            elif self._settle(st):
                work.append(st)
            else:
                done.append(st)
        machine.waiting = waiting
        return done

    def _begin(self, st: State, world: World, task: Task) -> bool:
        """Put the task into the state, ready to run; False if a bound does not allow it to be taken from its queue."""
        name = task.name
        world.begin(task, st.trace)
        world.created = task.created
        world.remove(name)
        st.touched = {}
        if task.status is BLOCKED:
            world.release(name.cog)
            world.gets = task.futures
        else:
            world.dequeue(name)
            for criterion in self._actors.criteria:
                if not criterion.may_take(world, task):
                    # `optimal` compares what steps do in different orders, so the step is finished before the execution
                    # ends.
                    if not self._actors.ends_steps:
                        st.outcome = criterion.cut
                        return False
                    world.over = criterion.cut
            if self._actors.options.poll and not self.able(world, task):
                world.put(task)
                world.enqueue(name)
                return False
            if task.status is WAITING:
                world.gets = task.futures
                # That the condition holds is read here: whoever writes these fields is in a race with this step.
                for field in task.watches:
                    st.touched[task.watched, field] = 1
        st.frame = task.frame
        st.regs = list(task.regs)
        st.next = task.next
        st.decisions = task.decisions
        st.outcome = None
        st.raised = None
        return True

    def _settle(self, st: State) -> bool:
        """Conclude a run; return whether there is more to run in this step."""
        outcome = st.outcome
        assert outcome is not None
        if st.world is None:
            return False
        world = world_of(st)
        if world.probing is not None:
            return self._probed(st, world, outcome)
        running = world.running
        assert running is not None
        match outcome:
            case Finished(value=value):
                if world.recovering is None:
                    world.resolve(running, value)
                else:
                    self._fail(world, running, world.recovering, survives=value is True)
            case Uncaught(exception=exception, span=span):
                assert isinstance(exception, Data)
                if world.recovering is None and type(outcome) is not Died and self._recover(st, world, outcome):
                    return True
                self._fail(world, running, world.recovering or Failure(exception, span))
            case Paused():
                pass
            case _:
                return False
        st.outcome = world.over
        if world.over is not None:
            return False
        st.frame, st.regs, st.next, st.raised = None, [], None, None
        world.todo = self._to_probe(st, world, running)
        return self._probe(st, world)

    def _to_probe(self, st: State, world: World, running: TaskName) -> tuple[TaskName, ...]:
        """The waiting tasks of the processor whose condition looks at something that the step has written.

        They come in the same order whichever of them began to wait first, since equivalent executions must do the same.
        """
        written = {key for key, how in st.touched.items() if how & 2}
        if not written:
            return ()
        found = [
            name
            for name in world.queues.get(running.cog, ())
            if name is not running
            and (task := world.tasks[name]).again is not None
            and any((task.regs[0], field) in written for field in task.watches)
        ]
        return tuple(sorted(found, key=str) if len(found) > 1 else found)

    def _probe(self, st: State, world: World) -> bool:
        """Start to compute the next condition; False if there is none left."""
        if not world.todo:
            world.probing = None
            return False
        name, *rest = world.todo
        task = world.tasks[name]
        world.probing, world.todo = name, tuple(rest)
        assert task.again is not None
        st.frame, st.regs, st.next = task.frame, list(task.regs), task.again
        st.decisions = task.decisions
        return True

    def _probed(self, st: State, world: World, outcome: Outcome) -> bool:
        assert world.probing is not None
        task = world.tasks[world.probing]
        match outcome:
            case Paused(holds=holds, futures=futures):
                world.put(replace(task, holds=holds, futures=futures))
                world.told = (*world.told, (task.name, holds))
            case Uncaught():
                # A condition that cannot be computed lets the task go on, to fail.
                assert task.again is not None
                world.put(replace(task, holds=True, next=task.again))
            case _:
                return False
        st.outcome = None
        st.frame, st.regs, st.next, st.raised = None, [], None, None
        return self._probe(st, world)

    def _recover(self, st: State, world: World, outcome: Uncaught) -> bool:
        """Let the object's class say whether the object survives the failure of a task; False if it says nothing."""
        this = world.this
        code = self._actors.recovery(st, this) if this is not None else None
        if code is None:
            return False
        exception = outcome.exception
        assert isinstance(exception, Data)
        world.recovering = Failure(exception, outcome.span)
        st.frame = Frame(code, None, (), 0, None, None, 0)
        st.regs, st.next = [this, exception, *code.blank], code.entry
        st.outcome = st.raised = None
        return True

    def _fail(self, world: World, running: TaskName, failure: Failure, survives: bool = False) -> None:
        """End a task with an exception that it does not handle, and with it its object, unless that recovers."""
        world.recovering = None
        world.resolve(running, failure)
        this = world.this
        if survives:
            world.failed = {other: failed for other, failed in world.failed.items() if other is not running}
        if this is None or survives:
            return
        # Whatever other tasks of the object were about to do is gone, which no footprint describes.
        world.uncertain = True
        world.dead = {**world.dead, this: None}
        for other in [task for task in world.tasks.values() if task.this is this]:
            name = other.name
            world.remove(name)
            if world.holders.get(name.cog) is name:
                world.release(name.cog)
            else:
                world.dequeue(name)
            world.results = {**world.results, name: failure}
            world.resolved = (*world.resolved, name)
