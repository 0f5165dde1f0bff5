"""How cases look in the JSON that users see: which keys their parts have, as a table.

`schema.json` beside this file describes the result. Cases of actor programs can be read back, for `replay` takes such
a file too; those of calls leave out what only the writer of tests needs.
"""

from __future__ import annotations

from typing import Any

from everypath.cases.actor_json_values import read_value, value_object
from everypath.cases.actors import ActorCase, ActorExpected, ActorState, Deadlock, Task, Wait, names_of
from everypath.cases.actors import Value as ActorValue
from everypath.cases.codec import Codec, Form, Shape, Tags
from everypath.cases.model import (
    Arguments,
    BuildStep,
    CallCase,
    Entry,
    Expected,
    Heap,
    HeapState,
    Inputs,
    Lambda,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Opaque,
    Pointer,
    Raised,
    SequenceState,
    Step,
    StreamState,
    TupleValue,
    UnusedState,
    Value,
    Written,
)
from everypath.paths import (
    AnyValue,
    Ingredient,
    KnownInputs,
    LeftOut,
    MadeInputs,
    NewObject,
    OpenInputs,
    QueuedTasks,
    SameObject,
    Several,
    Start,
)

_CASE = "id name entry inputs expected condition trace schedule covers start choices"


def _value(value: Value) -> Any:
    """JSON for what JSON has; everything else is an object with one key that begins with a dollar."""
    match value:
        case Literal(value=atom):
            return JSON.encode(type(atom), atom)
        case TupleValue(items=items):
            return {"$tuple": [_value(item) for item in items]}
        case Pointer(id=target):
            return {"$ref": target}
        case Named(module=module, name=name, bits=bits):
            return {"$name": f"{module}.{name}" if bits is None else f"{module}.{name}({bits})"}
        case Opaque(kind=kind):
            return {"$opaque": kind}
        case Lambda():
            return {"$lambda": str(value)}
        case Written(expression=expression):
            return {"$written": expression}


def _state(state: HeapState) -> dict[str, Any]:
    match state:
        case ObjectState(cls=cls, module=module, fields=fields):
            return {"class": f"{module}.{cls}", "fields": {name: _value(value) for name, value in fields}}
        case SequenceState(kind=kind, items=items):
            return {kind: [_value(item) for item in items]}
        case MappingState(kind=kind, entries=entries, factory=factory):
            written: dict[str, Any] = {kind: [[_value(key), _value(value)] for key, value in entries]}
            return {**written, "factory": factory} if factory else written
        case UnusedState(cls=cls, module=module):
            return {"class": f"{module}.{cls}", "fields": {}}
        case StreamState(text=text, place=place, closed=closed):
            return {"class": "io.StringIO", "fields": {"text": text, "place": place, "closed": closed}}


def _expected(expected: Expected) -> dict[str, Any]:
    outcome = expected.outcome
    shown = JSON.encode(Raised, outcome) if isinstance(outcome, Raised) else {"returns": _value(outcome.value)}
    return {**shown, "heap": JSON.encode(Heap, expected.heap)}


def _ready(inputs: Inputs) -> Any:
    """The objects right before the call, where calls made them."""
    return JSON.encode(Heap, inputs.ready) if inputs.steps else None


def _step(text: str) -> Step:
    file, _, line = text.rpartition(":")
    return Step(file, int(line))


def _actors(actors: tuple[ActorState, ...]) -> dict[str, Any]:
    shown = [JSON.encode(ActorState, actor) for actor in actors]
    return {actor.pop("name"): actor for actor in shown}


def _read_actors(shown: dict[str, Any]) -> tuple[ActorState, ...]:
    return tuple(JSON.decode(ActorState, {**actor, "name": name}) for name, actor in shown.items())


JSON = Codec(
    {
        CallCase: Shape(f"{_CASE} validated"),
        ActorCase: Shape(f"{_CASE} executions validated names", {"names": names_of}),
        Entry: Shape("module file line class=cls name kind observed?"),
        Step: Form(lambda step: f"{step.file}:{step.line}", _step),
        Start: Tags("inputs", open=OpenInputs, known=KnownInputs, made=MadeInputs, queued=QueuedTasks),
        Ingredient: Tags("make", any=AnyValue, nothing=LeftOut, same=SameObject, new=NewObject, several=Several),
        NewObject: Shape("class=cls arguments calls"),
        Inputs: Shape("receiver? arguments heap steps? ready? replaced?", {"ready": _ready}),
        BuildStep: Shape("object=target class method arguments", {"class": lambda step: f"{step.module}.{step.cls}"}),
        Arguments: Form(lambda arguments: {name: _value(value) for name, value, _ in arguments}),
        Value: Form(_value),
        HeapState: Form(_state),
        Expected: Form(_expected),
        Raised: Shape("raises=cls module implicit message line"),
        ActorExpected: Shape("returns=result? actors failures deadlock output"),
        ActorState: Shape("name class=cls processor fields"),
        tuple[ActorState, ...]: Form(_actors, _read_actors),
        Task: Shape("task=name actor method arguments"),
        Deadlock: Shape("waits cycle"),
        Wait: Shape("task actor method file line waits_for"),
        ActorValue: Form(value_object, read_value),
    }
)
