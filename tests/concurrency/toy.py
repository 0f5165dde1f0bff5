"""A small actor language to try the orders on: processors with integer fields, tasks as lists of instructions."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from everypath.concurrency.access import Access
from everypath.concurrency.stability import Actor, Method, Statics
from everypath.concurrency.system import Branch, Canonical, Footprint, Move, Pending, Policy, Send

Instruction = tuple[object, ...]
Condition = tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class Program:
    """`start` are the first tasks: processor and procedure."""

    policies: dict[str, Policy]
    fields: tuple[str, ...]
    procedures: tuple[tuple[Instruction, ...], ...]
    start: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Task:
    processor: str
    procedure: int
    position: int = 0
    sent: int = 0
    last: str | None = None
    condition: Condition = ()
    future: str | None = None
    holding: bool = False


@dataclass(frozen=True)
class ToyState:
    fields: dict[tuple[str, str], int]
    tasks: dict[str, Task]
    queues: dict[str, tuple[str, ...]]
    resolved: frozenset[str] = frozenset()
    inputs: dict[str, bool] = field(default_factory=dict)


class Toy:
    """The language as a system."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.steps = 0
        self.statics = Statics(*_statics(program))

    def initial(self) -> ToyState:
        tasks = {str(i): Task(p, procedure) for i, (p, procedure) in enumerate(self.program.start)}
        queues = {p: tuple(t for t, task in tasks.items() if task.processor == p) for p in self.program.policies}
        return ToyState({(p, f): 0 for p in self.program.policies for f in self.program.fields}, tasks, queues)

    def policy(self, processor: str) -> Policy:
        return self.program.policies[processor]

    def _ready(self, state: ToyState, task: Task) -> bool:
        if task.future is not None and task.future not in state.resolved:
            return False
        return _holds(state, task.processor, task.condition)

    def enabled(self, state: ToyState) -> Sequence[Move]:
        moves: list[Move] = []
        for processor, queue in state.queues.items():
            held = [t for t in queue if state.tasks[t].holding]
            ready = [t for t in held or queue if self._ready(state, state.tasks[t])]
            policy = self.policy(processor)
            if policy is Policy.FIFO:
                ready = ready[:1]
            elif policy is Policy.LIFO:
                ready = ready[-1:]
            moves += [Move(processor, t) for t in sorted(ready)]
        return moves

    def pending(self, state: ToyState) -> Sequence[Pending]:
        return [
            Pending(
                Move(task.processor, name),
                tuple(Access(task.processor, f, True, False) for f, _, _ in task.condition),
                (task.future,) if task.future is not None else (),
                task.holding,
            )
            for name, task in state.tasks.items()
        ]

    def outcome(self, state: ToyState) -> Hashable:
        kind = "deadlock" if state.tasks else "done"
        return kind, tuple(sorted(state.tasks)), _items(state.fields), _items(state.inputs)

    def canonical(self, state: ToyState) -> Canonical:
        ordered = {p: q for p, q in state.queues.items() if self.policy(p) is not Policy.ANY}
        key = (_items(state.fields), _items(state.tasks), _items(ordered), state.resolved, _items(state.inputs))
        return Canonical(key, {name: name for name in state.tasks})

    def actors(self, state: ToyState) -> Sequence[Actor]:
        return [
            Actor(
                processor,
                frozenset([processor]),
                tuple((name, Method(processor, str(state.tasks[name].procedure))) for name in queue),
                frozenset(state.queues),
            )
            for processor, queue in state.queues.items()
        ]

    def step(self, state: ToyState, move: Move) -> Sequence[Branch[ToyState]]:
        self.steps += 1
        return list(self._run(_Step(state, move.task), ()))

    def _run(self, step: _Step, label: tuple[bool, ...]) -> Iterator[Branch[ToyState]]:
        code = self.program.procedures[step.task.procedure]
        while step.task.position < len(code):
            kind, *rest = code[step.task.position]
            step.task = replace(step.task, position=step.task.position + 1)
            match kind, rest:
                case "set", [str(f), int(value)]:
                    step.write(f, value)
                case "add", [str(f), int(value)]:
                    step.write(f, step.read(f) + value)
                case "mix", [str(f), str(g)]:
                    step.write(f, 3 * step.read(f) + step.read(g) + 1)
                case "send", [str(processor), int(procedure)]:
                    step.send(processor, procedure)
                case "if", [str(f), int(value)]:
                    if step.read(f) < value:
                        step.skip()
                case "input", [str(name)]:
                    if name not in step.inputs:
                        for value in (True, False):
                            other = step.fork(name, value)
                            if not value:
                                other.skip()
                            yield from self._run(other, (*label, value))
                        return
                    label = (*label, step.inputs[name])
                    if not step.inputs[name]:
                        step.skip()
                case "end", [why]:
                    yield Branch(step.release(), step.footprint(), label, why)
                    return
                case "suspend", []:
                    yield Branch(step.release(), step.footprint(), label)
                    return
                case "await", [*condition]:
                    if not step.look(condition):  # type: ignore[arg-type]
                        step.task = replace(step.task, condition=tuple(condition))
                        yield Branch(step.release(), step.footprint(), label)
                        return
                case "wait" | "get", []:
                    if step.task.last is not None and not step.resolved_now(step.task.last):
                        step.task = replace(step.task, future=step.task.last, holding=kind == "get")
                        yield Branch(step.release(), step.footprint(holds=kind == "get"), label)
                        return
                case _:
                    raise AssertionError(kind)
        yield Branch(step.end(), step.footprint(resolves=(step.name,)), label)


class _Step:
    """A state being changed by one macro-step."""

    def __init__(self, state: ToyState, name: str) -> None:
        self.name = name
        self.fields = dict(state.fields)
        self.tasks = dict(state.tasks)
        self.queues = dict(state.queues)
        self.resolved = state.resolved
        self.inputs = dict(state.inputs)
        self.task = replace(self.tasks[name], condition=(), future=None, holding=False)
        self.accesses: list[Access] = []
        self.sends: list[Send] = []
        self.gets: list[str] = []
        self.misses: list[str] = []

    def fork(self, name: str, value: bool) -> _Step:
        made = object.__new__(_Step)
        for slot, old in vars(self).items():
            setattr(made, slot, old.copy() if isinstance(old, dict | list) else old)
        made.inputs[name] = value
        return made

    def read(self, f: str) -> int:
        self.accesses.append(Access(self.task.processor, f, True, False))
        return self.fields[self.task.processor, f]

    def write(self, f: str, value: int) -> None:
        self.accesses.append(Access(self.task.processor, f, False, True))
        self.fields[self.task.processor, f] = value

    def look(self, condition: Condition) -> bool:
        values = [_compare(self.read(f), relation, value) for f, relation, value in condition]
        return all(values)

    def skip(self) -> None:
        self.task = replace(self.task, position=self.task.position + 1)

    def send(self, processor: str, procedure: int) -> None:
        name = f"{self.name}.{self.task.sent}"
        self.task = replace(self.task, sent=self.task.sent + 1, last=name)
        self.tasks[name] = Task(processor, procedure)
        self.queues[processor] = (*self.queues[processor], name)
        self.sends.append(Send(name, processor))

    def resolved_now(self, task: str) -> bool:
        found = task in self.resolved
        (self.gets if found else self.misses).append(task)
        return found

    def footprint(self, resolves: tuple[str, ...] = (), holds: bool = False) -> Footprint:
        return Footprint(
            tuple(self.accesses), tuple(self.sends), resolves, tuple(self.gets), tuple(self.misses), (), holds
        )

    def _without(self) -> tuple[str, ...]:
        return tuple(t for t in self.queues[self.task.processor] if t != self.name)

    def release(self) -> ToyState:
        self.tasks[self.name] = self.task
        self.queues[self.task.processor] = (*self._without(), self.name)
        return ToyState(self.fields, self.tasks, self.queues, self.resolved, self.inputs)

    def end(self) -> ToyState:
        del self.tasks[self.name]
        self.queues[self.task.processor] = self._without()
        return ToyState(self.fields, self.tasks, self.queues, self.resolved | {self.name}, self.inputs)


def _items(mapping: dict) -> tuple:  # type: ignore[type-arg]
    return tuple(sorted(mapping.items(), key=repr))


def _compare(value: int, relation: str, bound: int) -> bool:
    return value >= bound if relation == ">=" else value <= bound


def _holds(state: ToyState, processor: str, condition: Condition) -> bool:
    return all(_compare(state.fields[processor, f], relation, value) for f, relation, value in condition)


def _statics(program: Program) -> tuple[dict, dict, dict, frozenset[Method]]:  # type: ignore[type-arg]
    calls, reads, writes = {}, {}, {}
    blocking = set()
    for processor in program.policies:
        for i, code in enumerate(program.procedures):
            method = Method(processor, str(i))
            calls[method] = frozenset(Method(str(c[1]), str(c[2])) for c in code if c[0] == "send")
            writes[method] = frozenset(str(c[1]) for c in code if c[0] in ("set", "add", "mix"))
            reads[method] = frozenset(
                [str(x) for c in code if c[0] in ("add", "mix", "if") for x in c[1:] if isinstance(x, str)]
                + [str(part[0]) for c in code if c[0] == "await" for part in c[1:]]  # type: ignore[index]
            )
            if ("get",) in code:
                blocking.add(method)
    return calls, reads, writes, frozenset(blocking)


def random_program(seed: int, *, ordered: bool = True, inputs: bool = True, waits: bool = True) -> Program:
    """A program whose executions all end: a procedure calls only those after it."""
    rng = random.Random(seed)
    processors = ["P", "Q", "R"][: rng.randint(1, 3)]
    policies = {p: rng.choice(list(Policy)) if ordered and rng.random() < 0.4 else Policy.ANY for p in processors}
    fields = ("a", "b", "c")[: rng.randint(1, 3)]
    count = rng.randint(2, 4)
    procedures = []
    for i in range(count):
        code = []
        for _ in range(rng.randint(1, 4)):
            kinds = ["set", "add", "mix", "if", "suspend"]
            kinds += ["await", "await", "wait", "get"] if waits else []
            kinds += ["send", "send"] if i + 1 < count else []
            kinds += ["input"] if inputs else []
            kind = rng.choice(kinds)
            f, g = rng.choice(fields), rng.choice(fields)
            code.append(
                {
                    "set": ("set", f, rng.randint(0, 2)),
                    "add": ("add", f, 1),
                    "mix": ("mix", f, g),
                    "if": ("if", f, 1),
                    "input": ("input", rng.choice("xy")),
                    "suspend": ("suspend",),
                    "await": (
                        "await",
                        *(
                            (rng.choice(fields), rng.choice([">=", "<="]), rng.randint(0, 1))
                            for _ in range(rng.randint(1, 2))
                        ),
                    ),
                    "wait": ("wait",),
                    "get": ("get",),
                    "send": ("send", rng.choice(processors), rng.randint(min(i + 1, count - 1), count - 1)),
                }[kind]
            )
        procedures.append(tuple(code))
    start = tuple((rng.choice(processors), rng.randrange(count)) for _ in range(rng.randint(1, 3)))
    return Program(policies, fields, tuple(procedures), start)
