"""The syntax of sources: every text is parsed once in a run, and private names are written out.

Planning only looks at the syntax of a file, before the front end translates it. The front end changes what it
translates (private names are written out, members of stub files are added), so it takes the tree away.
"""

from __future__ import annotations

import ast
import re
from typing import TypeVar

from everypath.languages.python.frontend.nodes import walk

_PRIVATE = re.compile(rb"\b__[^\W\d]\w*(?<!__)\b")
PROMISED = "_promised"
"""The attribute of a function's node that holds the conditions which contracts say its callers promise."""
Node = TypeVar("Node", bound=ast.AST)


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


_MOST = 32
"""Trees are large: a plan over more files than that is not worth keeping them all."""
_trees: dict[bytes, ast.Module] = {}
"""source -> a tree that nobody has changed"""


def shared_tree(source: bytes) -> ast.Module:
    """The syntax of a text, to be looked at; raises what `ast.parse` raises."""
    if source not in _trees:
        while len(_trees) >= _MOST:
            del _trees[next(iter(_trees))]
        _trees[source] = _parsed(source)
    return _trees[source]


def own_tree(source: bytes, file: str) -> ast.Module:
    """The syntax of a text, for the caller to change; raises what `ast.parse` raises."""
    return _trees.pop(source) if source in _trees else _parsed(source, file)


def _parsed(source: bytes, file: str = "<unknown>") -> ast.Module:
    if b"# type:" not in source:
        return ast.parse(source, file)
    # Few sources still have types in comments.
    from everypath.languages.python.parameters.comments import parsed

    return parsed(source, file)


def excludes_null(test: ast.expr, outcome: bool, expression: str) -> bool:
    """Whether an expression is not None where a test of it has this outcome."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return excludes_null(operand, not outcome, expression)
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            return ast.unparse(left) == expression and outcome == isinstance(op, ast.IsNot)
    return outcome and ast.unparse(test) == expression


def placed(node: Node, line: int) -> Node:
    """Say that everything in it stands on this line."""
    for part in walk(node):
        if isinstance(part, (ast.expr, ast.stmt, ast.arg)):
            part.lineno = part.end_lineno = max(line, 1)
            part.col_offset = part.end_col_offset = 0
    return node
