"""Calls that docstrings show as examples: their arguments are inputs for which the code was written."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from everypath.ir.instructions import Param

Example = tuple[tuple[str, "int | float | str | bool"], ...]
"""The plain values of a call by the names of the inputs: parameters, and elements such as `xs[0]`."""
_PROMPT, _MORE = ">>> ", "... "
_MOST = 12


def examples(docstrings: Iterable[str | None], name: str, params: tuple[Param, ...]) -> tuple[Example, ...]:
    """The arguments of the calls of a function or class in the examples of docstrings, each once."""
    found: dict[Example, None] = {}
    for text in docstrings:
        for call in _calls(text or "", name):
            values = tuple(_values(call, params))
            if values:
                found[values] = None
    return tuple(found)[:_MOST]


def _calls(text: str, name: str) -> Iterator[ast.Call]:
    for source in _statements(text):
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called == name:
                    yield node


def _statements(text: str) -> Iterator[str]:
    """The statements after the prompts of the interpreter."""
    lines: list[str] = []
    for line in (line.strip() for line in [*text.splitlines(), ""]):
        if line.startswith(_MORE) and lines:
            lines.append(line.removeprefix(_MORE))
            continue
        if lines:
            yield "\n".join(lines)
        lines = [line.removeprefix(_PROMPT)] if line.startswith(_PROMPT) else []


def _values(call: ast.Call, params: tuple[Param, ...]) -> Iterator[tuple[str, int | float | str | bool]]:
    positional = [param.name for param in params if param.kind in ("normal", "positional")]
    star = next((param.name for param in params if param.kind == "star"), None)
    for place, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            return
        if place < len(positional):
            yield from _literals(positional[place], argument)
        elif star is not None:
            yield from _literals(f"{star}[{place - len(positional)}]", argument)
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield from _literals(keyword.arg, keyword.value)


def _literals(name: str, node: ast.expr) -> Iterator[tuple[str, int | float | str | bool]]:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            yield name, value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            yield name, -number
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for at, element in enumerate(elements):
                yield from _literals(f"{name}[{at}]", element)
        case ast.Call(func=ast.Name(id="iter" | "list" | "tuple"), args=[inner], keywords=[]):
            yield from _literals(name, inner)
