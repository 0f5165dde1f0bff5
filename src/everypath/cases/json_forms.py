"""How cases look in the JSON that users see: which keys their parts have, as a table.

`schema.json` beside this file describes the result. Cases of actor programs can be read back, for `replay` takes such
a file too; those of calls leave out what only the writer of tests needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from everypath.cases import actors, model
from everypath.cases.codec import Codec, Form, Shape, Tags
from everypath.errors import BadInput
from everypath.paths import (
    AnyState,
    AnyValue,
    Ingredient,
    KnownInputs,
    LeftOut,
    MadeInputs,
    NewObject,
    OpenInputs,
    QueuedTasks,
    RealRun,
    SameObject,
    Several,
    Start,
)

_ROWS = {
    "$list": (actors.CONS, actors.NIL),
    "$set": (f"{actors.LIBRARY}Insert", actors.DataValue(f"{actors.LIBRARY}EmptySet")),
    "$map": (f"{actors.LIBRARY}InsertAssoc", actors.DataValue(f"{actors.LIBRARY}EmptyMap")),
}
"""Key -> the constructor that adds an element in front, and the value without elements."""


def value_object(value: actors.Value) -> Any:
    """A value of an actor program: what JSON lacks is an object with one key that begins with a dollar."""
    match value:
        case actors.Plain(value=float(number)) if not math.isfinite(number):
            return {"$float": repr(number)}
        case actors.Plain(value=atom):
            return atom
        case actors.Fraction(top=top, bottom=bottom):
            return {"$rat": f"{top}/{bottom}"}
        case actors.ActorReference(name=name):
            return {"$ref": name}
        case actors.FutureReference(task=task):
            return {"$future": task}
        case actors.DataValue(constructor=constructor, arguments=arguments):
            for key, (add, empty) in _ROWS.items():
                if constructor in (add, empty.constructor):
                    row = actors.elements(value, add, empty)
                    if row is not None:
                        return {key: [value_object(each) for each in row]}
            shown = [value_object(argument) for argument in arguments]
            return {"$data": {"constructor": constructor, "arguments": shown}}


def read_value(shown: Any) -> actors.Value:
    """The value again; BadInput for what is none."""
    if shown is None or isinstance(shown, (bool, int, float, str)):
        return actors.Plain(shown)
    if isinstance(shown, dict) and len(shown) == 1:
        ((key, content),) = shown.items()
        if key in _ROWS and isinstance(content, list):
            add, made = _ROWS[key]
            for element in reversed(content):
                made = actors.DataValue(add, (read_value(element), made))
            return made
        reader = _READERS.get(key)
        if reader is not None:
            try:
                return reader(content)
            except (AttributeError, KeyError, TypeError, ValueError):
                pass
    raise BadInput(f"{shown!r} is no value of a case")


def _read_fraction(text: str) -> actors.Value:
    top, bottom = map(int, text.split("/"))
    if bottom < 2:
        raise ValueError(text)
    return actors.Fraction(top, bottom)


def _read_data(content: dict[str, Any]) -> actors.Value:
    return actors.DataValue(str(content["constructor"]), tuple(map(read_value, content["arguments"])))


_READERS: dict[str, Callable[[Any], actors.Value]] = {
    "$float": lambda text: actors.Plain(float(text)),
    "$rat": _read_fraction,
    "$ref": lambda name: actors.ActorReference(str(name)),
    "$future": lambda task: actors.FutureReference(str(task)),
    "$data": _read_data,
}


_CASE = "id name entry inputs expected condition trace schedule covers start choices"


def _value(value: model.Value) -> Any:
    """JSON for what JSON has; everything else is an object with one key that begins with a dollar."""
    match value:
        case model.Literal(value=atom):
            return JSON.encode(type(atom), atom)
        case model.TupleValue(items=items):
            return {"$tuple": [_value(item) for item in items]}
        case model.Pointer(id=target):
            return {"$ref": target}
        case model.Named(module=module, name=name, bits=bits):
            return {"$name": f"{module}.{name}" if bits is None else f"{module}.{name}({bits})"}
        case model.Instance(module=module, name=name):
            return {"$instance": f"{module}.{name}"}
        case model.Opaque(kind=kind):
            return {"$opaque": kind}
        case model.Written(expression=expression):
            return {"$written": expression}


def _state(state: model.HeapState) -> dict[str, Any]:
    match state:
        case model.ObjectState(cls=cls, module=module, fields=fields):
            return {"class": f"{module}.{cls}", "fields": {name: _value(value) for name, value in fields}}
        case model.SequenceState(kind=kind, items=items):
            return {kind: [_value(item) for item in items]}
        case model.MappingState(kind=kind, entries=entries, factory=factory):
            written: dict[str, Any] = {kind: [[_value(key), _value(value)] for key, value in entries]}
            return {**written, "factory": factory} if factory else written
        case model.UnusedState(cls=cls, module=module):
            return {"class": f"{module}.{cls}", "fields": {}}
        case model.StandInState(cls=cls, module=module, fields=fields, answers=answers):
            return {
                "stands_for": f"{module}.{cls}" if cls else "function",
                "fields": {name: _value(value) for name, value in fields},
                "answers": {method: [*map(_answer, given)] for method, given in answers},
            }
        case model.StreamState(text=text, place=place, closed=closed):
            return {"class": "io.StringIO", "fields": {"text": text, "place": place, "closed": closed}}


def _answer(answer: model.Answer) -> Any:
    match answer:
        case model.Gives(value=value):
            return {"gives": _value(value)}
        case model.Throws(cls=cls, module=module, arguments=arguments, keywords=keywords):
            named = {name: _value(value) for name, value in keywords}
            return {
                "raises": f"{module}.{cls}",
                "arguments": [*map(_value, arguments)],
                **({"named": named} if named else {}),
            }


def _asked(call: model.Asked) -> dict[str, Any]:
    shown: dict[str, Any] = {"object": call.target, "method": call.method, "arguments": [*map(_value, call.arguments)]}
    return {**shown, "named": {name: _value(value) for name, value in call.keywords}} if call.keywords else shown


def _expected(expected: model.Expected) -> dict[str, Any]:
    outcome = expected.outcome
    shown = (
        JSON.encode(model.Raised, outcome) if isinstance(outcome, model.Raised) else {"returns": _value(outcome.value)}
    )
    asked = {"asked": [*map(_asked, expected.asked)]} if expected.asked else {}
    files = {"files": {name: _value(value) for name, value in expected.files}} if expected.files else {}
    return {**shown, "heap": JSON.encode(model.Heap, expected.heap), **asked, **files}


def _ready(inputs: model.Inputs) -> Any:
    """The objects right before the call, where calls made them."""
    return JSON.encode(model.Heap, inputs.ready) if inputs.steps else None


def _step(text: str) -> model.Step:
    file, _, line = text.rpartition(":")
    return model.Step(file, int(line))


def _actors(given: tuple[actors.ActorState, ...]) -> dict[str, Any]:
    shown = [JSON.encode(actors.ActorState, actor) for actor in given]
    return {actor.pop("name"): actor for actor in shown}


def _read_actors(shown: dict[str, Any]) -> tuple[actors.ActorState, ...]:
    return tuple(JSON.decode(actors.ActorState, {**actor, "name": name}) for name, actor in shown.items())


JSON = Codec(
    {
        model.CallCase: Shape(f"{_CASE} serves? observed? validated"),
        actors.ActorCase: Shape(f"{_CASE} executions validated names", {"names": lambda case: actors.names_in([case])}),
        model.Entry: Shape("module file line class=cls name kind observed?"),
        model.Step: Form(lambda step: f"{step.file}:{step.line}", _step),
        Start: Tags("inputs", open=OpenInputs, known=KnownInputs, made=MadeInputs, queued=QueuedTasks, run=RealRun),
        Ingredient: Tags(
            "make", any=AnyValue, state=AnyState, nothing=LeftOut, same=SameObject, new=NewObject, several=Several
        ),
        NewObject: Shape("class=cls arguments calls"),
        model.Inputs: Shape("receiver? arguments heap steps? ready? replaced?", {"ready": _ready}),
        model.BuildStep: Shape(
            "object=target class method arguments", {"class": lambda step: f"{step.module}.{step.cls}".lstrip(".")}
        ),
        model.Arguments: Form(lambda arguments: {name: _value(value) for name, value, _ in arguments}),
        model.Value: Form(_value),
        model.HeapState: Form(_state),
        model.Expected: Form(_expected),
        model.Raised: Shape("raises=cls module implicit message line"),
        actors.ActorExpected: Shape("returns=result? actors failures deadlock output"),
        actors.ActorState: Shape("name class=cls processor fields"),
        tuple[actors.ActorState, ...]: Form(_actors, _read_actors),
        actors.Task: Shape("task=name actor method arguments"),
        actors.Deadlock: Shape("waits cycle"),
        actors.Wait: Shape("task actor method file line waits_for"),
        actors.Value: Form(value_object, read_value),
    }
)
