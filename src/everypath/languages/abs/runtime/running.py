"""The running step: what translated code asks for while it runs, and what it has touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from everypath.concurrency.names import Name, Reference, TaskName
from everypath.errors import LimitReached
from everypath.languages.abs.frontend.program import INIT
from everypath.languages.abs.runtime.compile import RUN, ClassCode, Compiled
from everypath.languages.abs.runtime.state import Failure, Frame, Instance, State, Task
from everypath.languages.abs.runtime.values import FAILURES, UNIT, Data, Raised, no_value
from everypath.logic.clock import now

NEVER = float("inf")
_OFTEN = 1_023
"""A mask, one less than a power of two: the clock is read once in 1,024 turns or calls."""


class OutOfTime(Exception):
    """The time for the search is over."""


class Running:
    """One macro-step. The attributes `next`, `result`, `callee`, `method` and `arguments` carry what a piece says."""

    __slots__ = (
        "_calls", "_classes", "_compiled", "_seed", "_turns", "arguments", "callee", "cog", "created", "current",
        "deadline", "draws", "drew", "gets", "killed", "method", "misses", "next", "resolved", "result", "sent",
        "state", "task", "texts", "touched", "turns_left",
    )  # fmt: skip

    def __init__(self, compiled: Compiled, seed: int, turns: int) -> None:
        self._compiled = compiled
        self._classes: dict[str, ClassCode] = compiled.classes
        self._seed = seed
        self._turns = turns
        self._calls = 0
        self.deadline = NEVER
        """the time at which a step gives up, however far it is"""
        self.next = 0
        self.result: Any = None
        self.callee: Any = None
        self.method = ""
        self.arguments: tuple[Any, ...] = ()
        self.draws: Mapping[str, Sequence[int]] = {}
        """task -> random numbers that are fixed in advance"""
        self.drew: list[tuple[str, int]] | None = None
        """random numbers that were drawn, and by whom; None while nobody wants to know"""

    def begin(self, state: State, task: Task) -> None:
        """Begin a step of this task."""
        self.state = state
        self.current = task
        self.task = task.name
        self.cog: Name = task.name.cog
        self.turns_left = self._turns
        self.touched: dict[Reference, Instance] = {}
        """the objects of this step, with what was read and written"""
        self.sent: list[TaskName] = []
        self.created: list[Reference] = []
        self.resolved: list[TaskName] = []
        self.gets: dict[TaskName, None] = {}
        """futures found resolved"""
        self.misses: dict[TaskName, None] = {}
        self.texts: list[str] = []
        self.killed = False

    def turn(self) -> None:
        """Called when a loop goes round once more; endless loops end here."""
        left = self.turns_left = self.turns_left - 1
        if left < 0:
            raise LimitReached("loop", f"a task ran {self._turns} loop iterations without releasing its cog")
        if not left & _OFTEN and now() > self.deadline:
            raise OutOfTime

    def called(self) -> None:
        """Called when something begins that may call itself, and so may take long without a loop."""
        self._calls += 1
        if not self._calls & _OFTEN and now() > self.deadline:
            raise OutOfTime

    def instance(self, reference: Reference) -> Instance:
        """An object's fields, copied for this step to change."""
        found = self.touched.get(reference)
        if found is None:
            found = self.touched[reference] = self.state.objects[reference].copy()
            self.state.objects[reference] = found
        return found

    def allocate(self, class_name: str, arguments: tuple[Any, ...], cog: Name | None) -> Reference:
        """A new object whose fields have their first values, but whose init block has not run."""
        current = self.current
        current.created += 1
        reference = current.name.child_object(current.created, class_name, cog)
        made = self.touched[reference] = Instance(reference, list(arguments))
        self._classes[class_name].build(made, made.values)
        self.state.objects[reference] = made
        self.created.append(reference)
        return reference

    def create(self, class_name: str, arguments: tuple[Any, ...], cog: Name | None) -> Reference:
        """`new` for a class whose init block does not wait: it runs at once, in the new object's cog."""
        reference = self.allocate(class_name, arguments, cog)
        methods = self._classes[class_name].methods
        init = methods.get(INIT)
        if init is not None:
            made = self.touched[reference]
            before, self.cog = self.cog, reference.cog
            assert init.native is not None
            init.native(made, made.values)
            self.cog = before
        if RUN in methods:
            self.start(reference)
        return reference

    def start(self, reference: Reference) -> None:
        """Let an object's `run` begin."""
        self.post(reference, RUN, (), True)

    def send(self, target: Reference | None, method: str, arguments: tuple[Any, ...]) -> TaskName:
        """`target!method(arguments)`"""
        return self.post(target, method, arguments, False)

    def drop(self, target: Reference | None, method: str, arguments: tuple[Any, ...]) -> None:
        """`target!method(arguments);`, a call whose future nobody keeps."""
        self.post(target, method, arguments, not self._compiled.keeps_futures)

    def post(self, target: Reference | None, method: str, arguments: tuple[Any, ...], unused: bool) -> TaskName:
        """Send an object a message, which creates a task."""
        if target is None:
            raise no_value()
        current, state = self.current, self.state
        current.created += 1
        name = current.name.child_task(current.created, method, target)
        if target in state.dead:
            state.futures[name] = Failure(Data(f"{FAILURES}ObjectDeadException"), self._here())
            self.resolved.append(name)
            return name
        code = self._classes[target.label].methods[method]
        frame = Frame(code, target, slots_for(code.slots, arguments) if code.native is None else list(arguments))
        state.tasks[name] = Task(name, [frame], unused)
        state.enqueue(target.cog, name)
        self.sent.append(name)
        return name

    def _here(self) -> Any:
        return self.current.frames[-1].code.span

    def is_resolved(self, future: TaskName | None) -> bool:
        """Whether a result is there; the step depends on the answer."""
        if future is None:
            raise no_value()
        found = future in self.state.futures
        (self.gets if found else self.misses)[future] = None
        return found

    def take(self, future: TaskName) -> Any:
        """The result of a task that has ended; if it ended with an exception, that is raised again."""
        self.gets[future] = None
        value = self.state.futures[future]
        if value.__class__ is Failure:
            self.state.failed.pop(future, None)
            raise Raised(value.value, value.span)
        return value

    def println(self, text: str) -> Data:
        """Print a line."""
        self.texts.append(text + "\n")
        return UNIT

    def print(self, text: str) -> Data:
        """Print."""
        self.texts.append(text)
        return UNIT

    def random(self, below: int) -> int:
        """A number from 0 on, less than `below`; the same for the same seed, task and turn, in every schedule."""
        current = self.current
        current.drawn += 1
        task = str(current.name)
        fixed = self.draws.get(task, ())
        if current.drawn <= len(fixed):
            number = fixed[current.drawn - 1]
        else:
            key = f"{self._seed}/{task}/{current.drawn}".encode()
            number = int.from_bytes(blake2b(key, digest_size=16).digest()) % below if below > 0 else 0
        if self.drew is not None:
            self.drew.append((task, number))
        return number


def slots_for(count: int, arguments: tuple[Any, ...]) -> list[Any]:
    """The slots of a frame that begins with these arguments."""
    return [None, None, None, *arguments, *[None] * (count - 3 - len(arguments))]
