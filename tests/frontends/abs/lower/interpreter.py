"""Executes lowered ABS programs on plain values, one instruction after the other: what the instructions mean.

It shares nothing with the symbolic machine, and with the ABS interpreter only values, names and builtin functions. So a
lowered program that behaves like the original one in both was lowered right.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

from everypath.concurrency.names import Reference, TaskName
from everypath.errors import Unsupported
from everypath.ir import instructions as ins
from everypath.ir.program import Method, Program
from everypath.languages.abs.frontend.profile import DIVISION_BY_ZERO, NULL_POINTER
from everypath.languages.abs.lower import MAIN
from everypath.languages.abs.lower.names import RECOVER
from everypath.languages.abs.runtime import values as library
from everypath.languages.abs.runtime.values import UNIT, Data, Raised, less

OBJECT_DEAD = "ABS.StdLib.Exceptions.ObjectDeadException"
ORDER = {
    "<": lambda a, b: less(a, b),
    ">": lambda a, b: less(b, a),
    "<=": lambda a, b: not less(b, a),
    ">=": lambda a, b: not less(a, b),
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
}
READY, WAITING, BLOCKED = "ready", "waiting", "blocked"


class Died(Exception):
    """`die`"""


class Paused(Exception):
    """The macro-step is over."""


class Failure:
    """The result of a task that an exception has ended."""

    def __init__(self, value: Data) -> None:
        self.value = value


class Frame:
    """A method that has begun."""

    def __init__(self, method: Method, arguments: tuple[Any, ...], dst: int) -> None:
        self.method = method
        self.registers = [*arguments, *[None] * (method.registers - len(arguments))]
        self.label = method.entry
        self.index = 0
        self.dst = dst
        """where the caller wants the result"""

    def go(self, label: str) -> None:
        """Continue at a block."""
        self.label, self.index = label, 0

    def copy(self) -> Frame:
        """An independent frame."""
        made = Frame(self.method, (), self.dst)
        made.registers, made.label, made.index = self.registers.copy(), self.label, self.index
        return made


class Task:
    """A task that has not ended."""

    def __init__(self, name: TaskName, frame: Frame) -> None:
        self.name = name
        self.frames = [frame]
        self.status = READY
        self.waited: Any = None
        self.created = 0
        self.failure: Failure | None = None
        """what its object may recover from"""


class Interpreter:
    """One execution."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.objects: dict[Reference, dict[str, Any]] = {}
        self.tasks: dict[TaskName, Task] = {}
        self.futures: dict[TaskName, Any] = {}
        self.holders: dict[Any, TaskName] = {}
        self.dead: set[Reference] = set()
        self.output = ""
        self.gets: set[TaskName] = set()
        self.task: Task
        main = TaskName(None, 0, "main", None)
        method = program.find_method(*MAIN)
        assert method is not None
        self.tasks[main] = Task(main, Frame(method, (), 0))

    def enabled(self) -> list[TaskName]:
        """The tasks that can be continued, in the order of their creation."""
        return [name for name, task in list(self.tasks.items()) if self._can_go_on(task)]

    def _can_go_on(self, task: Task) -> bool:
        if task.status is BLOCKED:
            return task.waited in self.futures
        if task.name.cog in self.holders:
            return False
        return task.status is READY or self._holds(*self._guards(task))

    def _guards(self, task: Task) -> tuple[ins.Await, Frame]:
        """Execute the blocks of a guard on a copy, up to its `await`; that they raise nothing is what they promise."""
        frame = task.frames[-1].copy()
        wait = frame.method.blocks[frame.label].terminator
        assert isinstance(wait, ins.Await)
        probe = Task(task.name, frame)
        frame.go(wait.again)
        while True:
            top = probe.frames[-1]
            block = top.method.blocks[top.label]
            if top is frame and top.index == len(block.instructions) and block.terminator is wait:
                return wait, frame
            self._one(probe)

    def _holds(self, wait: ins.Await, frame: Frame) -> bool:
        for register in wait.guards:
            guard = frame.registers[register]
            if guard is None:
                raise Raised(Data(NULL_POINTER))
            if isinstance(guard, TaskName):
                if guard not in self.futures:
                    return False
            elif guard is not True:
                assert guard is False
                return False
        return True

    def step(self, name: TaskName) -> None:
        """Continue a task until it releases or blocks its cog, or ends."""
        task = self.task = self.tasks[name]
        self.gets = set()
        if task.status is BLOCKED:
            del self.holders[name.cog]
            self.gets.add(task.waited)
        elif task.status is WAITING:
            # Only the guards were computed anew: the task's own registers are what they were.
            wait, probed = self._guards(task)
            self.gets |= {f for g in wait.guards if isinstance(f := probed.registers[g], TaskName)}
            task.frames[-1].go(wait.target)
        task.status = READY
        try:
            while task.frames:
                self._one(task)
        except Paused:
            # A task that released its cog is behind the others, as in a queue.
            return
        except Died as died:
            self._end(task, Failure(died.args[0]))

    def _one(self, task: Task) -> None:
        """One instruction, exceptions included."""
        frame = task.frames[-1]
        block = frame.method.blocks[frame.label]
        try:
            if frame.index < len(block.instructions):
                instruction = block.instructions[frame.index]
                frame.index += 1
                self._instruction(task, frame, instruction)
            else:
                self._terminator(task, frame, block.terminator)
        except Raised as raised:
            self._unwind(task, raised)

    def _unwind(self, task: Task, raised: Raised) -> None:
        while task.frames:
            frame = task.frames[-1]
            for handler in frame.method.handlers:
                if frame.label in handler.blocks:
                    frame.registers[handler.exception] = raised.value
                    frame.go(handler.target)
                    return
            task.frames.pop()
        assert self.tasks.get(task.name) is task, "a guard raised"
        if task.failure is None:
            task.failure = Failure(raised.value)
            receiver = task.name.receiver
            recover = self.program.find_method(receiver.label, RECOVER) if receiver is not None else None
            if recover is not None:
                task.frames.append(Frame(recover, (receiver, raised.value), 0))
                return
        self._end(task, task.failure)

    def _end(self, task: Task, result: Any) -> None:
        if task.failure is not None and result is not task.failure:
            recovered, result = result, task.failure
        else:
            recovered = False
        self.futures[task.name] = result
        del self.tasks[task.name]
        task.frames = []
        receiver = task.name.receiver if not recovered else None
        if isinstance(result, Failure) and receiver is not None:
            self.dead.add(receiver)
            for other in [t for t in self.tasks.values() if t.name.receiver is receiver]:
                del self.tasks[other.name]
                self.futures[other.name] = result
                if self.holders.get(other.name.cog) is other.name:
                    del self.holders[other.name.cog]

    def _terminator(self, task: Task, frame: Frame, terminator: ins.Terminator) -> None:
        r = frame.registers
        match terminator:
            case ins.Jump(target):
                frame.go(target)
            case ins.Branch(cond, yes, no):
                assert r[cond] is True or r[cond] is False
                frame.go(yes if r[cond] else no)
            case ins.Return(value):
                result, dst = r[value], frame.dst
                task.frames.pop()
                if task.frames:
                    task.frames[-1].registers[dst] = result
                else:
                    self._end(task, result)
            case ins.Throw(exception):
                raise Raised(r[exception])
            case ins.Await(guards, target):
                if not self._holds(terminator, frame):
                    task.status = WAITING
                    raise Paused
                self.gets |= {r[g] for g in guards if isinstance(r[g], TaskName)}
                frame.go(target)
            case ins.Get(dst, future, target):
                self._get(task, frame, dst, r[future], target)
            case ins.Suspend(target):
                frame.go(target)
                raise Paused
            case _:
                raise AssertionError(terminator)

    def _get(self, task: Task, frame: Frame, dst: int, future: TaskName | None, target: str) -> None:
        if future is None:
            raise Raised(Data(NULL_POINTER))
        if future not in self.gets:
            task.status, task.waited = BLOCKED, future
            self.holders[task.name.cog] = task.name
            raise Paused
        result = self.futures[future]
        if isinstance(result, Failure):
            raise Raised(result.value)
        frame.registers[dst] = result
        frame.go(target)

    def _instruction(self, task: Task, frame: Frame, instruction: ins.Instruction) -> None:
        r = frame.registers
        match instruction:
            case ins.Const(dst, value):
                r[dst] = value
            case ins.Move(dst, src):
                r[dst] = r[src]
            case ins.Unary(dst, op, operand):
                r[dst] = not r[operand] if op == "not" else -r[operand]
            case ins.Binary(dst, op, left, right):
                r[dst] = self._binary(op, r[left], r[right])
            case ins.Compare(dst, op, left, right):
                r[dst] = bool(ORDER[op](r[left], r[right]))
            case ins.GetField(dst, obj, name):
                r[dst] = self.objects[r[obj]][name]
            case ins.SetField(obj, name, value):
                self.objects[r[obj]][name] = r[value]
            case ins.TypeTest(dst, obj, (wanted,)):
                r[dst] = r[obj] is not None and self.program.is_subclass(r[obj].label, wanted.name)
            case ins.Construct(dst, constructor, args):
                r[dst] = Data(constructor, tuple(r[a] for a in args))
            case ins.Matches(dst, value, constructor, among):
                assert not among or constructor in among
                r[dst] = r[value].name == constructor
            case ins.Argument(dst, value, constructor, index):
                assert r[value].name == constructor
                r[dst] = r[value].arguments[index]
            case ins.CallStatic(dst, cls, name, args):
                method = self.program.classes[cls].methods[name]
                task.frames.append(Frame(method, tuple(r[a] for a in args), dst))
            case ins.CallVirtual(dst, receiver, name, args):
                method = self.program.classes[r[receiver].label].methods[name]
                task.frames.append(Frame(method, (r[receiver], *(r[a] for a in args)), dst))
            case ins.CallNative(dst, name, args):
                r[dst] = self._native(name, tuple(r[a] for a in args))
            case ins.NewActor(dst, cls, beside):
                task.created += 1
                cog = None if beside is None else r[beside].cog
                r[dst] = task.name.child_object(task.created, cls, cog)
                self.objects[r[dst]] = {}
            case ins.Spawn(dst, receiver, name, args):
                r[dst] = self._spawn(task, r[receiver], name, tuple(r[a] for a in args))
            case ins.EnterLoop() | ins.Iterate():
                pass
            case _:
                raise AssertionError(instruction)

    @staticmethod
    def _binary(op: str, left: Any, right: Any) -> Any:
        if op in ("/", "%") and right == 0:
            raise Raised(Data(DIVISION_BY_ZERO))
        if op == "/" and not isinstance(left, float):
            return library.whole(Fraction(left) / Fraction(right))
        if op == "%":
            return library.remainder(left, right)
        return library.whole(
            {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[op](left, right)
        )

    def _spawn(self, task: Task, receiver: Reference | None, name: str, arguments: tuple[Any, ...]) -> TaskName:
        if receiver is None:
            raise Raised(Data(NULL_POINTER))
        task.created += 1
        made = task.name.child_task(task.created, name, receiver)
        if receiver in self.dead:
            self.futures[made] = Failure(Data(OBJECT_DEAD))
        else:
            method = self.program.classes[receiver.label].methods[name]
            self.tasks[made] = Task(made, Frame(method, (receiver, *arguments), 0))
        return made

    def _native(self, name: str, arguments: tuple[Any, ...]) -> Any:
        match name:
            case "same_processor":
                this, other = arguments
                return other is not None and other not in self.dead and this.cog is other.cog
            case "die":
                raise Died(arguments[1])
            case "destiny":
                return self.task.name
            case "unsupported":
                raise Unsupported(arguments[0])
            case "abs.println":
                self.output += f"{arguments[0]}\n"
                return UNIT
            case "abs.print":
                self.output += arguments[0]
                return UNIT
        return library.PURE[name.removeprefix("abs.")](*arguments)
