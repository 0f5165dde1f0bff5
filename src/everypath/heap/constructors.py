"""What an input of an algebraic data type can be made of: its constructors, the types and names of their arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping

from everypath.errors import Unsupported
from everypath.ir import types as t
from everypath.ir.program import Program
from everypath.ir.types import Type

Constructors = dict[str, tuple[Type, ...]]
"""constructor -> types of its arguments"""
_TAIL = re.compile(r"(.*)\[(\d+):\]", re.DOTALL)
_COLLECTIONS = (t.ListType, t.ArrayType, t.SetType)


def substituted(type: Type, values: Mapping[str, Type]) -> Type:
    """The type with its type parameters replaced; one that is not given stays."""
    if isinstance(type, t.TypeParameter):
        return values.get(type.name, type)
    if isinstance(type, t.DataType):
        return t.DataType(type.name, tuple(substituted(a, values) for a in type.arguments), type.only)
    if isinstance(type, t.FutureType):
        return t.FutureType(substituted(type.result, values))
    if isinstance(type, t.UnionType):
        return t.union(tuple(substituted(o, values) for o in type.options))
    if isinstance(type, _COLLECTIONS):
        return type.__class__(substituted(type.element, values))
    if isinstance(type, t.DictType):
        return t.DictType(substituted(type.key, values), substituted(type.value, values))
    if isinstance(type, t.TupleType):
        rest = None if type.rest is None else substituted(type.rest, values)
        return t.TupleType(tuple(substituted(e, values) for e in type.elements), rest)
    return type


def constructors_of(program: Program, type: t.DataType) -> Constructors:
    """Every constructor that a value of the type may have, with the types of its arguments in this instance."""
    declared = program.data.get(type.name)
    if declared is None or not declared.constructors:
        raise Unsupported(f"an input of the type {short(type.name)}, of which no constructor is known")
    values = dict(zip(declared.parameters, type.arguments))
    return {
        name: tuple(substituted(a, values) for a in arguments)
        for name, arguments in declared.constructors.items()
        if not type.only or name in type.only
    }


def part_names(whole: str, type: t.DataType, arguments: tuple[Type, ...]) -> list[str]:
    """What the arguments of a constructor are called, when the value itself has this name.

    The elements of a list `l` are `l[0]`, `l[1]`, and what is behind them `l[1:]`, `l[2:]`; other parts are numbered.
    """
    if len(arguments) == 2 and _same(arguments[1], type):
        match = _TAIL.fullmatch(whole)
        name, index = (match[1], int(match[2])) if match is not None else (whole, 0)
        return [f"{name}[{index}]", f"{name}[{index + 1}:]"]
    return [f"{whole}.{number}" for number in range(1, len(arguments) + 1)]


def _same(type: Type, other: t.DataType) -> bool:
    return isinstance(type, t.DataType) and (type.name, type.arguments) == (other.name, other.arguments)


def simplest(constructors: Constructors, heights: Mapping[str, int]) -> str:
    """The constructor of the smallest values, the first one of several."""
    return min(constructors, key=lambda name: _height(constructors[name], heights))


def heights_of(program: Program) -> dict[str, int]:
    """The depth of the smallest value of each data type; types without a finite value are missing."""
    # A fixed point from below: a type gets a depth when one of its constructors has arguments that all have one.
    found: dict[str, int] = {}
    while True:
        better = dict(found)
        for data in program.data.values():
            least = min((_height(arguments, found) for arguments in data.constructors.values()), default=_ENDLESS)
            if least < _ENDLESS:
                better[data.name] = least
        if better == found:
            return found
        found = better


_ENDLESS = 1_000_000


def _height(arguments: tuple[Type, ...], heights: Mapping[str, int]) -> int:
    below = [heights.get(a.name, _ENDLESS) if isinstance(a, t.DataType) else 0 for a in arguments]
    return min(_ENDLESS, 1 + max(below, default=-1))


def short(name: str) -> str:
    """A constructor or data type without its module."""
    return name.rpartition(".")[2]
