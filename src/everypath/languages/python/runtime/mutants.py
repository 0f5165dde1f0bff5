"""Makes mutants of Python code: the same code each time, with one small fault in it.

Docstrings, annotations and strings stay as they are. Some mutants behave like the original; they count against every
suite alike.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Generic, TypeVar

from everypath.records import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
DELETED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.Raise)
_LONGEST = 40
_Tree = TypeVar("_Tree", bound=ast.AST)
Place = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Mutant(Generic[_Tree]):
    """Code with a fault: what was done, where, and the tree to compile."""

    line: int
    last: int
    """the last line of the part that is another one"""
    change: str
    text: str
    """what became of what"""
    tree: _Tree


def mutants(source: str) -> list[Mutant[ast.Module]]:
    """Every mutant of the program, in the order of the text, each program text once."""
    return list(mutants_of(ast.parse(source)))


def mutants_of(original: _Tree) -> Iterator[Mutant[_Tree]]:
    """Every mutant of a tree, each of them once."""
    seen = {ast.dump(original)}
    for place, node in places(original, ()):
        for change, replacement in replacements(node):
            tree = copy.deepcopy(original)
            put(tree, place, replacement)
            ast.fix_missing_locations(tree)
            dumped = ast.dump(tree)
            if dumped not in seen:
                seen.add(dumped)
                shown = f"`{_short(node)}` becomes `{_short(replacement)}`"
                yield Mutant(getattr(node, "lineno", 0), _last_line(node), change, shown, tree)


def _last_line(node: ast.AST) -> int:
    """The last line of what is executed at a node itself: of a statement with a body, its condition."""
    head = node.test if isinstance(node, (ast.If, ast.While)) else node
    if isinstance(head, (ast.expr, ast.stmt)) and head.end_lineno is not None:
        return head.end_lineno
    return int(getattr(node, "lineno", 0))


def _short(node: ast.AST) -> str:
    """The first line of a node's text, shortened."""
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).partition("\n")[0]
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def places(node: ast.AST, at: Place) -> Iterator[tuple[Place, ast.AST]]:
    """Every node that is executed, with the way to it from the root."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if not isinstance(child, ast.AST) or docstring(node, name, index, child):
                continue
            below = (*at, (name, index))
            yield below, child
            yield from places(child, below)


def docstring(parent: ast.AST, name: str, index: int | None, child: ast.AST) -> bool:
    """Whether the child is the text that documents its parent."""
    return (
        isinstance(parent, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and name == "body"
        and index == 0
        and isinstance(child, ast.Expr)
        and isinstance(child.value, ast.Constant)
        and isinstance(child.value.value, str)
    )


def put(tree: ast.AST, place: Place, replacement: ast.AST) -> None:
    """Replaces the node at the place."""
    *above, (name, index) = place
    parent = tree
    for step, position in above:
        value = getattr(parent, step)
        parent = value if position is None else value[position]
    if index is None:
        setattr(parent, name, replacement)
    else:
        getattr(parent, name)[index] = replacement


def replacements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What may stand in the place of one node, each with a word on the change."""
    match node:
        case ast.Compare():
            yield from compared(node)
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(operator)](), right)
        case ast.AugAssign(target, operator, value) if type(operator) in ARITHMETIC:
            yield "arithmetic", ast.AugAssign(target, ARITHMETIC[type(operator)](), value)
        case ast.Constant(bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(int() | float() as number):
            yield "constant", ast.Constant(number + 1)
            yield "constant", ast.Constant(number - 1)
        case ast.BoolOp(operator, values):
            yield "boolean", ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield "boolean", operand
        case ast.UnaryOp(ast.USub(), operand):
            yield "arithmetic", operand
        case ast.If(test, body, orelse):
            yield "condition", ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.While(test, body, orelse):
            yield "condition", ast.While(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test, body, orelse):
            yield "condition", ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Return(ast.expr()):
            yield "return", ast.Return(ast.Constant(None))
    if isinstance(node, DELETED):
        yield "deleted", ast.Pass()


def compared(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    """Each operator of a comparison, changed alone."""
    for position, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            operators = [*node.ops[:position], other(), *node.ops[position + 1 :]]
            yield "comparison", ast.Compare(node.left, operators, node.comparators)
