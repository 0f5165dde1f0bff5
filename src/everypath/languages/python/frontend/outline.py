"""What a source file defines, read off its syntax: which functions there are, where, and what each one mentions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy

from everypath.errors import BadInput
from everypath.languages.base import Definition, Part
from everypath.languages.python.frontend.spelled import SPELLED
from everypath.languages.python.frontend.syntax import shared_tree

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def parts_of(source: bytes) -> list[Part]:
    """The functions and other statements of a text in their order; BadInput where it cannot be read."""
    return [_part(owner, node) for owner, node in _statements(_tree(source).body, "")]


def definitions_of(source: bytes) -> tuple[Definition, ...]:
    """The functions and methods of a text; BadInput where it cannot be read."""
    return definitions_in(_tree(source))


def definitions_in(tree: ast.Module) -> tuple[Definition, ...]:
    """The functions and methods of a module."""
    found = (_definition(owner, node) for owner, node in _statements(tree.body, ""))
    return tuple(definition for definition in found if definition is not None)


def _tree(source: bytes) -> ast.Module:
    try:
        return shared_tree(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read: {error}") from None


def _statements(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, ast.stmt]]:
    """Every function and every other statement of a body, with the class that it belongs to."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            name = f"{owner}.{node.name}" if owner else node.name
            # What stands around the body, its bases and decorators, is a statement of the class as well.
            around = copy(node)
            around.body = []
            yield name, around
            yield from _statements(node.body, name)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            # Definitions under a condition, such as one for each version of Python.
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            inner += [s for handler in getattr(node, "handlers", []) for s in handler.body]
            yield from _statements(inner, owner)
        else:
            yield owner, node


def _part(owner: str, node: ast.stmt) -> Part:
    names = _names_in(node) if isinstance(node, _Function) else _names_set_by(node)
    return Part(owner, ast.dump(node), frozenset(names), _definition(owner, node))


def _definition(owner: str, node: ast.stmt) -> Definition | None:
    if not isinstance(node, _Function):
        return None
    qualname = f"{owner}.{node.name}" if owner else node.name
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return Definition(qualname, first, node.end_lineno or node.lineno, _is_public(qualname))


def _is_public(qualname: str) -> bool:
    """Whether tests of the module, or of its class, are also about a function of this name."""
    *outer, name = qualname.split(".")
    if outer and (name == "__init__" or name in SPELLED):
        return True
    return not any(part.startswith("_") for part in (*outer, name))


def _names_in(node: ast.AST) -> set[str]:
    """Every name and attribute that a piece of code mentions."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
    return found


def _names_set_by(node: ast.stmt) -> set[str]:
    """The names that a statement of a module or class body gives a value."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            found.add(inner.id)
        elif isinstance(inner, ast.alias):
            found.add((inner.asname or inner.name).partition(".")[0])
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(inner.name)
    return found
