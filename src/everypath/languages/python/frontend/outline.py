"""What a source file defines, read off its syntax: which functions there are, where, and what each one mentions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy

from everypath.languages.python.frontend.spelled import SPELLED
from everypath.languages.python.frontend.syntax import shared_tree
from everypath.records import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or method of a module."""

    qualname: str
    node: FunctionNode
    first: int
    """its first line, decorators included"""
    last: int

    @property
    def public(self) -> bool:
        """Whether tests of the module, or of its class, are also about this one."""
        *outer, name = self.qualname.split(".")
        if outer and (name == "__init__" or name in SPELLED):
            return True
        return not any(part.startswith("_") for part in (*outer, name))


@dataclass(frozen=True, slots=True)
class Statement:
    """Anything else that a module or class body holds: it belongs to all of that body."""

    owner: str
    """the qualified name of the class, empty for the module"""
    node: ast.stmt


Part = Definition | Statement


def parts_of(source: bytes) -> list[Part]:
    """The functions and other statements of a text in their order; raises SyntaxError or ValueError."""
    return list(_parts(shared_tree(source).body, ""))


def definitions_of(source: bytes) -> tuple[Definition, ...]:
    """The functions and methods of a text; none where it cannot be read, which loading it will tell."""
    try:
        return definitions_in(shared_tree(source))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def definitions_in(tree: ast.Module) -> tuple[Definition, ...]:
    """The functions and methods of a module."""
    return tuple(part for part in _parts(tree.body, "") if isinstance(part, Definition))


def names_in(node: ast.AST) -> set[str]:
    """Every name and attribute that a piece of code mentions."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
    return found


def names_set_by(node: ast.stmt) -> set[str]:
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


def _parts(body: list[ast.stmt], owner: str) -> Iterator[Part]:
    prefix = f"{owner}." if owner else ""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield Definition(f"{prefix}{node.name}", node, first, node.end_lineno or node.lineno)
        elif isinstance(node, ast.ClassDef):
            name = f"{prefix}{node.name}"
            # What stands around the body, its bases and decorators, is a statement of the class as well.
            around = copy(node)
            around.body = []
            yield Statement(name, around)
            yield from _parts(node.body, name)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            # Definitions under a condition, such as one for each version of Python.
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            inner += [s for handler in getattr(node, "handlers", []) for s in handler.body]
            yield from _parts(inner, owner)
        else:
            yield Statement(owner, node)
