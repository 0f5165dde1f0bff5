"""Runs in the fork: makes the inputs of a candidate, and uses what its call gives."""

from __future__ import annotations

import asyncio
import inspect
import types
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from everypath.languages.python.probing.expressions import (
    PLANNED,
    Assigned,
    Attribute,
    Block,
    Call,
    Expr,
    Given,
    Made,
    Method,
    evaluate,
    evaluate_all,
    method_of,
    prepare,
    resolve,
)
from everypath.languages.python.probing.pretending import Pretended

_MAKING = frozenset({"__init__", "__new__", "__init_subclass__", "__del__", "__getattribute__"})
_MOST_ITEMS = 20
"""Elements that are taken from an iterator."""


def prepared(expr: Expr, made: Made) -> Callable[[], Any]:
    """Make the inputs of a candidate now; what is left is its one call."""
    match expr:
        case Given(call):
            prepare(expr, made)
            return prepared(call, made)
        case Call(module, name, arguments, keywords):
            called = resolve(module, name)
            given, named = evaluate_all(arguments, keywords, made)
            return lambda: called(*given, **named)
        case Method(target, name, arguments, keywords):
            receiver = evaluate(target, made)
            given, named = evaluate_all(arguments, keywords, made)
            method = method_of(receiver, name)
            return lambda: method(*given, **named)
        case Attribute(target, name):
            receiver = evaluate(target, made)
            return lambda: getattr(receiver, name)
        case Assigned(target, name, value):
            receiver, assigned = evaluate(target, made), evaluate(value, made)
            return lambda: setattr(receiver, name, assigned)
        case Block(target, fails):
            manager = evaluate(target, made)
            return lambda: _within(manager, fails)
    return lambda: evaluate(expr, made)


def _within(manager: Any, fails: bool) -> Any:
    with manager as value:
        if fails:
            raise ValueError(PLANNED)
    return value


def how_used(value: Any) -> str:
    """How a result is looked at: a coroutine is run, an iterator used up."""
    if inspect.iscoroutine(value):
        return "run"
    iterates = isinstance(value, types.GeneratorType) or (hasattr(value, "__next__") and hasattr(value, "__iter__"))
    return "list" if iterates else ""


def used(value: Any, is_own: Callable[[types.CodeType], bool]) -> dict[str, Any]:
    """Use up an iterator, run a coroutine, and say what else a result is good for."""
    how = how_used(value)
    if how == "run":
        value = asyncio.run(asyncio.wait_for(value, 5))
    elif how == "list":
        taken = list(islice(value, _MOST_ITEMS))
        return {"how": "start" if len(taken) == _MOST_ITEMS else "list"}
    cls = type(value)
    if "Mock" in cls.__name__ or isinstance(value, Pretended):
        return {"how": how}
    found: dict[str, Any] = {"how": how, "uses": []}
    if isinstance(getattr(cls, "__qualname__", None), str):
        found["class"] = cls.__qualname__
    if hasattr(cls, "__enter__") and hasattr(cls, "__exit__"):
        found["uses"].append("with")
    found["uses"] += _calls(value, is_own)
    return found


def _calls(value: Any, is_own: Callable[[types.CodeType], bool]) -> Iterator[tuple[str, list[Any]]]:
    """What can be called of a result that nothing else offers, with the parameters.

    It may be a function or a class itself, hold functions of the module in its fields, or be of a class inside of a
    function.
    """
    called: dict[str, Any] = {}
    if callable(value) and (not isinstance(value, type) or "<locals>" in value.__qualname__):
        called["__call__"] = value
    for name, held in list(getattr(value, "__dict__", {}).items()) if not isinstance(value, type) else ():
        if isinstance(held, types.FunctionType) and is_own(held.__code__):
            called[name] = held
    if "<locals>" in type(value).__qualname__:
        for name, member in list(vars(type(value)).items()):
            if isinstance(member, types.FunctionType) and is_own(member.__code__) and name not in _MAKING:
                called[name] = getattr(value, name)
    for name, each in called.items():
        try:
            parameters = inspect.signature(each).parameters.values()
        except (TypeError, ValueError):
            continue
        yield name, [(p.name, int(p.kind), p.default is not p.empty) for p in parameters]
