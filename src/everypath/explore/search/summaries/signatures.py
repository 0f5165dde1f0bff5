"""For which types of arguments a method is summarised, and whether a value is one of a type.

Where a parameter is declared, its type is the declared one, so that a method has a single summary. Elsewhere it is the
type of what is passed, and there is one summary for each combination: nothing but types is taken over from a caller.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.explore.state import State
from everypath.heap.values import InitialList, OneOf, Ref, Unknown, Value
from everypath.ir import types as t
from everypath.ir.program import Method
from everypath.ir.types import Type
from everypath.logic.terms import Term

_SORTS: dict[str, Type] = {"int": t.INT, "bool": t.BOOL, "str": t.STR}
_PLAIN: dict[type, Type] = {int: t.INT, bool: t.BOOL, str: t.STR, type(None): t.NONE}
_MOST = 2_000
SUPPORTED = (t.ClassType, t.ListType, t.ArrayType)


def signature(st: State, method: Method, args: Sequence[Value]) -> tuple[Type, ...] | None:
    """The types of the parameters for this call; None where some argument is of no type that summaries know."""
    found: list[Type] = []
    for (declared, options), value in zip(_declared(method), args):
        if options and conforms(st, value, options):
            found.append(declared)
            continue
        actual = type_of(st, value)
        if actual is None:
            return None
        found.append(actual)
    return tuple(found)


_DECLARED: dict[int, tuple[Method, list[tuple[Type, tuple[Type, ...]]]]] = {}


def _declared(method: Method) -> list[tuple[Type, tuple[Type, ...]]]:
    """The declared type of each parameter, and its alternatives if summaries know them all."""
    kept = _DECLARED.get(id(method))
    if kept is None or kept[0] is not method:
        found: list[tuple[Type, tuple[Type, ...]]] = []
        for number, param in enumerate(method.params):
            declared = t.ClassType(method.cls) if number == 0 and method.kind == "instance" else param.type
            options = declared.options if isinstance(declared, t.UnionType) else (declared,)
            found.append((declared, options if all(map(_is_supported, options)) else ()))
        if len(_DECLARED) > _MOST:
            _DECLARED.clear()
        kept = _DECLARED[id(method)] = (method, found)
    return kept[1]


def _is_supported(type: Type) -> bool:
    return isinstance(type, SUPPORTED) or type in (t.INT, t.BOOL, t.STR, t.NONE)


def type_of(st: State, value: Value) -> Type | None:
    """The type of a value, None if it is none that summaries know."""
    if isinstance(value, Term):
        return _SORTS.get(value.sort)
    if type(value) is Unknown:
        options = st.heap.options(value)
        return t.union(options) if all(map(_is_supported, options)) else None
    if type(value) is Ref and type(st.heap.cells.get(value)) is dict:
        return t.ClassType(st.heap.class_bound(value).bound)
    return _PLAIN.get(type(value))


def conforms(st: State, value: Value, options: Sequence[Type]) -> bool:
    """Whether a value is of one of these types, whatever becomes known about it."""
    heap = st.heap
    if isinstance(value, Term):
        return any(option == _SORTS.get(value.sort) for option in options)
    if type(value) is OneOf:
        return all(conforms(st, inner, options) for inner in value.values())
    if type(value) is Unknown:
        if value in heap.bind:
            return conforms(st, heap.bind[value], options)
        return all(any(_below(st, option, wanted) for wanted in options) for option in heap.options(value))
    if type(value) is not Ref:
        return _PLAIN.get(type(value)) in options
    if type(heap.cells.get(value)) is dict:
        bound = heap.class_bound(value).bound
        return any(isinstance(o, t.ClassType) and heap.inputs.program.is_subclass(bound, o.name) for o in options)
    first = heap.first.get(value)
    if isinstance(first, InitialList):
        return any(isinstance(o, (t.ListType, t.ArrayType)) and o.element == first.element for o in options)
    # A list that the program has made: its elements are looked at one by one when they are needed.
    return value.cls == "list" and any(isinstance(option, (t.ListType, t.ArrayType)) for option in options)


def _below(st: State, type: Type, wanted: Type) -> bool:
    if isinstance(type, t.ClassType) and isinstance(wanted, t.ClassType):
        return st.heap.inputs.program.is_subclass(type.name, wanted.name)
    return type == wanted
