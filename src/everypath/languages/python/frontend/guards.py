"""Guards on parameters with a declared type: what the code tests for is tried, even if the annotation leaves it out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from everypath.ir.types import (
    ANY,
    FUNCTION,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    FunctionType,
    ListType,
    SetType,
    TupleType,
    Type,
    options_of,
    union,
)
from everypath.languages.python.frontend.modules import Function
from everypath.languages.python.frontend.nodes import children

_BY_VALUE = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)


def guarded(node: Function, name: str, declared: Type, read: Callable[[ast.expr], Type]) -> Type:
    """The declared type of a parameter, with None and the types that guards in the function ask for."""
    body = _telling(node)
    # What is tested may be another value than the argument.
    if not body or any(isinstance(part, ast.Name) and part.id == name for part in body):
        return declared
    options = list(options_of(declared))
    tested = [type_ for kind in _asked(body, name) for type_ in options_of(read(kind)) if type_ != ANY]
    if any(_compares_with_none(part, name) for part in body):
        options.append(NONE)
    options += _other_side(options, tested)
    if any(_asks_whether_callable(part, name) for part in body):
        options += _other_than_functions(options)
    # Objects of classes below a declared one are tried anyway.
    has_class = any(map(_is_class, options))
    options += [t for t in tested if not _covered(t, options) and not (has_class and _is_class(t))]
    return union(options)


def _other_side(options: list[Type], tested: list[Type]) -> list[Type]:
    """A type for the other side of a guard that everything declared passes."""
    if not tested or not all(_covered(option, tested) for option in options if option != NONE):
        return []
    return [next((other for other in (STR, INT) if other not in (*tested, *options)), NONE)]


@lru_cache(maxsize=1)
def _telling(node: Function) -> list[ast.AST]:
    """The assigned names, comparisons and calls in a function's body, without those of functions inside it.

    Every parameter of the function asks for them, one right after the other.
    """
    found: list[ast.AST] = []
    agenda: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while agenda:
        part = agenda.pop()
        if isinstance(part, ast.Name):
            if isinstance(part.ctx, ast.Store):
                found.append(part)
        elif not isinstance(part, (ast.Constant, Function)):
            if isinstance(part, (ast.Compare, ast.Call)):
                found.append(part)
            agenda.extend(children(part))
    return found


def _compares_with_none(part: ast.AST, name: str) -> bool:
    match part:
        case ast.Compare(left=ast.Name(id=left), ops=[op], comparators=[ast.Constant(value=None)]):
            return left == name and isinstance(op, _BY_VALUE)
    return False


def _asks_whether_callable(part: ast.AST, name: str) -> bool:
    match part:
        case ast.Call(func=ast.Name(id="callable"), args=[ast.Name(id=tested)]):
            return tested == name
    return False


def _other_than_functions(options: list[Type]) -> list[Type]:
    """What takes the other side of `callable(x)`; objects may be on either one."""
    kinds = {_is_function(option) for option in options if option != NONE and not _is_class(option)}
    if NONE not in options and kinds == {True}:
        return [STR]
    return [FUNCTION] if kinds == {False} and not any(map(_is_class, options)) else []


def _is_function(type_: Type) -> bool:
    return isinstance(type_, FunctionType)


def _asked(body: list[ast.AST], name: str) -> Iterator[ast.expr]:
    """The classes that `isinstance` asks for."""
    for part in body:
        match part:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=tested), kinds]) if tested == name:
                yield from kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]


def _is_class(type_: Type) -> bool:
    return isinstance(type_, ClassType)


def _covered(type_: Type, others: Iterable[Type]) -> bool:
    """Whether one of the others is the same type, or as a collection looks the same to `isinstance`."""
    collection = isinstance(type_, (ListType, DictType, SetType, TupleType))
    return any(type_ == other or (collection and type(type_) is type(other)) for other in others)
