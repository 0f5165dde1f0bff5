"""What a generated test of an actor program is: actors with their fields, tasks in their queues, an order, an outcome.

Names of actors and tasks are the texts of `concurrency.names`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from everypath.cases.model import Case, Suite
from everypath.records import dataclass

_PATH = re.compile(r"@([\d.]*)#")


@dataclass(frozen=True, slots=True)
class Plain:
    """A number, a truth value, a text or null."""

    value: None | bool | int | float | str


@dataclass(frozen=True, slots=True)
class Fraction:
    """An exact fraction in lowest terms that is no whole number."""

    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class DataValue:
    """A value of an algebraic data type; the constructor by its qualified name."""

    constructor: str
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class ActorReference:
    """An actor, by its name in the case."""

    name: str


@dataclass(frozen=True, slots=True)
class FutureReference:
    """The future of a task, by the task's name in the case."""

    task: str


Value = Plain | Fraction | DataValue | ActorReference | FutureReference

LIBRARY = "ABS.StdLib."
NIL, CONS = DataValue(f"{LIBRARY}Nil"), f"{LIBRARY}Cons"
ROWS = {"Nil": "list", "Cons": "list", "EmptySet": "set", "Insert": "set", "EmptyMap": "map", "InsertAssoc": "map"}


def same_value(first: Value, second: Value) -> bool:
    """Whether two values are equal; 1, 1.0 and True differ, a float that is no number equals itself."""
    while isinstance(first, DataValue) and isinstance(second, DataValue):
        if first.constructor != second.constructor or len(first.arguments) != len(second.arguments):
            return False
        if not first.arguments:
            return True
        if not all(map(same_value, first.arguments[:-1], second.arguments[:-1])):
            return False
        first, second = first.arguments[-1], second.arguments[-1]
    if isinstance(first, Plain) and isinstance(second, Plain):
        mine, theirs = first.value, second.value
        if isinstance(mine, float) and isinstance(theirs, float) and math.isnan(mine):
            return math.isnan(theirs)
        return type(mine) is type(theirs) and mine == theirs
    return first == second


def elements(value: Value, add: str = CONS, empty: DataValue = NIL) -> tuple[Value, ...] | None:
    """The elements of a list, or of what else is made of such constructors; None for what is not."""
    found = []
    while isinstance(value, DataValue) and value.constructor == add and len(value.arguments) == 2:
        found.append(value.arguments[0])
        value = value.arguments[1]
    return tuple(found) if value == empty else None


def quoted(text: str) -> str:
    """A string as ABS writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def shown_value(value: Value, names: Mapping[str, str] | None = None, comma: str = ", ") -> str:
    """A value as ABS shows it, actors and tasks by the given names."""
    known = names or {}
    match value:
        case Plain(value=None):
            return "null"
        case Plain(value=str(text)):
            return quoted(text)
        case Plain(value=atom):
            return str(atom)
        case Fraction(top=top, bottom=bottom):
            return f"{top}/{bottom}"
        case ActorReference(name=name):
            return known.get(name, name)
        case FutureReference(task=task):
            return f"Fut({known.get(task, task)})"
        case DataValue():
            return _shown_data(value, known, comma)


def _shown_data(value: DataValue, names: Mapping[str, str], comma: str) -> str:
    simple = value.constructor.rpartition(".")[2]
    if simple in ROWS and value.constructor.startswith(LIBRARY):
        parts = []
        rest: Value = value
        while isinstance(rest, DataValue) and len(rest.arguments) == 2:
            parts.append(shown_value(rest.arguments[0], names, comma))
            rest = rest.arguments[1]
        return f"{ROWS[simple]}[{comma.join(parts)}]"
    inside = comma.join(shown_value(argument, names, comma) for argument in value.arguments)
    return f"{simple}({inside})" if inside else simple


@dataclass(frozen=True, slots=True)
class ActorState:
    """An object and its fields in order of declaration, class parameters first."""

    name: str
    """for an actor that is there from the start, the way to it: `this`, `this.next`, `ob`"""
    cls: str
    """qualified"""
    processor: str
    """the object whose cog it lives in, itself for most"""
    fields: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Task:
    """An asynchronous call in a queue at the start."""

    name: str
    actor: str
    method: str
    arguments: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class ActorInputs:
    """The actors at the start, and the tasks in their queues: first the call under test, then others in order.

    Both are empty for a main block.
    """

    actors: tuple[ActorState, ...] = ()
    tasks: tuple[Task, ...] = ()
    futures: tuple[tuple[str, Value], ...] = ()
    """futures that have their result at the start"""
    draws: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """task -> the numbers that its calls of `random` give, in order"""

    kind = "actors"


@dataclass(frozen=True, slots=True)
class Turn:
    """One macro-step of a schedule: the task that goes on until it releases its processor, blocks it or ends."""

    task: str
    actor: str
    method: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A task that can never go on."""

    task: str
    file: str
    line: int
    waits_for: str
    actor: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Tasks are left, and none can go on."""

    waits: tuple[Wait, ...]
    cycle: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception that a task did not handle and that no other task learns of by asking for the result."""

    task: str
    exception: Value
    file: str
    line: int
    assertion: bool


@dataclass(frozen=True, slots=True)
class ActorExpected:
    """Everything that can be observed when nothing can go on any more."""

    result: Value | None = None
    """of the call under test; None when it has none: a main block, an exception, or it never ended"""
    actors: tuple[ActorState, ...] = ()
    failures: tuple[Failure, ...] = ()
    deadlock: Deadlock | None = None
    output: str = ""


ActorCase = Case[ActorInputs, ActorExpected, Turn]
"""One input, one order of messages, and what comes out."""
ActorSuite = Suite[ActorCase]
"""The cases of one method or main block."""


def readable_names(actors: Iterable[ActorState], turns: Iterable[Turn]) -> dict[str, str]:
    """Short names: actors from the start by the way to them, others `Class#2`, tasks `Class#2.method` or `main`."""
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for actor in actors:
        if actor.name not in names:
            simple = actor.cls.rpartition(".")[2]
            created = "@" in actor.name
            counts[simple] = counts.get(simple, 0) + created
            names[actor.name] = f"{simple}#{counts[simple]}" if created else actor.name
    for turn in turns:
        if turn.task not in names:
            label = f"{names.get(turn.actor, turn.actor)}.{turn.method}" if turn.actor else turn.method
            counts[label] = counts.get(label, 0) + 1
            names[turn.task] = f"{label} ({counts[label]})" if counts[label] > 1 else label
    return names


def turns_of(case: ActorCase) -> list[Turn]:
    """All tasks that a case mentions: those in the queues, those that are taken, those that wait in vain."""
    waits = case.expected.deadlock.waits if case.expected.deadlock is not None else ()
    return [
        *(Turn(task.name, task.actor, task.method) for task in case.inputs.tasks),
        *case.schedule,
        *(Turn(wait.task, wait.actor, wait.method) for wait in waits if wait.method),
    ]


def names_in(*groups: Iterable[ActorCase]) -> dict[str, str]:
    """Short names that mean the same actor or task in all cases, numbered by creation, the first group first."""
    actors: list[ActorState] = []
    turns: list[Turn] = []
    for cases in groups:
        group = list(cases)
        known = [actor for case in group for actor in (*case.inputs.actors, *case.expected.actors)]
        actors += sorted(known, key=lambda actor: _creation(actor.name))
        turns += sorted((turn for case in group for turn in turns_of(case)), key=lambda turn: _creation(turn.task))
    return readable_names(actors, turns)


def names_of(suite: ActorSuite) -> dict[str, str]:
    """Short names for everything that is told about a suite; what its findings mention has the small numbers."""
    paired = {each for dependence in suite.dependences for each in (dependence.first, dependence.second)}
    told = [case for case in suite.cases if case.finding is not None or case.id in paired]
    return names_in(told, suite.cases)


def _creation(name: str) -> tuple[int, tuple[int, ...]]:
    """Sorts by when something was created, the oldest first."""
    found = _PATH.search(name)
    path = tuple(int(part) for part in found[1].split(".") if part) if found else ()
    return len(path), path


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with short names for those of actors and tasks in it."""
    for name in sorted(names, key=len, reverse=True):
        if "@" in name:
            text = text.replace(name, names[name])
    return text


@dataclass(frozen=True, slots=True)
class WrittenType:
    """A type as ABS writes it, by its qualified name."""

    name: str
    arguments: tuple[WrittenType, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """An argument; an actor may have to be taken for one of another interface than its variable has."""

    value: Value
    interface: str = ""


@dataclass(frozen=True, slots=True)
class Creation:
    """`Interface actor = new Class(arguments);`"""

    actor: str
    cls: str
    interface: str
    arguments: tuple[Given, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A method called on an actor; `interface` when the actor's variable has another one."""

    actor: str
    method: str
    arguments: tuple[Given, ...]
    result: WrittenType
    interface: str = ""


@dataclass(frozen=True, slots=True)
class Observer:
    """A call that changes nothing, and what it gives at the end."""

    call: Call
    value: Value


@dataclass(frozen=True, slots=True)
class WrittenTest:
    """How a case is written in ABS: its actors built through constructors and methods, the call, what is asked then."""

    creations: tuple[Creation, ...]
    setup: tuple[Call, ...]
    """calls that bring the new actors into their state, one after the other"""
    call: Call
    queued: tuple[Call, ...]
    observers: tuple[Observer, ...]
    result: Value | None
    """None where it is not compared, because it is Unit or names an actor that the test does not know"""
    raises: DataValue | None
