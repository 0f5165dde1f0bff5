"""What else a run shows about its call: arguments that were left to their defaults, functions that an input was handed.

A condition on a parameter with a default, or on an attribute of it, says nothing about any input as long as the
argument is left out; so it is to be given. And a function that the program hands to a mock waits to be called: an
application is given `start_response`, a pool the work to do.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from everypath.languages.python.probing.expressions import Call, Expr, Method, place_of, within
from everypath.languages.python.probing.outside import GIVE, MADE, Place, described

_NOWHERE: tuple[int, tuple[str, ...]] = (-1, ())
Told = tuple[str, int, tuple[tuple[str, int, bool, str], ...]]


def left_out(candidate: Expr, node: ast.expr, frame: FrameType) -> Iterator[Place]:
    """The argument that decides what an expression is, where the call under test leaves it to its default."""
    whole = node
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    _, call = within(candidate)
    if not isinstance(node, ast.Name) or not isinstance(call, (Call, Method)):
        return
    if node.id not in _without_argument(call, frame.f_code):
        return
    value = frame.f_locals.get(node.id)
    if node is whole:
        yield (*_NOWHERE, GIVE, node.id, False, described(value))
        return
    place = place_of(type(value))
    if place is not None and value is not None:
        yield (*_NOWHERE, GIVE, node.id, False, "None", MADE, *place)


def _without_argument(call: Call | Method, code: CodeType) -> list[str]:
    """The parameters of the function under test that its call gives nothing for; none if this is another function."""
    name = call.name.rpartition(".")[2]
    bound = isinstance(call, Method) or code.co_name == "__init__"
    if code.co_name not in (name, "__init__"):
        return []
    names = list(code.co_varnames[: code.co_argcount])
    own = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    given = {each for each, _ in call.keywords}
    free = [*names[len(call.arguments) + (bound and names[:1] in (["self"], ["cls"])) :], *own]
    return [each for each in free if each not in given]


def told_about(function: Any, position: int) -> Told | None:
    """What a function that was handed to an input takes, as plain data."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    told = tuple((p.name, int(p.kind), p.default is not p.empty, _written(p.annotation)) for p in parameters)
    return "calls", position, told


def _written(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return annotation.__name__
    return str(annotation).replace("typing.", "").replace("collections.abc.", "")
