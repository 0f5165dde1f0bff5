"""Where paths start, as JSON; `#/$defs/start` in the schemas describes it."""

from __future__ import annotations

import math
from typing import Any

from everypath.paths import (
    AnyValue,
    Bounds,
    Ingredient,
    KnownInputs,
    LeftOut,
    MadeInputs,
    NewObject,
    OpenInputs,
    Plain,
    QueuedTasks,
    SameObject,
    Several,
    Start,
)
from everypath.records import asdict

_ANY, _LEFT_OUT = "any", "left out"


def start_object(start: Start) -> dict[str, Any]:
    """A start before it is printed."""
    bounds = {name: bound for name, bound in asdict(start.bounds).items() if bound is not None}
    match start:
        case OpenInputs(invariant=invariant):
            return {"inputs": "open", "bounds": bounds, **_invariant(invariant)}
        case KnownInputs(values=values):
            return {"inputs": "known", "bounds": bounds, "values": [[name, _plain(value)] for name, value in values]}
        case MadeInputs(recipe=recipe, invariant=invariant):
            made = [_ingredient(each) for each in recipe]
            return {"inputs": "made", "bounds": bounds, "recipe": made, **_invariant(invariant)}
        case QueuedTasks(methods=methods):
            return {"inputs": "queued", "bounds": bounds, "methods": list(methods)}


def _invariant(invariant: str | None) -> dict[str, str]:
    return {} if invariant is None else {"invariant": invariant}


def _plain(value: Plain) -> Any:
    """JSON has no infinite numbers."""
    return {"$float": repr(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _ingredient(ingredient: Ingredient) -> Any:
    match ingredient:
        case AnyValue():
            return _ANY
        case LeftOut():
            return _LEFT_OUT
        case SameObject(place=place):
            return {"same": place}
        case Several(kind=kind, items=items, option=option):
            return {kind: [_ingredient(item) for item in items], "option": option}
        case NewObject(cls=cls, arguments=arguments, calls=calls):
            return {
                "new": cls,
                "arguments": [_ingredient(each) for each in arguments],
                "calls": [[method, [_ingredient(each) for each in given]] for method, given in calls],
            }


def read_start(shown: dict[str, Any]) -> Start:
    """The start again; KeyError, TypeError or ValueError for what is none."""
    bounds = Bounds(**shown["bounds"])
    match shown["inputs"]:
        case "open":
            return OpenInputs(bounds, shown.get("invariant"))
        case "known":
            return KnownInputs(bounds, tuple((name, _read_plain(value)) for name, value in shown["values"]))
        case "made":
            return MadeInputs(bounds, tuple(map(_read_ingredient, shown["recipe"])), shown.get("invariant"))
        case "queued":
            return QueuedTasks(bounds, tuple(shown["methods"]))
    raise ValueError(f"unknown inputs {shown['inputs']!r}")


def _read_plain(shown: Any) -> Plain:
    value: Plain = float(shown["$float"]) if isinstance(shown, dict) else shown
    return value


def _read_ingredient(shown: Any) -> Ingredient:
    match shown:
        case "any":
            return AnyValue()
        case "left out":
            return LeftOut()
        case {"same": place}:
            return SameObject(place)
        case {"list": items, "option": option}:
            return Several("list", tuple(map(_read_ingredient, items)), option)
        case {"tuple": items, "option": option}:
            return Several("tuple", tuple(map(_read_ingredient, items)), option)
        case {"new": cls, "arguments": arguments, "calls": calls}:
            made = tuple((method, tuple(map(_read_ingredient, given))) for method, given in calls)
            return NewObject(cls, tuple(map(_read_ingredient, arguments)), made)
    raise ValueError(f"{shown!r} is no way to make an input")
