"""The type of an unannotated parameter whose default is None, read off how the function uses it."""

from __future__ import annotations

import ast

from everypath.ir.types import FUNCTION, INT, NONE, Type, optional

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def type_by_use(node: ast.AST, name: str) -> Type:
    """An optional function when it is called, an optional integer when it is counted with, else only None."""
    counted = False
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return optional(FUNCTION)
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                counted = counted or _is_number(value)
            case ast.BinOp(left=left, right=right) if _is(name, left) or _is(name, right):
                counted = counted or not isinstance(part.op, ast.Add | ast.Mod | ast.Mult)
            case ast.Compare(left=left, ops=ops, comparators=others) if any(_is(name, o) for o in (left, *others)):
                counted = counted or (any(isinstance(op, _ORDER) for op in ops) and not _with_text(left, others))
    return optional(INT) if counted else NONE


def _is(name: str, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int()) | ast.Call(func=ast.Name(id="len" | "int" | "ord")):
            return True
    return False


def _with_text(left: ast.expr, others: list[ast.expr]) -> bool:
    return any(isinstance(o, ast.Constant) and isinstance(o.value, str) for o in (left, *others))
