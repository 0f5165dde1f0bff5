"""Matches the arguments of a call with the parameters of the method."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.errors import Unsupported
from everypath.explore.objects import resolve
from everypath.explore.semantics import MISUSE
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap import mappings
from everypath.heap.values import DictCell, Ref, Value
from everypath.ir.instructions import NoDefault, Param, StaticDefault
from everypath.ir.program import Method
from everypath.languages.python.semantics.kinds import get_static, reference, user_method
from everypath.languages.python.semantics.registry import native
from everypath.logic.terms import Term

_MISSING = object()


def bind_arguments(st: State, method: Method, args: list[Value], keywords: dict[str, Value]) -> list[Value]:
    """One value per parameter, in order; the language's type error when they do not fit."""
    bound: dict[str, Value] = {}
    rest = list(args)
    for param in method.params:
        if param.kind in ("normal", "positional") and rest:
            bound[param.name] = rest.pop(0)
        elif param.kind == "star":
            bound[param.name] = tuple(rest)
            rest = []
    if rest:
        _fail(st, method, f"takes {_positional(method)} positional arguments but {len(args)} were given")
    extra: dict[str, Value] = {}
    names = {p.name for p in method.params if p.kind in ("normal", "keyword")}
    for name, value in keywords.items():
        if name not in names:
            extra[name] = value
        elif name in bound:
            _fail(st, method, f"got multiple values for argument {name!r}")
        else:
            bound[name] = value
    for param in method.params:
        if param.kind == "doublestar":
            pairs = tuple(extra.items())
            extra = {}
            bound[param.name] = st.heap.new_object("dict", DictCell(pairs))
    if extra:
        _fail(st, method, f"got an unexpected keyword argument {next(iter(extra))!r}")
    missing = [p for p in method.params if p.name not in bound and isinstance(p.default, NoDefault)]
    if missing:
        _fail(st, method, _missing_message(missing))
    return [bound[p.name] if p.name in bound else _default(st, p) for p in method.params]


def any_keywords(params: Sequence[Param]) -> dict[str, tuple[str, ...]]:
    """The parameter that takes any keyword arguments, if there is one, with the names that other parameters take."""
    taken = tuple(param.name for param in params if param.kind in ("normal", "keyword"))
    return {param.name: taken for param in params if param.kind == "doublestar"}


SPREAD, SPREAD_RECORD = "spread", "spread_record"
"""the native functions that call their first argument with a tuple and a dict of arguments"""


def spread_arguments(st: State, args: Value, named: Value) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a call with `*` and `**`, one by one."""
    keywords: dict[str, Value] = {}
    for key, value in mappings.entries(st.heap, st.pc, reference(resolve(st, named))):
        name = resolve(st, key)
        if isinstance(name, Term):
            known = st.pc.value(name)
            if known is None:
                raise Unsupported("calling with `**` and a symbolic name")
            name = known
        if not isinstance(name, str):
            raise Fault("TypeError", "keywords must be strings")
        keywords[name] = value
    given = resolve(st, args)
    assert isinstance(given, tuple)
    return list(given), keywords


@native("merge_keywords")
def merge_keywords(st: State, named: Ref, more: Value) -> Value:
    """Add the arguments of `**more` to those of a call."""
    more = resolve(st, more)
    cell = st.heap.cells[more] if isinstance(more, Ref) else None
    if not isinstance(more, Ref) or not isinstance(cell, DictCell) or cell.kind != "dict":
        if user_method(st, more, "keys") is not None:
            raise Unsupported("`**` of an object that is no dict")
        raise Fault("TypeError", "argument after ** must be a mapping")
    known = mappings.entries(st.heap, st.pc, named)
    for key, value in mappings.entries(st.heap, st.pc, more):
        if known and mappings.find(st.heap, st.pc, named, key) is not None:
            raise Fault("TypeError", "got multiple values for a keyword argument")
        known = (*known, (key, value))
    st.heap.cells[named] = DictCell(known)
    return None


def _default(st: State, param: Param) -> Value:
    default = param.default
    if isinstance(default, StaticDefault):
        return get_static(st, default.cls, default.name)
    if isinstance(default, NoDefault):
        raise Unsupported(f"the parameter {param.name} has no value")
    return default


def _positional(method: Method) -> int:
    return sum(p.kind in ("normal", "positional") for p in method.params)


def _missing_message(missing: list[Param]) -> str:
    names = [repr(p.name) for p in missing]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"missing {len(names)} required positional argument{'s' * (len(names) > 1)}: {listed}"


def _fail(st: State, method: Method, message: str) -> None:
    # A function that takes any arguments and hands them on has the signature of what it calls: arguments that do not
    # fit there are as wrong as they would be in a direct call.
    caller = None if st.frame is None else st.frame.code.method
    own = () if caller is None or caller.model else caller.params
    forwards = any(param.kind in ("star", "doublestar") for param in own)
    fields: dict[str, Value] = {MISUSE: True} if forwards else {}
    raise Fault("TypeError", f"{method.name}() {message}", fields=fields)
