"""Values of actor programs in JSON: what JSON lacks is an object with one key that begins with a dollar."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from everypath.cases.actors import (
    CONS,
    LIBRARY,
    NIL,
    ActorReference,
    DataValue,
    Fraction,
    FutureReference,
    Plain,
    Value,
)
from everypath.errors import BadInput

_ROWS = {
    "$list": (CONS, NIL),
    "$set": (f"{LIBRARY}Insert", DataValue(f"{LIBRARY}EmptySet")),
    "$map": (f"{LIBRARY}InsertAssoc", DataValue(f"{LIBRARY}EmptyMap")),
}
"""Key -> the constructor that adds an element in front, and the value without elements."""


def value_object(value: Value) -> Any:
    """A value before it is printed."""
    match value:
        case Plain(value=float(number)) if not math.isfinite(number):
            return {"$float": repr(number)}
        case Plain(value=atom):
            return atom
        case Fraction(top=top, bottom=bottom):
            return {"$rat": f"{top}/{bottom}"}
        case ActorReference(name=name):
            return {"$ref": name}
        case FutureReference(task=task):
            return {"$future": task}
        case DataValue(constructor=constructor, arguments=arguments):
            for key, (add, empty) in _ROWS.items():
                if constructor in (add, empty.constructor):
                    row = _row(value, add, empty)
                    if row is not None:
                        return {key: [value_object(each) for each in row]}
            shown = [value_object(argument) for argument in arguments]
            return {"$data": {"constructor": constructor, "arguments": shown}}


def _row(value: Value, add: str, empty: DataValue) -> list[Value] | None:
    found = []
    while isinstance(value, DataValue) and value.constructor == add and len(value.arguments) == 2:
        found.append(value.arguments[0])
        value = value.arguments[1]
    return found if value == empty else None


def read_value(shown: Any) -> Value:
    """The value again; BadInput for what is none."""
    if shown is None or isinstance(shown, (bool, int, float, str)):
        return Plain(shown)
    if isinstance(shown, dict) and len(shown) == 1:
        ((key, content),) = shown.items()
        if key in _ROWS and isinstance(content, list):
            add, made = _ROWS[key]
            for element in reversed(content):
                made = DataValue(add, (read_value(element), made))
            return made
        reader = _READERS.get(key)
        if reader is not None:
            try:
                return reader(content)
            except (AttributeError, KeyError, TypeError, ValueError):
                pass
    raise BadInput(f"{shown!r} is no value of a case")


def _read_fraction(text: str) -> Value:
    top, bottom = map(int, text.split("/"))
    if bottom < 2:
        raise ValueError(text)
    return Fraction(top, bottom)


def _read_data(content: dict[str, Any]) -> Value:
    return DataValue(str(content["constructor"]), tuple(map(read_value, content["arguments"])))


_READERS: dict[str, Callable[[Any], Value]] = {
    "$float": lambda text: Plain(float(text)),
    "$rat": _read_fraction,
    "$ref": lambda name: ActorReference(str(name)),
    "$future": lambda task: FutureReference(str(task)),
    "$data": _read_data,
}
