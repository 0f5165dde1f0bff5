"""Writes the private names of class bodies out, as the interpreter stores them: `__x` in class `C` is `_C__x`."""

from __future__ import annotations

import ast
import re

_PRIVATE = re.compile(rb"\b__[^\W\d]\w*(?<!__)\b")


def write_out(tree: ast.Module, source: bytes) -> None:
    """Replace every plain name, parameter and declaration that is private to a class; attributes are left to others."""
    # Looking at every node takes longer than parsing, and most sources have no such name.
    if _PRIVATE.search(source):
        _Writer().visit(tree)


def mangled(name: str, prefix: str) -> str:
    """A private name as Python stores it: `__x` in class `C` is `_C__x`."""
    # A class whose name is only underscores mangles nothing.
    if prefix and name.startswith("__") and not name.endswith("__") and "." not in name and prefix != "_":
        return prefix + name
    return name


class _Writer(ast.NodeVisitor):
    """Changes names in place; `prefix` is that of the innermost class."""

    def __init__(self) -> None:
        self.prefix = ""

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Bases and decorators belong to the scope around."""
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        node.name = mangled(node.name, self.prefix)
        outer, self.prefix = self.prefix, "_" + node.name.lstrip("_")
        for statement in node.body:
            self.visit(statement)
        self.prefix = outer

    def visit_Name(self, node: ast.Name) -> None:
        """A variable."""
        node.id = mangled(node.id, self.prefix)

    def visit_arg(self, node: ast.arg) -> None:
        """A parameter."""
        node.arg = mangled(node.arg, self.prefix)
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        """The name of an argument."""
        if node.arg is not None:
            node.arg = mangled(node.arg, self.prefix)
        self.generic_visit(node)

    def _named(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
    ) -> None:
        if node.name is not None:
            node.name = mangled(node.name, self.prefix)
        self.generic_visit(node)

    def _declaration(self, node: ast.Global | ast.Nonlocal) -> None:
        node.names = [mangled(name, self.prefix) for name in node.names]

    visit_Global = visit_Nonlocal = _declaration
    visit_FunctionDef = visit_AsyncFunctionDef = visit_ExceptHandler = visit_MatchAs = visit_MatchStar = _named
