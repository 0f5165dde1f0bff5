"""Calls of library code that is run as it is, with arguments fixed where they are symbolic."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from everypath.errors import Unsupported
from everypath.explore import foreign
from everypath.explore.fixing import fixed
from everypath.explore.natives.concrete import NotConcrete, lift, lower
from everypath.explore.natives.patterns import examples
from everypath.explore.natives.table import compute, plain_arguments
from everypath.explore.objects import resolve
from everypath.explore.registry import native
from everypath.explore.state import State
from everypath.heap.equality import sort_of
from everypath.heap.values import Value
from everypath.logic.terms import Term

_MATCHING = frozenset("match search fullmatch sub subn split findall finditer".split())


def call_library(
    st: State, name: str, function: Callable[..., Any], args: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """`function(*args, **keywords)` of the library."""
    args = tuple(resolve(st, value) for value in args)
    module, _, member = name.rpartition(".")
    if module == "re" and member in _MATCHING:
        _match_first(st, name, member, args)
    plain, named = plain_arguments(st, name, args, keywords)
    return compute(st, name, function, plain, named)


def call_method(st: State, receiver: Any, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """`receiver.name(*args, **keywords)` of a library object."""
    function = foreign.attribute(receiver, name)
    shown = f"{type(receiver).__name__}.{name}"
    if not callable(function):
        raise Unsupported(f"calling {shown}, which is no method")
    if not foreign.may_call(name):
        raise Unsupported(f"{shown}(), which depends on when or where it is called")
    args = tuple(resolve(st, value) for value in args)
    if isinstance(receiver, re.Pattern) and name in _MATCHING:
        _match_first(st, f"re.{name}", name, (receiver, *args))
    plain, named = plain_arguments(st, shown, args, keywords)
    return compute(st, shown, function, plain, named)


@native("foreign attribute")
def read_attribute(st: State, value: Any, name: str) -> Value:
    """`value.name` of a library object, where it is no method."""
    return lift(st, foreign.attribute(value, name))


def _match_first(st: State, name: str, member: str, args: tuple[Value, ...]) -> None:
    """Fix the text that is matched: preferably to something that the pattern matches, and to something else."""
    at = 2 if member in ("sub", "subn") else 1
    if len(args) <= at or not isinstance(args[at], Term) or sort_of(args[at]) != "str":
        return
    try:
        pattern = lower(st, args[0])
    except NotConcrete:
        return
    fixed(st, args[at], f"{name}() needs a known text", examples(pattern, member))


@native("foreign operator")
def operate(st: State, op: str, left: Value, right: Value) -> Value:
    """An operator where one side is a library object."""
    try:
        sides = [lower(st, side, pin=f"{op} with an object of the library") for side in (left, right)]
    except NotConcrete as problem:
        raise Unsupported(f"{op} on a library object and {problem}") from None
    return lift(st, foreign.apply(op, *sides))
