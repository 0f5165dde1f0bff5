"""Builtin names that a module uses before it defines something of the same name, as in `_map = map`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from everypath.frontends.python.hierarchy import BUILTIN_NAMES

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
