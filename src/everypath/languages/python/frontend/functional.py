"""Classes made by a call instead of a class statement, such as `namedtuple("P", "x y")`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.languages.python.frontend.names import Denotation, ExternalName
from everypath.languages.python.frontend.nodes import walk

Resolve = Callable[[ast.expr], Denotation]
Define = Callable[[ast.expr], ast.expr | None]
"""gives the expression that a name of a module always equals"""
_ENUMS = ("enum.Enum", "enum.IntEnum", "enum.StrEnum")
MADE_FROM = "made_from"
"""the attribute of a class definition of ours that says what its only base would be"""


def made_class(name: str, value: ast.expr, resolve: Resolve, define: Define) -> ast.ClassDef | None:
    """The class statement that a call abbreviates, None when it is no such call or its arguments are not constants."""
    if not isinstance(value, ast.Call):
        return None
    denoted = resolve(value.func)
    if not isinstance(denoted, ExternalName):
        return None
    if denoted.name in ("collections.namedtuple", "typing.NamedTuple"):
        body = named_fields(value, denoted.name, define)
    else:
        body = _members(value, denoted.name == "enum.StrEnum", define) if denoted.name in _ENUMS else None
    if body is None:
        return None
    node = ast.ClassDef(name, [], [], body or [ast.Pass()], [])
    setattr(node, MADE_FROM, denoted.name)
    for part in walk(node):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, value)
    return node


def named_fields(call: ast.Call, maker: str, define: Define) -> list[ast.stmt] | None:
    """The fields of a named tuple as annotations, with their defaults."""
    if len(call.args) != 2 or any(k.arg not in ("defaults", "module") for k in call.keywords):
        return None
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "defaults"), ast.Tuple([]))
    if not isinstance(given, (ast.Tuple, ast.List)):
        return None
    defaults = given.elts
    pairs: list[tuple[str, ast.expr]] = []
    if maker == "typing.NamedTuple":
        for element in call.args[1].elts if isinstance(call.args[1], (ast.List, ast.Tuple)) else ():
            match element:
                case ast.Tuple(elts=[ast.Constant(value=str() as field), annotation]):
                    pairs.append((field, annotation))
                case _:
                    return None
    else:
        names = _names(define(call.args[1]) or call.args[1])
        if names is None:
            return None
        pairs = [(name, ast.Constant(...)) for name in names]
    if len(defaults) > len(pairs) or not all(name.isidentifier() and not name.startswith("_") for name, _ in pairs):
        return None
    values: list[ast.expr | None] = [None] * (len(pairs) - len(defaults)) + list(defaults)
    return [
        ast.AnnAssign(ast.Name(name, ast.Store()), annotation, value, 1)
        for (name, annotation), value in zip(pairs, values)
    ]


def _names(node: ast.expr) -> list[str] | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="split"), args=[], keywords=[]):
            return text.split()
    try:
        given = ast.literal_eval(node)
    except ValueError:
        return None
    if isinstance(given, str):
        return given.replace(",", " ").split()
    if isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given):
        return list(given)
    return None


def _members(call: ast.Call, text: bool, define: Define) -> list[ast.stmt] | None:
    if len(call.args) != 2 or call.keywords:
        return None
    names = _names(define(call.args[1]) or call.args[1])
    if names is None:
        return None
    return [
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(name.lower() if text else number))
        for number, name in enumerate(names, 1)
    ]
