"""Which lines answer the questions of others: `if is_magic(node):` is decided where `is_magic` returns.

A branch that depends on the answer of a function of the same file is missing although everything in that function was
reached. So the lines on which it computes or chooses its answer are looked at, as if they were a condition, for as long
as the branch is missing. Functions are found by name alone, also behind local variables, and questions are passed on a
few times.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MOST_HOPS = 3


def answers_in(tree: ast.Module) -> Iterator[tuple[ast.expr, frozenset[int]]]:
    """What functions answer conditions with, or ask themselves before they do, with the lines of those conditions."""
    returned: dict[str, list[ast.expr]] = {}
    asked: dict[str, set[int]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                returned.setdefault(name, []).extend(_returned(node))
                for called, test in _asked_behind(node):
                    asked.setdefault(called, set()).update(_lines(test))
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                for called in _called(test):
                    asked.setdefault(called, set()).update(_lines(test))
    for _ in range(_MOST_HOPS):
        # An answer that is that of another function.
        for name, values in returned.items():
            for called in {each for value in values for each in _called(value)} if name in asked else ():
                asked.setdefault(called, set()).update(asked[name])
    for name, lines in asked.items():
        for value in returned.get(name, ()):
            yield value, frozenset(lines)


def _lines(node: ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _asked_behind(function: _Function) -> Iterator[tuple[str, ast.expr]]:
    """The functions whose answers a function keeps in variables, with the conditions on these."""
    kept: dict[str, set[str]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
                kept.setdefault(name, set()).update(_called(value))
    for node in ast.walk(function) if kept else ():
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            for part in ast.walk(node.test):
                if isinstance(part, ast.Name):
                    yield from ((called, node.test) for called in kept.get(part.id, ()))


def _returned(function: _Function) -> Iterator[ast.expr]:
    """What decides the answer: what is computed, and where one is chosen, the conditions."""
    chosen = False
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, (ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Call)):
            yield node.value
        chosen |= isinstance(node, ast.Return) and isinstance(node.value, (ast.Constant, ast.Name))
    if chosen:
        yield from (node.test for node in ast.walk(function) if isinstance(node, (ast.If, ast.IfExp)))


def _called(condition: ast.expr) -> Iterator[str]:
    """The names of the functions that a condition calls, as such or as methods."""
    for node in ast.walk(condition):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                yield name
