"""Calls of library code that is run as it is, with arguments fixed where they are symbolic."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.equality import is_text, sort_of
from everypath.heap.values import BoundMethod, HostObject, Ref, Unread, Value
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.languages.python.natives.concrete import NotConcrete, lift, lower
from everypath.languages.python.natives.iterators import model
from everypath.languages.python.natives.table import compute, plain_arguments
from everypath.languages.python.semantics import host_objects, moments
from everypath.languages.python.semantics.first_uses import take_for_parameters
from everypath.languages.python.semantics.host_objects import Kept, as_host_object, is_foreign
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.registry import DECLINED, native
from everypath.logic import terms
from everypath.logic.terms import Term

_MATCHING = frozenset("match search fullmatch sub subn split findall finditer".split())
_SUBSTITUTING = ("sub", "subn")


def call_library(
    st: State, name: str, function: Callable[..., Any], args: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """`function(*args, **keywords)` of the library."""
    take_for_parameters(st, name, args)
    args = tuple(resolve(st, value) for value in args)
    module, _, member = name.rpartition(".")
    if module == "re" and member in _MATCHING:
        _match_first(st, name, member, args)
        if member in _SUBSTITUTING:
            _substitute(st, name, member, args, keywords)
    if module.startswith("datetime") or name == "datetime.timedelta":
        made = moments.make(st, name, args, {key: resolve(st, value) for key, value in keywords.items()})
        if made is not DECLINED:
            return made
    if any(isinstance(value, Kept) for value in (*args, *keywords.values())):
        from everypath.languages.python.natives import fenced

        return fenced.run(st, name, args, keywords, f"{name}()")
    plain, named = plain_arguments(st, name, args, keywords)
    return compute(st, name, function, plain, named)


def call_method(st: State, receiver: Any, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """`receiver.name(*args, **keywords)` of a library object."""
    if isinstance(receiver, Kept):
        from everypath.languages.python.natives import fenced

        return fenced.call_method(st, receiver, name, args, keywords)
    if isinstance(receiver, moments.Moment):
        result = moments.call(receiver, name, args, keywords)
        if result is not DECLINED:
            return result
        receiver = lower(st, receiver, pin=f"{receiver.kind}.{name}() needs a known value")
    function = host_objects.attribute(receiver, name)
    shown = f"{type(receiver).__name__}.{name}"
    if not callable(function):
        raise Unsupported(f"calling {shown}, which is no method")
    if not host_objects.may_call(name):
        raise Unsupported(f"{shown}(), which depends on when or where it is called")
    args = tuple(resolve(st, value) for value in args)
    if isinstance(receiver, re.Pattern) and name in _MATCHING:
        _match_first(st, f"re.{name}", name, (as_host_object(receiver), *args))
        if name in _SUBSTITUTING:
            _substitute(st, f"re.{name}", name, (as_host_object(receiver), *args), keywords)
    plain, named = plain_arguments(st, shown, args, keywords)
    return compute(st, shown, function, plain, named)


@native("library object")
def read_object(st: State, name: str) -> Value:
    """An immutable object that the library holds under this name."""
    return lift(st, host_objects.library_object(name))


@native("unread library value")
def unread_value(st: State, module: str, name: str) -> Value:
    """A variable of the library that is no plain value, or that depends on where the program runs."""
    return Unread(module, name, "it depends on where the program runs or is no plain value")


@native("sys.stdout.write", "sys.stderr.write")
def write_output(st: State, text: Value) -> Value:
    """Writing to the terminal shows nothing while exploring."""
    text = resolve(st, text)
    if not is_text(text):
        raise Fault("TypeError", f"write() argument must be str, not {type_name(st, text)}")
    return terms.str_len(text)


@native("sys.stdout.flush", "sys.stderr.flush", "sys.audit")
def do_nothing(st: State, *details: Value) -> Value:
    """Nothing waits to be shown, and a test has no hooks that could be told of events."""
    return None


@native("os.fspath")
def fspath(st: State, path: Value) -> Value:
    """`os.fspath(path)` of a text or a path of the library."""
    path = resolve(st, path)
    if sort_of(path) == "str" or isinstance(path, bytes):
        return path
    if is_foreign(path):
        return lift(st, host_objects.attribute(path, "__fspath__")())
    raise Unsupported(f"os.fspath() of a value of type {type_name(st, path)}")


def attribute_of(st: State, value: Any, name: str) -> Value:
    """`value.name` of a library object."""
    if isinstance(value, Kept):
        # Few programs have such objects.
        from everypath.languages.python.natives import fenced

        return fenced.read_attribute(st, value, name)
    found = host_objects.attribute(value, name)
    return BoundMethod(value, name) if callable(found) else read_attribute(st, value, name)


def read_attribute(st: State, value: Any, name: str) -> Value:
    """`value.name` of a library object, where it is no method."""
    value = lower(st, value, pin=f"{type_name(st, value)}.{name} needs a known value")
    return lift(st, host_objects.attribute(value, name))


def ask_kept(st: State, function: str, value: Kept, *more: Value) -> Value:
    """What a builtin function, or one of `operator`, says of an object that stays behind the fence."""
    from everypath.languages.python.natives import fenced

    return fenced.apply(st, function, value, *more)


def is_instance_of(st: State, value: HostObject, cls: ClassRef | NativeRef) -> bool:
    """`isinstance(value, cls)` of a library object."""
    if isinstance(value, Kept):
        return isinstance(cls, NativeRef) and bool(ask_kept(st, "isinstance", value, cls))
    real = host_objects.library_class(cls.name) or host_objects.real_class(cls.name)
    return real is not None and host_objects.is_instance(value, real)


def items_of_kept(st: State, value: Kept) -> tuple[Value, ...]:
    """What iterating over such an object gives."""
    from everypath.languages.python.natives import fenced

    return fenced.iterate(st, value)


def _match_first(st: State, name: str, member: str, args: tuple[Value, ...]) -> None:
    """Fix the text that is matched: preferably to something that the pattern matches, and to something else."""
    at = 2 if member in ("sub", "subn") else 1
    if len(args) <= at or not isinstance(args[at], Term) or sort_of(args[at]) != "str":
        return
    try:
        pattern = lower(st, args[0])
    except NotConcrete:
        return
    from everypath.languages.python.natives.patterns import examples

    fixed(st, args[at], f"{name}() needs a known text", examples(pattern, member))


def _substitute(st: State, name: str, member: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> None:
    """Call a model where the replacement is a function of the program, which gets each match."""
    names = ("pattern", "repl", "string", "count", "flags")
    given = {**dict(zip(names, args)), **keywords}
    function = resolve(st, given.get("repl"))
    if not isinstance(function, (FunctionRef, BoundMethod, ClassRef, NativeRef, Ref)):
        return
    (pattern, count, flags), _ = plain_arguments(
        st, name, (given.get("pattern"), given.get("count", 0), given.get("flags", 0)), {}
    )
    compiled = compute(st, name, re.compile, (pattern, flags), {})
    assert isinstance(compiled, re.Pattern)
    text = given.get("string")
    (found,), _ = plain_arguments(st, name, (text,), {})
    matches = compute(st, name, lambda: list(compiled.finditer(found))[: count or None], (), {})
    asked: list[Value] = [matches, function, found, member == "subn"]
    raise Invoke(model(st, "substituted"), asked)


@native("bytes %")
def format_bytes(st: State, template: bytes, values: Value) -> Value:
    """`template % values`"""
    plain, named = plain_arguments(st, "bytes %", (template, values), {})
    return compute(st, "bytes %", operator.mod, plain, named)


def operate(st: State, op: str, left: Value, right: Value) -> Value:
    """An operator where one side is a library object."""
    if isinstance(left, Kept) or isinstance(right, Kept):
        from everypath.languages.python.natives import fenced

        return fenced.operate(st, op, left, right)
    if isinstance(left, moments.Moment) or isinstance(right, moments.Moment):
        result = moments.operate(st, op, left, right)
        if result is not DECLINED:
            return result
    try:
        sides = [lower(st, side, pin=f"{op} with an object of the library") for side in (left, right)]
    except NotConcrete as problem:
        raise Unsupported(f"{op} on a library object and {problem}") from None
    return compute(st, f"the operator {op}", host_objects.apply, (op, *sides), {})
