"""Finds out how an object with given fields can be made: by its constructor, and by calls of its methods.

A breadth-first search over the values of the fields: it starts with what the constructor gives, tries every public
method with arguments taken from the wanted values, and stops at the shortest sequence of calls that reaches the goal,
or when the limits below are used up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any

from everypath.concurrency.names import Reference, TaskName
from everypath.errors import LimitReached
from everypath.languages.abs.frontend.program import INIT, Class, Method, Program
from everypath.languages.abs.frontend.types import (
    BOOL,
    FLOAT,
    INT,
    RAT,
    STRING,
    DataType,
    InterfaceType,
    Type,
    substituted,
)
from everypath.languages.abs.runtime.compile import MACHINE, RUN
from everypath.languages.abs.runtime.machine import Machine, deep_calls
from everypath.languages.abs.runtime.running import slots_for
from everypath.languages.abs.runtime.state import Failure, Frame, Instance, State, Task
from everypath.languages.abs.runtime.values import Data, Died
from everypath.records import dataclass

_DEEPEST = 4
"""Calls one after the other that are tried."""
_MOST = 400
"""Calls that are tried altogether for one object."""
_ARGUMENTS = 12
"""Combinations of arguments that are tried for one method."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A method and its arguments."""

    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """What a method did that ran by itself to its end: its result, whether it changed nothing, the fields then."""

    result: Any
    pure: bool
    values: tuple[Any, ...]


def constructed(machine: Machine, reference: Reference, arguments: tuple[Any, ...]) -> list[Any] | str:
    """The fields after `new`, with `reference` for the object itself; or why that has other effects."""
    cls = machine.compiled.classes[reference.label]
    init = cls.methods.get(INIT)
    if RUN in cls.methods:
        return "its `run` would begin"
    if init is not None and init.native is None:
        return "its init block waits"
    name = TaskName(None, 0, "new", None)
    running = machine.running
    state = State()
    running.begin(state, Task(name, [], True))
    try:
        with deep_calls():
            made = running.create(reference.label, arguments, None)
    except (*MACHINE, Died, LimitReached):
        return "its constructor fails"
    if running.sent or len(running.created) > 1 or running.texts or running.current.drawn:
        return "its init block does more than set its fields"
    return [reference if value is made else value for value in state.objects[made].values]


def calls_to(
    machine: Machine, reference: Reference, values: Sequence[Any], wanted: Sequence[Any]
) -> tuple[Applied, ...] | None:
    """The fewest calls of public methods that turn one state of the object into another; None if none are found."""
    goal = tuple(wanted)
    start = tuple(values)
    if start == goal:
        return ()
    program = machine.compiled.program
    possible = _applications(program, program.classes[reference.label], _pool(wanted))
    frontier: list[tuple[tuple[Any, ...], tuple[Applied, ...]]] = [(start, ())]
    seen = {start}
    tried = 0
    for _ in range(_DEEPEST):
        following = []
        for state, way in frontier:
            for applied in possible:
                tried += 1
                if tried > _MOST:
                    return None
                ended = alone(machine, State({reference: Instance(reference, list(state))}), reference, applied)
                if ended is None or ended.values in seen:
                    continue
                seen.add(ended.values)
                longer = (*way, applied)
                if ended.values == goal:
                    return longer
                following.append((ended.values, longer))
        frontier = following
    return None


def alone(machine: Machine, state: State, reference: Reference, applied: Applied) -> Ended | None:
    """Run a method on an object that nobody else uses; None when it fails, waits or does something to others."""
    if reference in state.dead or reference.cog in state.holders:
        return None
    code = machine.compiled.classes[reference.label].methods[applied.method]
    name = TaskName(None, len(state.tasks), applied.method, reference)
    slots = slots_for(code.slots, applied.arguments) if code.native is None else list(applied.arguments)
    state = state.fork()
    state.tasks[name] = Task(name, [Frame(code, reference, slots)])
    state.enqueue(reference.cog, name)
    try:
        with deep_calls():
            running = machine.step(state, name)
    except (LimitReached, KeyError):
        return None
    result = state.futures.get(name)
    if name not in state.futures or isinstance(result, Failure):
        return None
    if running.sent or running.created or running.texts or running.current.drawn:
        return None
    if any(other is not reference and instance.written for other, instance in running.touched.items()):
        return None
    written = any(instance.written for instance in running.touched.values())
    return Ended(result, not written, tuple(state.objects[reference].values))


def public_methods(cls: Class) -> Iterator[Method]:
    """The methods that others can call."""
    return (method for method in cls.methods if method.public and method.name != RUN)


def _applications(program: Program, cls: Class, pool: Sequence[Any]) -> list[Applied]:
    found = []
    for method in public_methods(cls):
        choices = [_candidates(program, v.type, pool) for v in method.parameters]
        found += [Applied(method.name, arguments) for arguments in islice(product(*choices), _ARGUMENTS)]
    return found


def _candidates(program: Program, type: Type, pool: Sequence[Any], depth: int = 2) -> list[Any]:
    """Values of a type: those that are there, and for data also those made of what is there."""
    found = [value for value in pool if _fits(program, value, type)]
    data = program.data.get(type.name) if isinstance(type, DataType) else None
    if data is None or not isinstance(type, DataType) or depth == 0 or type == BOOL:
        return found
    meaning = dict(zip(data.parameters, type.arguments))
    for name in data.constructors:
        types = [substituted(argument, meaning) for argument in program.constructors[name].arguments]
        choices = [_candidates(program, argument, pool, depth - 1) for argument in types]
        made = (Data(name, arguments) for arguments in islice(product(*choices), _ARGUMENTS))
        found += [value for value in made if value not in found]
    return found


def _pool(values: Iterable[Any]) -> list[Any]:
    """Values that might be needed as arguments: those in the fields, and what they consist of."""
    found: dict[tuple[type, Any], Any] = {}
    pending = list(reversed(list(values)))
    while pending and len(found) < _MOST:
        value = pending.pop()
        found.setdefault((type(value), value), value)
        if value.__class__ is Data:
            pending.extend(reversed(value.arguments))
    for extra in (None, True, False, 0, 1, ""):
        found.setdefault((type(extra), extra), extra)
    return list(found.values())


def _fits(program: Program, value: Any, type: Type) -> bool:
    """Whether a value is of a type, as far as that can be seen."""
    if isinstance(type, InterfaceType):
        return value is None or (isinstance(value, Reference) and type.name in program.classes[value.label].supers)
    if isinstance(value, bool):
        return type == BOOL
    if isinstance(value, int):
        return type in (INT, RAT)
    if isinstance(value, Fraction):
        return type == RAT
    if isinstance(value, float):
        return type == FLOAT
    if isinstance(value, str):
        return type == STRING
    if value.__class__ is Data and isinstance(type, DataType):
        constructor = program.constructors.get(value.name)
        return constructor is not None and constructor.data == type.name
    return False
