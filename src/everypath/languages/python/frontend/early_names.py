"""Module-level code that depends on when it runs: `_map = map` before `def map`, `A = next(numbers)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from everypath.languages.python.frontend.hierarchy import BUILTIN_NAMES

_LATER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)


def mark_early(statement: ast.stmt, bound: set[str], defined: set[str]) -> Iterator[tuple[str, str]]:
    """Give builtins that the module defines later another name in a statement; yields each with the builtin's own."""
    names = [node for node in _evaluated(statement) if isinstance(node, ast.Name)]
    # What the statement itself binds, also inside a comprehension, may be that.
    bound = bound.union(node.id for node in names if isinstance(node.ctx, ast.Store))
    for node in names:
        name = node.id
        if name in defined and name not in bound and name in BUILTIN_NAMES:
            node.id = f"<builtin {name}>"
            yield node.id, name


def _evaluated(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are evaluated where the statement stands, not when something is called."""
    yield statement
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, _LATER):
            yield from _evaluated(child)


TAKEN = "a value taken out of a variable while the module is imported is not supported"
_TAKING = frozenset("pop popitem popleft __next__".split())


def taken_from(value: ast.AST) -> ast.Call | None:
    """A call that takes something out of a variable, so that another value is left for whoever comes next."""
    for node in _evaluated(value):
        match node:
            case ast.Call(func=ast.Name(id="next"), args=[ast.Name(), *_]):
                return node
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr=method)) if method in _TAKING:
                return node
    return None
