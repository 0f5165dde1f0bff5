"""Makes nodes of syntax trees by their constructors, so that each part of a node is an input that can be changed.

Which fields a class of `ast` has, and of which types, it says itself, in the one line of its documentation:
`Call(expr func, expr* args, keyword* keywords)`.
"""

from __future__ import annotations

import ast
import re

from everypath.languages.python.probing.expressions import Call, Code, Expr, Items
from everypath.languages.python.probing.texts import Texts

_DEEPEST = 3
_FIELD = re.compile(r"(\w+)([*?]?) (\w+)")
_USUAL = {
    ast.expr: (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.BinOp, ast.Tuple, ast.Subscript),
    ast.stmt: (ast.Expr, ast.Assign, ast.Pass, ast.Return, ast.FunctionDef, ast.If),
    ast.expr_context: (ast.Load,),
}
"""Classes for a type of which there are many."""
_PLACED = ("lineno", "end_lineno"), ("col_offset", "end_col_offset")


def node(maker: Texts, cls: type[ast.AST], depth: int) -> Expr:
    """An expression that makes a node of a class, or of one below it."""
    chosen = _chosen(maker, cls, depth)
    name = chosen.__name__
    fields = _FIELD.findall((chosen.__doc__ or "").partition("(")[2])
    given = [(field, _value(maker, kind, many, depth)) for kind, many, field in fields]
    if issubclass(chosen, (ast.expr, ast.stmt)) and depth <= 1:
        lines, columns = _PLACED
        given += [(each, Code("1")) for each in lines]
        given += [(each, Code(str(at))) for at, each in enumerate(columns)]
    return Call("ast", name, (), tuple((field, value) for field, value in given if value != Code("None")))


def _chosen(maker: Texts, cls: type[ast.AST], depth: int) -> type[ast.AST]:
    """A class that has objects of its own: one that the program asks for, a usual one, or any."""
    below = _below(cls)
    if not below:
        return cls
    if depth >= _DEEPEST and cls is ast.expr:
        return maker.chance.choice((ast.Name, ast.Constant))
    asked = [each for each in (*maker.asked.classes, *maker.near.classes) if each in below]
    usual = _USUAL.get(cls, below)
    return maker.chance.choice(asked if asked and maker.chance.random() < 0.5 else list(usual))


def _below(cls: type[ast.AST]) -> list[type[ast.AST]]:
    """The classes directly below one, without those that exist for the sake of old programs."""
    return [each for each in cls.__subclasses__() if each.__module__ == "ast" and each.__match_args__ is not None][:60]


def _value(maker: Texts, kind: str, many: str, depth: int) -> Expr:
    if many == "?" and maker.chance.random() < 0.5:
        return Code("None")
    if many == "*":
        count = 0 if depth >= _DEEPEST else maker.chance.choice((0, 1, 1, 2))
        return Items("list", tuple(_one(maker, kind, depth + 1) for _ in range(count)))
    return _one(maker, kind, depth + 1)


def _one(maker: Texts, kind: str, depth: int) -> Expr:
    match kind:
        case "identifier":
            words = [text for text in (*maker.asked.texts, *maker.near.texts) if text.isidentifier()]
            return Code(repr(maker.chance.choice(words if words and maker.chance.random() < 0.5 else ["a", "b", "f"])))
        case "string":
            return maker.text()
        case "int":
            return Code("0")
        case "constant":
            return maker.text() if maker.chance.random() < 0.5 else maker.number()
    found = getattr(ast, kind, None)
    return node(maker, found, depth) if isinstance(found, type) and issubclass(found, ast.AST) else Code("None")
