"""Types that comments give: `def f(a, b=None):  # type: (int, str | None) -> bool`, or one comment for each parameter.

That is how programs say what they take that also ran where there were no annotations. A type checker reads both alike,
and so does everything here: the comments are put into the tree in the place of annotations.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_MARK = "# type:"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def parsed(source: str | bytes, file: str = "<unknown>") -> ast.Module:
    """The syntax of a text, with types that comments give as annotations; raises what `ast.parse` raises."""
    mark = _MARK.encode() if isinstance(source, bytes) else _MARK
    if mark not in source:  # type: ignore[operator]
        return ast.parse(source, file)
    try:
        tree = ast.parse(source, file, type_comments=True)
    except SyntaxError:
        # A comment stands where none is expected, or the text itself is at fault.
        return ast.parse(source, file)
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            _annotate(node)
        if getattr(node, "type_comment", None) is not None:
            node.type_comment = None  # type: ignore[attr-defined]
    return tree


def _annotate(function: _Function) -> None:
    """Give a function those types that it has no annotations for."""
    for arg, text in _commented(function):
        if arg.annotation is None:
            arg.annotation = _type(text, arg)
    read = _signature(function)
    if read is None:
        return
    for arg, node in _matched(_positional(function), read.argtypes):
        if arg.annotation is None and not (isinstance(node, ast.Constant) and node.value is Ellipsis):
            arg.annotation = _located(node, arg)
    if function.returns is None:
        function.returns = _located(read.returns, function)


def _commented(function: _Function) -> Iterator[tuple[ast.arg, str]]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    for arg in every:
        if arg is not None and arg.type_comment is not None:
            yield arg, arg.type_comment


def _signature(function: _Function) -> ast.FunctionType | None:
    if function.type_comment is None:
        return None
    try:
        return ast.parse(function.type_comment, mode="func_type")
    except (SyntaxError, ValueError):
        return None


def _positional(function: _Function) -> list[ast.arg]:
    given = function.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [arg for arg in every if arg is not None]


def _matched(args: list[ast.arg], types: Sequence[ast.expr]) -> Iterator[tuple[ast.arg, ast.expr]]:
    """Parameters with their types; `self` and `cls` mostly have none."""
    if len(types) == len(args) - 1 and args[0].arg in ("self", "cls"):
        args = args[1:]
    if len(types) == len(args):
        yield from zip(args, types)


def _type(text: str, place: ast.arg) -> ast.expr | None:
    try:
        return _located(ast.parse(text.strip(), mode="eval").body, place)
    except (SyntaxError, ValueError):
        return None


def _located(type_: ast.expr, place: ast.arg | _Function) -> ast.expr:
    """A type that stands where the parameter does."""
    for part in ast.walk(type_):
        if isinstance(part, ast.expr):
            part.lineno = part.end_lineno = place.lineno
            part.col_offset = part.end_col_offset = place.col_offset
    return type_
